import Reports
import Run
import Synchronization

/// Prints the plans of jobs, one after the other, page by page from whatever thread lists them.
final class PlanPrinter: Sendable {
    private static let headings = ["key", "title", "path", "action", "url"]
    /// Entries of a job that can't be fetched and are explained one by one.
    private static let invalidLimit = 50

    private struct State {
        var job = ""
        var table: TextTable
        var counts: [PlanWord: Int] = [:]
        /// Why stdout takes nothing more.
        var fault: OutputError?
    }

    private let console: Console
    private let state: Mutex<State>

    init(console: Console) {
        self.console = console
        state = Mutex(State(table: TextTable(Self.headings, isAligned: console.outputTerminal.isInteractive)))
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
                let word = PlanWord(item.action)
                state.counts[word, default: 0] += 1
                if case .invalid(let reason) = item.action, state.counts[word, default: 0] <= Self.invalidLimit {
                    console.tell("invalid  \(state.job) \(item.title): \(reason)")
                }
                return [item.key, item.title, item.path, word.rawValue, item.url]
            }
            guard state.fault == nil, !rows.isEmpty else { return }
            do throws(OutputError) {
                try console.output.write(state.table.lines(for: rows))
            } catch {
                state.fault = error
            }
        }
    }

    /// Reports a warning of the current job's source.
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
            let parts = PlanWord.allCases.compactMap { word in state.counts[word].map { "\($0) \(word.rawValue)" } }
            console.tell("\(state.job): \(total) \(total == 1 ? "item" : "items"): \(parts.joined(separator: ", "))")
        }
    }

    /// - Throws: why stdout did not take everything.
    func checkOutput() throws(OutputError) {
        if let fault = state.withLock(\.fault) { throw fault }
    }
}

/// What a plan says of an item, in the order of the sums.
enum PlanWord: String, CaseIterable {
    case fetch, ask, fresh, evicted, duplicate
    case notAsked = "not-asked"
    case invalid

    init(_ action: PlannedAction) {
        self =
            switch action {
            case .fetch: .fetch
            case .ask: .ask
            case .fresh: .fresh
            case .evicted: .evicted
            case .duplicate: .duplicate
            case .notAsked: .notAsked
            case .invalid: .invalid
            }
    }

    /// What a run would do.
    var meaning: String {
        switch self {
        case .fetch: "in full"
        case .ask: "whether what is stored has changed"
        case .fresh: "nothing is asked: what is stored is fresh"
        case .evicted:
            "nothing is asked: its file has gone to keep within output.max_bytes, and --refresh brings it back"
        case .duplicate: "gets what another item of the same URL gets"
        case .notAsked: "failed permanently, and is not due for a retry yet"
        case .invalid: "can't be fetched"
        }
    }
}
