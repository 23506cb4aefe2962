import Files
import Glibc
import JSON
import Model
import Run
import System

/// What a run is at, as JSON: names of members as in the catalog where they are the same.
enum StatusJSON {
    /// Items in flight that are listed, at most.
    private static let mostFiles = 256

    /// All that is known but for what is in flight.
    static func status(_ run: RunHandle, _ view: LiveView) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        begin(run, view, &json)
        append(run, view, all: true, &json)
        json.endObject()
        json.endLine()
        return json.bytes
    }

    static func snapshot(_ run: RunHandle, _ view: LiveView) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        begin(run, view, &json)
        append(run, view, all: true, &json)
        append(view.changes.files, &json)
        json.endObject()
        return json.bytes
    }

    static func change(_ run: RunHandle, _ view: LiveView) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        begin(run, view, &json)
        append(run, view, all: false, &json)
        if view.changes.hasFiles { append(view.changes.files, &json) }
        if !view.changes.ended.isEmpty {
            json.key("ended")
            json.beginArray()
            for item in view.changes.ended {
                json.beginObject()
                json.member("item", item.id)
                json.member("outcome", item.outcome?.rawValue)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }

    /// What every event begins with.
    static func begin(_ run: RunHandle, _ view: LiveView, _ json: inout JSONWriter) {
        json.member("run", run.id)
        json.member("job", run.job)
        json.member("seq", Int64(view.changes.version))
        json.member("at", wallClockMicroseconds())
    }

    private static func append(_ run: RunHandle, _ view: LiveView, all: Bool, _ json: inout JSONWriter) {
        let changes = view.changes
        if all {
            json.member("pid", Int64(getpid()))
            json.member("started_at", run.startedAt)
        }
        if all || changes.hasControl {
            json.member("state", changes.state.rawValue)
            append(run.limits, &json)
        }
        if all || changes.hasCounts {
            append(view, &json)
        }
        if all || changes.hasHosts { append(changes.job.activity.hosts, &json) }
        if all || !changes.collections.isEmpty { append(changes.collections, &json) }
    }

    /// The limits that are in force.
    static func append(_ limits: RunLimits, _ json: inout JSONWriter) {
        json.member("concurrency", Int64(limits.concurrency))
        json.member("per_host", Int64(limits.perHost))
        json.member("bandwidth", limits.bandwidth)
        json.member("bandwidth_until", limits.bandwidthUntil)
    }

    private static func append(_ view: LiveView, _ json: inout JSONWriter) {
        let job = view.changes.job
        let figures = job.progress?.figures ?? RunFigures()
        json.key("counts")
        json.beginObject()
        json.member("listed", Int64(job.listed))
        json.member("done", Int64(job.done))
        json.member("left", Int64(job.listed - job.done))
        json.member("in_flight", Int64(job.activity.inFlight))
        json.member("retrying", Int64(job.activity.retrying))
        json.member("downloaded", Int64(figures.downloaded))
        json.member("unchanged", Int64(figures.unchanged))
        json.member("fresh", Int64(figures.fresh))
        json.member("evicted", Int64(figures.evicted))
        json.member("failed", Int64(figures.failed))
        json.member("known_failed", Int64(figures.knownFailures))
        json.member("cancelled", Int64(figures.cancelled))
        json.member("bytes", view.bytes)
        json.endObject()
        json.key("rates")
        json.beginObject()
        json.member("bytes_per_second", whole(view.byteRate))
        json.key("items_per_second")
        if let rate = view.itemRate { json.value((rate * 10).rounded() / 10) } else { json.null() }
        json.endObject()
        json.member("remaining_seconds", whole(view.secondsLeft?.rounded(.up)))
    }

    private static func whole(_ number: Double?) -> Int64? {
        number.map { Int64(max(0, min($0, 1e18))) }
    }

    private static func append(_ hosts: [HostActivity], _ json: inout JSONWriter) {
        json.key("hosts")
        json.beginArray()
        for host in hosts {
            json.beginObject()
            json.member("origin", host.origin)
            json.member("in_flight", Int64(host.inFlight))
            json.member("allowance", Int64(host.allowance))
            json.member("paused_until", host.pausedUntil)
            json.member("reason", host.reason?.rawValue)
            json.endObject()
        }
        json.endArray()
    }

    private static func append(_ collections: [CollectionList.Entry], _ json: inout JSONWriter) {
        json.key("collections")
        json.beginArray()
        for collection in collections {
            json.beginObject()
            json.member("key", collection.key)
            json.member("title", collection.title)
            json.member("subtitle", collection.subtitle)
            json.member("section", collection.section)
            json.member("expected", collection.expected.map(Int64.init))
            json.member("listed", Int64(collection.listed))
            json.member("done", Int64(collection.ended))
            json.member("failed", Int64(collection.failed))
            json.member("cancelled", Int64(collection.cancelled))
            json.member("state", word(collection))
            json.endObject()
        }
        json.endArray()
    }

    private static func word(_ collection: CollectionList.Entry) -> String {
        switch collection.state {
        case .finished: "finished"
        case .stopped: "stopped"
        case .queued, .downloading:
            collection.isPaused ? "paused" : collection.state == .queued ? "queued" : "downloading"
        }
    }

    private static func append(_ files: [LiveFile], _ json: inout JSONWriter) {
        json.key("in_flight")
        json.beginArray()
        for file in files.prefix(mostFiles) {
            json.beginObject()
            json.member("item", file.file.id)
            json.member("key", file.file.key)
            json.member("title", file.file.title)
            json.member("collection", file.collection)
            json.member("host", file.file.host)
            json.member("phase", file.file.stage.word)
            json.member("attempt", Int64(file.file.attempt))
            json.member("received", file.file.received)
            json.member("expected", file.file.expected)
            json.member("percent", file.file.percent)
            json.member("bytes_per_second", whole(file.file.rate))
            json.endObject()
        }
        json.endArray()
    }
}
