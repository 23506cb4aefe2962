import Reports
import Run

/// Lays a session out on a screen: the collections, the files in flight, the sums, the keys. Without state, clock and
/// output: the same model at the same time on the same screen gives the same rows.
struct RunLayout {
    /// How much a second comes, over the last seconds; nil before anything could be measured.
    struct Rates: Equatable, Sendable {
        var items: Double?
        var bytes: Double?
    }

    /// What the keyboard can do.
    enum Keys: Sendable {
        /// There is none.
        case none
        case hint
        /// All keys, a row each.
        case help
    }

    let model: RunModel
    let size: ScreenSize
    /// Microseconds of the display's clock.
    let time: Int64
    let rates: Rates
    let keys: Keys
    /// Of this model and earlier ones.
    let widths: NameWidths
    /// Microseconds since the session began; nil where that is not shown.
    var elapsed: Int64?

    init(
        model: RunModel, size: ScreenSize, time: Int64, rates: Rates, keys: Keys, widths: NameWidths? = nil,
        elapsed: Int64? = nil
    ) {
        self.model = model
        self.size = size
        self.time = time
        self.rates = rates
        self.keys = keys
        self.widths = widths ?? NameWidths(model)
        self.elapsed = elapsed
    }

    /// One column stays free, so that no terminal wraps a row.
    var width: Int { max(1, size.columns - 1) }

    /// At most one row less than the screen has: the cursor's.
    func rows() -> [Row] {
        let budget = max(1, size.rows - 1)
        let totals = totalsRows(atMost: budget >= 8 ? 2 : 1)
        // The sums come first, then paused hosts, keys, collections and files, as far as there is room.
        var left = budget - totals.count
        let held = stopRows(atMost: left) + heldRows(atMost: min(2, max(0, left - 3)))
        left -= held.count
        let keyRows = left >= 5 ? keyRows(atMost: left - 4) : []
        left -= keyRows.count
        let (collections, files) = shares(of: left)
        let upper = collectionRows(collections)
        var lower = fileRows(files)
        lower += retryRows(atMost: left - upper.count - lower.count)
        let spare = left - upper.count - lower.count
        // Where there is room to spare an empty row parts what differs.
        let gaps = [!upper.isEmpty && !lower.isEmpty, !upper.isEmpty || !lower.isEmpty]
        let isAiry = spare >= gaps.count { $0 } && size.rows >= 12
        var rows = upper
        if isAiry, gaps[0] { rows.append(.empty) }
        rows += lower
        if isAiry, gaps[1] { rows.append(.empty) }
        rows += totals + held + keyRows
        return size.columns < Self.least ? rows.map { $0.clipped(to: width) } : rows
    }

    /// Columns that the rows are made for; narrower screens show what is left of them.
    private static let least = 30

    /// Rows for collections and for files: what they want, else each at least half.
    private func shares(of rows: Int) -> (collections: Int, files: Int) {
        let collections = model.collections.entries.count
        let files = model.files.places.count
        guard collections + files > rows else { return (collections, files) }
        let forFiles = min(files, max(rows / 2, rows - collections))
        return (min(collections, rows - forFiles), forFiles)
    }

    // MARK: Below

    private func totalsRows(atMost count: Int) -> [Row] {
        let name = DisplayName(model.name)
        let totals = TotalsText(model, itemRate: rates.items, byteRate: rates.bytes, elapsed: elapsed)
        // The name goes where it would take half of a line.
        let lead = name.width + 2 <= width / 2 ? name.width + 2 : 0
        return totals.wrapped(lead: lead, columns: width, lines: count).enumerated().map { index, parts in
            var row = Row()
            var column = 0
            if index == 0, lead > 0 {
                row.add(name.fitted(to: lead) + ":", at: 0)
                column = lead
            }
            for (place, part) in parts.enumerated() {
                let text = part.text + (place < parts.count - 1 ? "," : "")
                guard column + part.text.count <= width else {
                    row.add(cut(part.text, toWidth: max(1, width - column)), at: column, part.style)
                    break
                }
                row.add(text, at: column, part.style)
                column += text.count + 1
            }
            return row
        }
    }

    /// That the run is being stopped, how long what is in flight has left, and what ends it at once.
    private func stopRows(atMost count: Int) -> [Row] {
        guard count > 0, let grace = model.grace(at: time) else { return [] }
        let seconds = wholeSecondsText((grace + 999_999) / 1_000_000)
        let way = keys == .none ? "a second signal" : "q"
        let text =
            grace == 0
            ? "stopping at once" : "stopping: what is in flight may end within \(seconds), \(way) stops it at once"
        return [Row(cut(text, toWidth: width), style: .caution)]
    }

    private func heldRows(atMost count: Int) -> [Row] {
        let holds = model.holds(at: time)
        guard count > 0, !holds.isEmpty else { return [] }
        let texts = holds.map { hold in
            let seconds = (hold.until - time + 999_999) / 1_000_000
            return "\(hold.host) for \(wholeSecondsText(seconds)) (\(hold.reason.words))"
        }
        let shown = texts.count > count ? Array(texts.prefix(count - 1)) : texts
        var rows = shown.map { Row(cut("paused: " + $0, toWidth: width), style: .caution) }
        if shown.count < texts.count {
            rows.append(Row(cut("paused: \(texts.count - shown.count) hosts", toWidth: width), style: .caution))
        }
        return rows
    }

    private func keyRows(atMost count: Int) -> [Row] {
        let number = model.concurrency.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        // More than that to one host would break what the job file says.
        let limit = model.perHost.map { ", per_host \($0)" } ?? ""
        let concurrency = number.map { " (\($0)\(limit))" }
        if let grace = model.grace(at: time) { return stoppingKeyRows(atMost: count, isOver: grace == 0) }
        let pause = model.isPaused ? "resume" : "pause"
        switch keys {
        case .none: return []
        case .hint:
            let hints = ["p \(pause)", "+/- concurrency\(concurrency ?? "")", "q stop", "? help"]
            var text = hints.joined(separator: "   ")
            if text.count > width { text = hints.filter { !$0.hasPrefix("+") }.joined(separator: "  ") }
            return [Row(cut(text, toWidth: width), style: .faint)]
        case .help:
            var lines = [
                "p    \(pause): what is in flight may end, nothing new begins",
                "+ -  more or fewer items in flight\(concurrency ?? "")",
            ]
            if !limit.isEmpty { lines.append("     to one host at most what the job file says") }
            lines += [
                "q    stop: what is in flight may end; again: at once",
                "^L   draw anew", "?    hide this",
            ]
            return lines.prefix(max(1, count)).map { Row(cut($0, toWidth: width), style: .faint) }
        }
    }

    /// The keys that do something while the run is being stopped.
    private func stoppingKeyRows(atMost count: Int, isOver: Bool) -> [Row] {
        let stop = isOver ? [] : ["q stop at once"]
        switch keys {
        case .none: return []
        case .hint: return [Row(cut((stop + ["? help"]).joined(separator: "   "), toWidth: width), style: .faint)]
        case .help:
            let lines = (isOver ? [] : ["q    stop at once"]) + ["^L   draw anew", "?    hide this"]
            return lines.prefix(max(1, count)).map { Row(cut($0, toWidth: width), style: .faint) }
        }
    }
}
