import Foundation
import Testing

/// `docs/contract.md`, with its tables between `<!-- table: NAME -->` and `<!-- end -->`.
struct ContractDocument {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/contract.md").standardizedFileURL

    private var text: String

    init() throws {
        text = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
    }

    /// The names of all tables, in order.
    var names: [String] {
        text.split(separator: "\n").compactMap { line in
            line.hasPrefix("<!-- table: ") ? String(line.dropFirst(12).dropLast(4)) : nil
        }
    }

    /// The lines between the comments; nil when there is no such table.
    subscript(name: String) -> String? { range(of: name).map { String(text[$0]) } }

    /// Puts a table into the file.
    mutating func update(_ name: String, _ table: String) throws {
        guard let range = range(of: name) else { return }
        text.replaceSubrange(range, with: table)
        try Data(text.utf8).write(to: Self.file)
    }

    private func range(of name: String) -> Range<String.Index>? {
        guard let begin = text.range(of: "<!-- table: \(name) -->\n"),
            let end = text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex)
        else { return nil }
        return begin.upperBound..<end.lowerBound
    }
}

/// A table in Markdown.
func markdown(_ headings: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return line(headings) + "|" + String(repeating: " --- |", count: headings.count) + "\n" + rows.map(line).joined()
}
