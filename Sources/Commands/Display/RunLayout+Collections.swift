import Core
import Reports

extension RunLayout {
    /// Columns of a collection's row. What does not fit is left out: the bar, then the state.
    private struct Columns {
        var name: Int
        var state: Int?
        var bar: Int?
        var cells = 0
        var counts: Int
        var countsWidth: Int
    }

    /// A row for each collection; where there are more than rows, the last one sums up the others.
    func collectionRows(_ count: Int) -> [Row] {
        let list = model.collections
        guard count > 0, !list.entries.isEmpty else { return [] }
        let columns = columns()
        guard list.entries.count > count else { return list.entries.map { row($0, columns) } }
        let chosen = list.chosen(count - 1)
        return chosen.map { row(list.entries[$0], columns) } + [rest(chosen)]
    }

    private func columns() -> Columns {
        let list = model.collections
        let digits = "\(list.largestTotal)".count
        // `120 of 240+`
        let counts = 2 * digits + 5
        let state = list.mostFailed > 0 ? "finished, \(list.mostFailed) failed".count : "downloading".count
        let prefix = model.jobs.count > 1 ? (model.jobs.map(\.name.count).max() ?? 0) + 2 : 0
        let wanted = max(8, min(60, prefix + widths.collection))
        var free = width - counts - 2 - state - 2
        guard free >= 8 else {
            free = max(1, width - counts - 2)
            let name = min(wanted, free)
            return Columns(name: name, counts: name + 2, countsWidth: counts)
        }
        // The bar takes what names leave, and something of them where they are very long.
        let cells = min(40, free - min(wanted, max(24, free - 24)) - 4)
        guard cells >= 8 else {
            let name = min(wanted, free)
            return Columns(name: name, state: name + 2, counts: name + 2 + state + 2, countsWidth: counts)
        }
        let name = min(wanted, free - cells - 4)
        let bar = name + 2 + state + 2
        return Columns(
            name: name, state: name + 2, bar: bar, cells: cells, counts: bar + cells + 4, countsWidth: counts)
    }

    private func row(_ entry: CollectionList.Entry, _ columns: Columns) -> Row {
        var row = Row()
        var column = 0
        if model.jobs.count > 1 {
            let room = columns.name - 2 - min(16, widths.collection)
            let job = cut(model.jobs[entry.job].name, toWidth: max(4, room))
            row.add(job + ":", at: 0)
            column = displayWidth(of: job) + 2
        }
        if column < columns.name { row.add(DisplayName(entry.title).fitted(to: columns.name - column), at: column) }
        let (state, style) = words(entry)
        if let column = columns.state { row.add(state, at: column, style) }
        if let column = columns.bar {
            let filled = entry.total > 0 ? min(columns.cells, columns.cells * entry.done / entry.total) : 0
            let isEmptyAndOver = entry.total == 0 && entry.state == .finished
            let signs = isEmptyAndOver ? columns.cells : filled
            row.add(
                "[" + String(repeating: "#", count: signs) + String(repeating: "-", count: columns.cells - signs) + "]",
                at: column)
        }
        let counts = "\(entry.done) of \(entry.total)\(entry.isListed ? "" : "+")"
        row.add(counts, at: columns.counts + max(0, columns.countsWidth - counts.count - (entry.isListed ? 1 : 0)))
        return row
    }

    private func words(_ entry: CollectionList.Entry) -> (String, Style) {
        let job = model.jobs[entry.job]
        switch entry.state {
        case .finished:
            return entry.failed > 0 ? ("finished, \(entry.failed) failed", .bad) : ("finished", .good)
        case .stopped: return ("stopped", .caution)
        case .queued, .downloading:
            if job.isPaused || entry.isPaused { return ("paused", .caution) }
            return entry.state == .queued ? ("queued", .faint) : ("downloading", .plain)
        }
    }

    private func rest(_ chosen: [Int]) -> Row {
        var counts = model.collections.counts
        for place in chosen { counts[model.collections.entries[place].state, default: 0] -= 1 }
        func part(_ word: String, _ states: CollectionList.State...) -> String? {
            let count = states.reduce(0) { $0 + counts[$1, default: 0] }
            return count > 0 ? "\(count) \(word)" : nil
        }
        let isPaused = model.jobs.allSatisfy { $0.isPaused || $0.isFinished }
        let open =
            isPaused
            ? [part("paused", .downloading, .queued)] : [part("downloading", .downloading), part("queued", .queued)]
        let parts = (open + [part("finished", .finished), part("stopped", .stopped)]).compactMap { $0 }
        let text = "and \(model.collections.entries.count - chosen.count) more: " + parts.joined(separator: ", ")
        return Row(cut(text, toWidth: width), style: .faint)
    }
}
