/// The words of a command line, classified: flags with their values, the command, operands.
struct Words {
    private let arguments: [String]
    private let table: [Flag]
    /// In the order of the command line, with the value of each; empty for a switch.
    private(set) var flags: [(flag: Flag, value: String)] = []
    /// Without the command.
    private(set) var operands: [String] = []
    private(set) var command: Command?
    /// The first operand, where it could be a command: it is not behind `--`.
    private(set) var commandWord: String?
    /// `help` or `version`, the first of them that was given.
    private(set) var request: String?

    init(_ arguments: [String], flags table: [Flag]) {
        self.arguments = arguments
        self.table = table
    }

    /// Reads all words, or those before the first wrong one.
    mutating func split() throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try takeLetters(word.dropFirst(), &rest)
            } else {
                takeOperand(word)
            }
        }
    }

    private mutating func takeOperand(_ word: String) {
        if commandWord == nil, operands.isEmpty {
            commandWord = word
            command = Command(rawValue: word)
            if command != nil { return }
        }
        operands.append(word)
    }

    private mutating func takeLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let name = String(text.prefix { $0 != "=" })
        let attached = text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) }
        guard let flag = table.flag(named: name, of: command) else { throw unknown("--\(name)", name) }
        if flag.valueName == nil, let attached {
            throw UsageError(message: "--\(name) takes no value, but has '\(attached)'", usage: usage(of: flag))
        }
        try take(flag, attached, &rest)
    }

    private mutating func takeLetters(_ letters: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let flag = table.first(where: { $0.letter == letter }) else {
                throw unknown("-\(letter)", String(letter) + letters)
            }
            if flag.valueName != nil, !letters.isEmpty {
                return try take(flag, String(letters), &rest)
            }
            try take(flag, nil, &rest)
        }
    }

    private mutating func take(
        _ flag: Flag, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        guard let valueName = flag.valueName else {
            flags.append((flag, ""))
            if flag.name == FlagTable.help.name || flag.name == FlagTable.version.name {
                request = request ?? flag.name
            }
            return
        }
        if flag.isValueOptional, attached == "" {
            throw UsageError(
                message:
                    "--\(flag.name)= has no value; give --\(flag.name)=\(valueName), or --\(flag.name) alone for all",
                usage: usage(of: flag))
        }
        guard let value = attached ?? (flag.isValueOptional ? "" : rest.popFirst()) else {
            throw UsageError(message: "--\(flag.name) needs a value: \(valueName)", usage: usage(of: flag))
        }
        flags.append((flag, value))
    }

    private func unknown(_ written: String, _ name: String) -> UsageError {
        // Flags of the command first, so that a near miss is not answered with one that it does not take.
        let own = table.filter { flag in command.map(flag.commands.contains) ?? true }.map(\.name)
        let nearest = likeliest(of: own, for: name) ?? likeliest(of: table.map(\.name), for: name)
        let hint = nearest.map { "; did you mean --\($0)?" } ?? ""
        let subject = command ?? .run
        return UsageError(
            message: "unknown flag \(written)\(hint)", usage: "\(subject.usage), see runner \(subject.rawValue) --help")
    }

    private func usage(of flag: Flag) -> String {
        let command = command.flatMap { flag.commands.contains($0) ? $0 : nil } ?? flag.commands.first ?? .run
        return command.usage(flags: flag.usage)
    }
}
