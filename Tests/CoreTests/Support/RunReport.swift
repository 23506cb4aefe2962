import SQLite
import Testing

@testable import Model
@testable import Run

/// What a run left: its ending, its events and its rows.
struct RunReport {
    /// An item's row of the run, and the item itself.
    struct Item {
        let transfer: Columns
        let item: Columns

        var outcome: Cell? { transfer["outcome"] }
        var attempts: Cell? { transfer["attempts"] }
        var failure: Cell? { transfer["failure"] }
        var detail: String { transfer["detail"]?.text ?? "" }
        var status: Cell? { transfer["status"] }
        var state: Cell? { item["state"] }
        var path: Cell? { item["path"] }
    }

    let ending: JobEnding
    let events: [RunEvent]
    /// nil when nothing was begun.
    let finished: RunFinished?
    let run: Columns
    let items: [String: Item]

    init(_ ending: JobEnding, events: [RunEvent], bench: Bench) throws {
        self.ending = ending
        self.events = events
        guard case .ran(let finished) = ending else {
            self.finished = nil
            (run, items) = ([:], [:])
            return
        }
        self.finished = finished
        let catalog = try bench.catalog()
        defer { catalog.close() }
        run = try catalog.table("SELECT * FROM run WHERE id = ?", finished.run).first ?? [:]
        var items: [String: Item] = [:]
        for transfer in try catalog.table("SELECT * FROM transfer WHERE run_id = ?", finished.run) {
            let item = try catalog.table("SELECT * FROM item WHERE id = ?", transfer["item_id"]?.integer ?? 0)[0]
            items[item["key"]?.text ?? ""] = Item(transfer: transfer, item: item)
        }
        self.items = items
    }

    subscript(key: String) -> Item {
        get throws { try #require(items[key], "no row for \(key)") }
    }

    var outcome: RunOutcome? { finished?.outcome }

    var warnings: [String] {
        events.compactMap { event in
            if case .warning(let warning) = event { warning.message } else { nil }
        }
    }
}
