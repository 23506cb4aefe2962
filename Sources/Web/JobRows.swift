internal import Catalog
internal import HTTP
internal import JSON
internal import Model
internal import SQLite
internal import System

/// Jobs as the page shows them: of the catalog, of the job files, and counted.
final class JobRows: Sendable {
    let files: JobFiles
    let states: LiveStates
    private let cache: CountsCache
    private let listener = Locked<(@Sendable () -> Void)?>(nil)

    init(_ settings: WebSettings) {
        files = JobFiles(settings)
        states = LiveStates(settings)
        cache = CountsCache(path: settings.database)
    }

    /// - Parameter body: called when counts are there that nobody waited for.
    func whenCounted(_ body: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = body }
    }

    /// The counts of items; nil until they are known the first time. Blocks for a moment.
    func counts() -> PageCounts? {
        cache.counts { [listener] in listener.withLock { $0 }?() }
    }

    /// All jobs, each as a JSON object: those of the catalog, and those of the job files; by name.
    func all(_ connection: Connection) throws -> [(name: String, json: [UInt8])] {
        let known = files.known()
        let rows = Dictionary(try PageJob.all(from: connection).map { ($0.name, $0) }) { first, _ in first }
        let counts = self.counts()
        return try Set(rows.keys).union(known.jobs.map(\.name)).sorted().map { name in
            var json = JSONWriter()
            try write(name, rows[name], known, counts, connection, &json)
            return (name, json.bytes)
        }
    }

    private func write(
        _ name: String, _ row: PageJob?, _ known: JobFiles.Known, _ counts: PageCounts?, _ connection: Connection,
        _ json: inout JSONWriter
    ) throws {
        let file = known.job(name)
        let count = row == nil ? PageCounts.Count() : counts.map { $0.jobs[name] ?? PageCounts.Count() }
        let runs = try PageRun.all(of: name, limit: 50, from: connection)
        json.beginObject()
        json.member("name", name)
        json.member("file", file?.file ?? row?.file)
        json.member("directory", file?.directory ?? row?.directory)
        json.member("runnable", file != nil)
        json.member("error", file == nil ? row.flatMap { known.errors[$0.file] } : nil)
        json.member("source", file?.source)
        json.member("describes", file?.summary)
        json.member("pins", file?.takesPins == true)
        json.member("items", count?.items)
        json.member("stored", count?.stored)
        json.member("failed", count?.failed)
        json.member("pending", count?.pending)
        json.member("bytes", count?.bytes)
        json.member("collections", row?.collections ?? 0)
        json.member("has_places", row?.hasPlaces ?? false)
        json.member("located", row?.located ?? 0)
        json.key("covers")
        json.beginArray()
        for cover in try PageJob.covers(name, limit: 6, from: connection) { json.cover(cover) }
        json.endArray()
        json.key("last_run")
        if let last = runs.first {
            json.beginObject()
            json.members(of: last)
            json.endObject()
        } else {
            json.null()
        }
        json.key("live")
        if let last = runs.first, last.outcome == RunOutcome.running.rawValue {
            json.beginObject()
            json.member("state", states.state(ofRun: last.id, pid: last.pid))
            json.member("run", last.id)
            json.endObject()
        } else {
            json.null()
        }
        json.key("recent_runs")
        json.beginArray()
        for run in runs {
            json.beginObject()
            json.member("id", run.id)
            json.member("outcome", run.outcome)
            json.member("started_at", run.startedAt)
            json.member("finished_at", run.finishedAt)
            for (sum, value) in run.sums.prefix(6) { json.member(sum, value) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
