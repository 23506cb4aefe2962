import Reports

/// Rows as lines, one an item.
///
/// For a terminal columns are aligned under a heading, by the items of the first batch; longer values of later ones
/// push their line to the right. Elsewhere fields are separated by tabs, so that `cut -f` finds them.
struct TextTable: Sendable {
    private let isAligned: Bool
    private let headings: [String]
    /// Of the columns before the last; nil before the first batch.
    private var widths: [Int]?

    init(_ headings: [String], isAligned: Bool) {
        self.isAligned = isAligned
        self.headings = headings
    }

    /// The lines of some more items.
    mutating func lines(for rows: [[String]]) -> String {
        let rows = rows.map { $0.map(displayable) }
        guard isAligned else { return rows.map { $0.joined(separator: "\t") + "\n" }.joined() }
        var text = ""
        if widths == nil {
            let all = [headings] + rows
            widths = (0..<headings.count - 1).map { column in all.map { displayWidth(of: $0[column]) }.max() ?? 0 }
            text = line(headings)
        }
        return text + rows.map(line).joined()
    }

    private func line(_ row: [String]) -> String {
        var text = ""
        for (value, width) in zip(row, widths ?? []) {
            text += value + String(repeating: " ", count: max(0, width - displayWidth(of: value)) + 2)
        }
        return text + (row.last ?? "") + "\n"
    }
}
