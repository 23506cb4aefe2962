internal import Catalog
internal import Control
internal import Dispatch
internal import HTTP
internal import JSON
internal import Run
internal import SQLite
internal import Server
internal import System

/// The event streams of the page: what changes in the catalog, and what the runs that are at work tell.
///
/// While nobody watches nothing is done. The catalog is asked twice a second whether another program has written to it; each
/// page has connections of its own to the sockets of runs, so that one that is slow slows no other.
final class EventHub: Sendable {
    private struct State {
        var pages: [ObjectIdentifier: PageStream] = [:]
        var isTicking = false
        /// Of the hub's own connection.
        var version: Int64?
        /// Whether to look whatever the version is.
        var isForced = false
        /// Microseconds that the last look took, and when it ended.
        var duration: Int64 = 0
        var lookedAt = Monotonic(microseconds: 0)
        var ticks = 0
        var files: JobFiles.Known?

        var isDue: Bool { Monotonic.now() - lookedAt >= min(duration * EventHub.share, EventHub.longestWait) }
    }

    /// Milliseconds.
    private static let interval = 500
    /// The part of a processor that looking may take: one in so many; but it waits no longer than this, in microseconds.
    private static let share: Int64 = 10
    private static let longestWait: Int64 = 2_000_000
    /// Looks at job files are so many ticks apart.
    private static let fileTicks = 4

    private let settings: WebSettings
    private let rows: JobRows
    private let reader: CatalogReaders
    private let queue = DispatchQueue(label: "page events")
    private let state = Locked(State())

    init(_ settings: WebSettings, _ rows: JobRows) {
        self.settings = settings
        self.rows = rows
        reader = CatalogReaders(path: settings.database, count: 1)
        rows.whenCounted { [weak self] in self?.note() }
    }

    /// Begins a stream.
    ///
    /// - Parameter job: whose runs are reported; nil: of all.
    func open(job: String?) -> EventStream {
        let page = PageStream(job: job, settings: settings)
        let begins = state.withLock { state in
            state.pages[ObjectIdentifier(page)] = page
            state.isForced = true
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if begins { queue.async { self.tick() } } else { note() }
        return page.stream
    }

    /// Something may have changed that the catalog does not tell.
    func note() {
        state.withLock { $0.isForced = true }
        queue.async { self.look() }
    }

    private func tick() {
        let isWatched = state.withLock { state in
            state.pages = state.pages.filter { !$0.value.stream.isOver }
            state.isTicking = !state.pages.isEmpty
            return state.isTicking
        }
        guard isWatched else { return }
        lookAtFiles()
        look()
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.interval)) { self.tick() }
    }

    /// Whether a job file was added or changed.
    private func lookAtFiles() {
        let isTime = state.withLock { state in
            defer { state.ticks += 1 }
            return state.ticks % Self.fileTicks == 0
        }
        guard isTime else { return }
        let files = rows.files.known()
        state.withLock { state in
            if let known = state.files, known != files { state.isForced = true }
            state.files = files
        }
    }

    /// On the queue. Reads what the pages show, where something has changed.
    private func look() {
        let (known, isForced) = state.withLock { state -> (Int64?, Bool) in
            let isDue = state.isDue
            defer { state.isForced = state.isForced && !isDue }
            return (state.version, isDue && state.isForced)
        }
        let began = Monotonic.now()
        reader.read(within: nil) { connection -> Look? in
            let version = try connection.dataVersion
            let isDue = self.state.withLock(\.isDue)
            guard isForced || (version != known && isDue) else { return nil }
            return Look(version: version, rows: try self.rows.all(connection), runs: try LiveRun.all(from: connection))
        } then: { result in
            guard case .success(let look?) = result else { return }
            let pages = self.state.withLock { state in
                state.version = look.version
                state.lookedAt = .now()
                state.duration = state.lookedAt - began
                return Array(state.pages.values)
            }
            for page in pages { page.show(look) { self.note() } }
        }
    }
}

/// What the catalog has now.
struct Look: Sendable {
    let version: Int64
    let rows: [(name: String, json: [UInt8])]
    let runs: [LiveRun]
}

/// One page that listens.
final class PageStream: Sendable {
    private struct State {
        /// What the page has of each job.
        var rows: [String: [UInt8]]?
        /// Runs that are reported.
        var runs: Set<Int64> = []
    }

    let stream = EventStream()
    private let job: String?
    private let settings: WebSettings
    private let reader: CatalogReaders
    private let state = Locked(State())

    init(job: String?, settings: WebSettings) {
        self.job = job
        self.settings = settings
        reader = CatalogReaders(path: settings.database, count: 1)
        stream.push(Array("retry: 2000\n\n".utf8))
    }

    /// Sends the jobs that have changed, and begins to tell of runs that are new.
    ///
    /// - Parameter whenEnded: called when a run is no longer reported.
    func show(_ look: Look, whenEnded: @escaping @Sendable () -> Void) {
        let (changed, gone) = state.withLock { state -> ([[UInt8]]?, [String]) in
            let known = state.rows
            let rows = Dictionary(look.rows.map { ($0.name, $0.json) }) { first, _ in first }
            state.rows = rows
            let gone = (known ?? [:]).keys.filter { rows[$0] == nil }.sorted()
            let changed = look.rows.filter { known?[$0.name] != $0.json }.map(\.json)
            return (known != nil && changed.isEmpty && gone.isEmpty ? nil : changed, gone)
        }
        if let changed { stream.push(ServerEvent("jobs", data: Self.jobs(changed, gone))) }
        for run in look.runs where job == nil || run.job == job {
            guard state.withLock({ $0.runs.insert(run.id).inserted }) else { continue }
            let feed = RunFeed(run, stream, settings, reader)
            // Reading a socket blocks, for as long as the run goes on.
            DispatchQueue(label: "page run \(run.id)").async {
                feed.follow()
                self.state.withLock { _ = $0.runs.remove(run.id) }
                whenEnded()
            }
        }
    }

    private static func jobs(_ rows: [[UInt8]], _ gone: [String]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("jobs")
        json.beginArray()
        for row in rows { json.value(encoded: row) }
        json.endArray()
        if !gone.isEmpty {
            json.column("removed", gone) { $0.value($1) }
        }
        json.endObject()
        return json.bytes
    }
}
