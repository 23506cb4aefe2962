import Reports
import Run
import Synchronization

/// Prints the plans of jobs, one after the other, page by page from whatever thread lists them.
final class PlanPrinter: Sendable {
    /// Entries of a job that can't be fetched and are explained one by one.
    private static let invalidLimit = 50

    private struct State {
        var job = ""
        var table: PlanTable
        var counts: [String: Int] = [:]
        /// Why stdout takes nothing more.
        var fault: OutputError?
    }

    private let console: Console
    private let state: Mutex<State>

    init(console: Console) {
        self.console = console
        state = Mutex(State(table: PlanTable(isAligned: console.outputTerminal.isInteractive)))
    }

    /// Begins the next job.
    func begin(_ job: String) {
        state.withLock { state in
            state.job = job
            state.counts = [:]
        }
    }

    /// Prints some items of the current job.
    func print(_ items: [PlannedItem]) {
        state.withLock { state in
            let rows = items.map { item in
                let action = Self.word(for: item.action)
                state.counts[action, default: 0] += 1
                if case .invalid(let reason) = item.action, state.counts[action, default: 0] <= Self.invalidLimit {
                    console.tell("invalid  \(state.job) \(item.title): \(reason)")
                }
                return [item.key, item.title, item.path, action, item.url]
            }
            guard state.fault == nil, !rows.isEmpty else { return }
            do throws(OutputError) {
                try console.output.write(state.table.lines(for: rows))
            } catch {
                state.fault = error
            }
        }
    }

    /// Tells a warning of the current job's source.
    func warn(_ message: String) {
        console.tell("warning  \(state.withLock(\.job)): \(message)")
    }

    /// Ends the current job with its sums: `flags: 239 items: 230 fetch, 9 fresh`.
    func end(isSelection: Bool) {
        state.withLock { state in
            let total = state.counts.values.reduce(0, +)
            guard total > 0 else {
                return console.tell("\(state.job): nothing \(isSelection ? "selected" : "listed")")
            }
            let parts = Self.words.compactMap { word in state.counts[word].map { "\($0) \(word)" } }
            console.tell("\(state.job): \(total) \(total == 1 ? "item" : "items"): \(parts.joined(separator: ", "))")
        }
    }

    /// - Throws: why stdout did not take everything.
    func checkOutput() throws(OutputError) {
        if let fault = state.withLock(\.fault) { throw fault }
    }

    /// The actions with their meanings, in the order of the sums.
    static let actions: [(word: String, meaning: String)] = [
        ("fetch", "in full"), ("ask", "whether what is stored has changed"),
        ("fresh", "nothing is asked: what is stored is fresh"),
        (
            "evicted",
            "nothing is asked: its file has gone to keep within output.max_bytes, and --refresh brings it back"
        ),
        ("duplicate", "gets what another item of the same URL gets"),
        ("not-asked", "failed for good, and it is not yet time to ask again"), ("invalid", "can't be fetched"),
    ]

    private static let words = actions.map(\.word)

    private static func word(for action: PlannedAction) -> String {
        switch action {
        case .fetch: "fetch"
        case .ask: "ask"
        case .fresh: "fresh"
        case .evicted: "evicted"
        case .duplicate: "duplicate"
        case .notAsked: "not-asked"
        case .invalid: "invalid"
        }
    }
}
