/// The words of an unfinished command line before the one being completed. It is read as ``ArgumentParser``
/// reads a finished one, but nothing in it is wrong.
struct TypedLine {
    private(set) var command: Command?
    private(set) var operands: [String] = []
    /// The flags that were given, with the last value of each; empty for a switch.
    private(set) var values: [String: String] = [:]
    /// The flag whose value comes next.
    private(set) var pending: Flag?
    /// Whether `--` was met, after which nothing is a flag.
    private(set) var isOperandsOnly = false

    init(_ words: some Sequence<String>, flags: [Flag]) {
        for word in words {
            if let flag = pending {
                values[flag.name] = word
                pending = nil
            } else if isOperandsOnly {
                operands.append(word)
            } else if word == "--" {
                isOperandsOnly = true
            } else if word.hasPrefix("--") {
                takeLong(word.dropFirst(2), flags)
            } else if word.hasPrefix("-"), word != "-" {
                takeLetters(word.dropFirst(), flags)
            } else if command == nil, operands.isEmpty, let command = Command(rawValue: word) {
                self.command = command
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func takeLong(_ text: Substring, _ flags: [Flag]) {
        let name = text.prefix { $0 != "=" }
        guard let flag = flags.flag(named: name, of: command) else { return }
        if flag.valueName == nil {
            values[flag.name] = ""
        } else if name.endIndex < text.endIndex {
            values[flag.name] = String(text[text.index(after: name.endIndex)...])
        } else {
            pending = flag
        }
    }

    private mutating func takeLetters(_ letters: Substring, _ flags: [Flag]) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let flag = flags.first(where: { $0.letter == letter }) else { continue }
            guard flag.valueName != nil else {
                values[flag.name] = ""
                continue
            }
            if letters.isEmpty { pending = flag } else { values[flag.name] = String(letters) }
            return
        }
    }
}
