import Catalog
import Control
import Glibc
import JSON
import Reports
import SQLite
import Synchronization
import System

/// Where the events of several runs that are followed come together.
final class FollowOutput: Sendable {
    private let console: Console
    private let isJSON: Bool
    private let database: String
    private let environment: [String: String]
    private let state = Mutex<OutputError?>(nil)

    /// Microseconds between two tries to reach a run again.
    private static let pause: Int64 = 250_000

    init(console: Console, isJSON: Bool, database: String, environment: [String: String]) {
        self.console = console
        self.isJSON = isJSON
        self.database = database
        self.environment = environment
    }

    /// Why stdout takes nothing more.
    var fault: OutputError? { state.withLock(\.self) }

    /// What one run has reported so far.
    private struct Progress {
        var members: [String: JSONValue] = [:]
        /// The last line, so that none comes twice.
        var shown = ""
        /// The last event's number.
        var last: Int64?
        var isOver = false
    }

    /// Prints what a run tells until it has ended. A connection that is lost is made again, and nothing is missed. Blocks.
    func follow(_ run: RunAtWork) {
        guard var client = run.client else {
            console.tell("\(run.run.job): the run \(run.run.id) (pid \(run.run.processID)) has no control socket")
            return
        }
        var progress = Progress()
        while true {
            try? client.events(after: progress.last) { name, data in
                guard take(name, data, &progress) else {
                    progress.isOver = true
                    return false
                }
                if name == "finished" { progress.isOver = true }
                return !progress.isOver
            }
            if progress.isOver { return }
            guard let next = findAgain(run.run) else { return tellEnd(of: run.run) }
            client = next
        }
    }

    /// Waits until the run answers again; nil once it has ended.
    private func findAgain(_ run: CatalogRun) -> ControlClient? {
        while true {
            pauseThread(microseconds: Self.pause)
            guard let isAtWork = try? row(of: run)?.isAtWork, isAtWork else { return nil }
            let client = ControlClient.find(
                run: run.id, processID: run.processID, database: database, environment: environment)
            if let client { return client }
        }
    }

    /// The run's row as it is now.
    private func row(of run: CatalogRun) throws -> CatalogRun? {
        let catalog = try CatalogLocation.openForReading(database)
        defer { catalog.close() }
        return try CatalogRun.one(run.id, on: catalog)
    }

    /// Of a run that ended without a word, as one does that is killed.
    private func tellEnd(of run: CatalogRun) {
        guard let row = try? row(of: run) else { return }
        guard isJSON else {
            _ = write(Array((displayable(StatusText.line(of: row)) + "\n").utf8))
            return
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("event", "finished")
        json.member("run", row.id)
        json.member("job", row.job)
        json.member("outcome", row.outcome)
        json.endObject()
        json.endLine()
        _ = write(json.bytes)
    }

    /// Prints an event.
    ///
    /// - Returns: false where stdout takes nothing more.
    private func take(_ name: String, _ data: [UInt8], _ progress: inout Progress) -> Bool {
        guard case .object(let members)? = JSONValue(parsing: data) else { return true }
        if case .integer(let number)? = members["seq"] { progress.last = number }
        if isJSON { return write(Array("{\"event\": \"\(name)\", ".utf8) + data.dropFirst() + [0x0A]) }
        // Rows of collections are merged by nobody here: a line has none.
        progress.members.merge(members) { $1 }
        if name == "finished" { progress.members["state"] = .text("finished") }
        let line = StatusText.line(of: progress.members)
        guard line != progress.shown else { return true }
        progress.shown = line
        return write(Array((displayable(line) + "\n").utf8))
    }

    /// - Returns: false where stdout takes nothing more.
    private func write(_ bytes: [UInt8]) -> Bool {
        state.withLock { fault in
            guard fault == nil else { return false }
            do throws(OutputError) {
                try console.output.write(bytes)
                try console.output.flush()
                return true
            } catch {
                fault = error
                return false
            }
        }
    }
}
