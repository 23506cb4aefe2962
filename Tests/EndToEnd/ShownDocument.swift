import Foundation

/// What a document shows: the files that a reader writes, and sessions, whose commands are run and whose output is compared.
///
/// A comment before a code block says which it is: `<!-- file: NAME -->`, `<!-- session: NAME -->`.
struct ShownDocument {
    /// Of the project.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    let path: String
    private(set) var text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.folder.appending(path: path), encoding: .utf8)
    }

    /// README.md, and the pages of docs.
    static func all() throws -> [ShownDocument] {
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "docs").path())
        return try (["README.md"] + pages.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }).map(Self.init)
    }

    /// The code block behind a comment; nil where there is none.
    func block(_ comment: String) -> String? { place(of: comment).map { String(text[$0]) } }

    /// The names of its sessions.
    var sessions: [String] {
        text.matches(of: /<!-- session: ([a-z]+) -->/).map { String($0.1) }
    }

    /// The blocks with a command and its output that no comment names.
    var unnamedSessions: [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var unnamed: [String] = []
        var opening: Int?
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                opening = opening == nil ? index : nil
            } else if let start = opening, line.hasPrefix("$ "),
                start == 0 || !lines[start - 1].hasPrefix("<!-- session: ")
            {
                unnamed.append("\(path): \(line)")
            }
        }
        return unnamed
    }

    /// The commands of a session: the words behind `$ runner`.
    func commands(ofSession name: String) -> [[String]] {
        (block("session: \(name)") ?? "").split(separator: "\n").filter { $0.hasPrefix("$ runner ") }
            .map { $0.dropFirst("$ runner ".count).split(separator: " ").map(String.init) }
    }

    /// What differs between a session and what its commands printed; with `UPDATE_GOLDEN=1` the document is written instead.
    ///
    /// - Parameter printed: the lines with the commands among them. Where the session begins its output with `…`, lines are
    ///   left out before the one that follows in the document.
    mutating func differences(ofSession name: String, printed: String) throws -> [String] {
        guard let place = place(of: "session: \(name)") else { return ["\(path) has no session \(name)"] }
        let shown = String(text[place])
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1", !shown.contains("\n…\n") {
            text.replaceSubrange(place, with: printed)
            try Data(text.utf8).write(to: Self.folder.appending(path: path))
            return []
        }
        let (wanted, got) = (Self.shapes(shown), Self.shapes(printed))
        let missing = wanted.filter { !got.contains($0) && $0 != "…" }
        let further = shown.contains("\n…\n") ? [] : got.filter { !wanted.contains($0) }
        let counts = shown.contains("\n…\n") || wanted == got ? [] : ["other lines, or as many others of a kind"]
        return missing.map { "not printed: \($0)" } + further.map { "not shown: \($0)" } + counts
    }

    private func place(of comment: String) -> Range<String.Index>? {
        guard let start = text.range(of: "<!-- \(comment) -->\n```"),
            let begin = text.range(of: "\n", range: start.upperBound..<text.endIndex),
            let end = text.range(of: "```", range: begin.upperBound..<text.endIndex)
        else { return nil }
        return begin.upperBound..<end.lowerBound
    }

    /// The lines with figures, their units and their spacing taken out, sorted; without the bars of histograms, of which
    /// there are more or fewer.
    private static func shapes(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.contains(" –  ") }.map { line in
            line.replacing(/[0-9][0-9.:+-]*( (B|kB|MB|s|ms|µs)\b)?/, with: "#").split(separator: " ").joined(
                separator: " ")
        }.sorted()
    }
}
