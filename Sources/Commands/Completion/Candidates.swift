import Reports

/// The completions of a word.
struct Candidates: Equatable, Sendable {
    /// Which files may complete it, which the shell knows best itself.
    enum Files: String, Sendable {
        case none, all
        /// YAML files, and folders.
        case jobs
    }

    /// A text, and what it means where the shell can show that.
    struct Word: Equatable, Sendable {
        /// As it is typed, before any quoting; something is still to follow one that ends with `=`.
        let text: String
        let help: String

        init(_ text: String, _ help: String = "") {
            self.text = text
            self.help = help
        }
    }

    var files = Files.none
    var words: [Word] = []

    static let none = Candidates()

    /// Those that begin with what was typed.
    func beginning(with typed: String) -> Candidates {
        Candidates(files: files, words: words.filter { $0.text.hasPrefix(typed) })
    }

    /// With a text before each word: the flag in `--format=json`.
    func behind(_ prefix: String) -> Candidates {
        Candidates(files: files, words: words.map { Word(prefix + $0.text, $0.help) })
    }

    /// What the scripts of `runner completions` read: which files, then a line for each word, its help behind a tab.
    ///
    /// A text that no line can hold is left out.
    var lines: String {
        let safe = words.filter { displayable($0.text) == $0.text }
        return files.rawValue + "\n" + safe.map { "\($0.text)\t\(displayable($0.help))\n" }.joined()
    }
}
