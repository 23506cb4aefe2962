internal import Catalog
internal import Control
internal import FoundationEssentials
internal import Glibc
internal import HTTP
internal import JSON
internal import Model
internal import Run
internal import SQLite
internal import Server

/// What one run tells, for one page: its events as they are, and beside them the rows of items that have ended or got their
/// pictures.
final class RunFeed: Sendable {
    /// What is read of a run's event; the rest is passed on unread.
    private struct Event: Decodable {
        struct Ended: Decodable {
            let item: Int64
            let outcome: String?
        }

        struct InFlight: Decodable {
            let item: Int64
            let phase: String?
        }

        // The names of the keys.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let in_flight: [InFlight]?
        let ended: [Ended]?
    }

    private let run: LiveRun
    private let stream: EventStream
    private let settings: WebSettings
    private let reader: CatalogReaders

    /// Items whose rows are sent at a time; a page shows fewer.
    private static let mostItems = 500
    /// A page that is so many bytes behind gets no event until it has caught up; the run joins what changes meanwhile.
    private static let patience = 256 * 1024
    /// Microseconds between two looks for a run's socket.
    private static let pause: Int64 = 50_000

    init(_ run: LiveRun, _ stream: EventStream, _ settings: WebSettings, _ reader: CatalogReaders) {
        self.run = run
        self.stream = stream
        self.settings = settings
        self.reader = reader
    }

    /// Tells of the run until it ends or the page goes. Blocks for as long; on a thread of its own.
    func follow() {
        guard let client = find() else { return }
        var isFinished = false
        var rendering: Set<Int64> = []
        try? client.events(while: { !stream.isOver }) { name, data in
            stream.waitForBacklog(atMost: Self.patience)
            guard stream.push(ServerEvent(name, data: data)) else { return false }
            isFinished = name == "finished"
            if name == "change" { tellItems(of: data, &rendering) }
            return !isFinished
        }
        // It was killed: nothing tells more of it.
        if !isFinished, !stream.isOver, kill(pid_t(truncatingIfNeeded: run.pid), 0) != 0 { tellEnd() }
    }

    /// A run that has only begun makes its socket within a moment.
    private func find() -> ControlClient? {
        for _ in 0..<40 {
            guard !stream.isOver else { return nil }
            let client = ControlClient.find(
                run: run.id, processID: run.pid, database: settings.database, environment: settings.environment)
            if let client { return client }
            guard kill(pid_t(truncatingIfNeeded: run.pid), 0) == 0 else { return nil }
            stream.waitForEnd(atMost: Self.pause)
        }
        return nil
    }

    private func tellItems(of data: [UInt8], _ rendering: inout Set<Int64>) {
        guard let event = try? JSONDecoder().decode(Event.self, from: Data(data)) else { return }
        // Of the others the rows are not there yet.
        var items = Set((event.ended ?? []).filter { $0.outcome != nil }.map(\.item))
        if let files = event.in_flight {
            let now = Set(files.filter { $0.phase == "rendering" }.map(\.item))
            items.formUnion(rendering.subtracting(now))
            rendering = now
        }
        guard !items.isEmpty else { return }
        let ids = Array(items.sorted().suffix(Self.mostItems))
        let (stream, job) = (stream, run.job)
        reader.read {
            try PageItemRow.rows(ids, ofJob: job, from: $0)
        } then: { result in
            guard case .success(let rows) = result, !rows.isEmpty else { return }
            var json = JSONWriter()
            json.beginObject()
            json.member("job", job)
            json.key("items")
            json.beginArray()
            for row in rows {
                json.beginObject()
                json.member("id", row.id)
                json.member("state", row.state)
                json.member("failure", row.failure)
                json.member("detail", row.detail)
                json.member("width", row.width)
                json.member("height", row.height)
                json.member("thumbnail", row.thumbnail)
                json.member("preview", row.base64Preview)
                json.member("size", row.size)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            stream.push(ServerEvent("items", data: json.bytes))
        }
    }

    private func tellEnd() {
        var json = JSONWriter()
        json.beginObject()
        json.member("run", run.id)
        json.member("job", run.job)
        json.member("outcome", RunOutcome.interrupted.rawValue)
        json.endObject()
        stream.push(ServerEvent("finished", data: json.bytes))
    }
}
