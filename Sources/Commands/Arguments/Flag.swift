/// One flag: everything the parser, the help and the documentation need to know of it.
struct Flag: Sendable {
    /// Without dashes: `quiet`.
    let name: String
    /// The one-letter form: `q`.
    let letter: Character?
    /// What stands for the value in help; nil for a switch.
    let valueName: String?
    let group: Group
    let isRepeatable: Bool
    /// Whether the value may be left out; it then only follows `=`.
    let isValueOptional: Bool
    let commands: [Command]
    /// One line, lower case, no full stop.
    let help: String
    /// Sentences that follow it in the help of a command.
    let details: String?
    /// Stores the value, empty for a switch; throws what is wanted instead, without the flag's name.
    let apply: @Sendable (String, inout Options) throws(UnwantedValue) -> Void

    /// Its heading in help.
    enum Group: String, CaseIterable, Sendable {
        case selection = "Which items"
        case times = "When"
        case settings = "How"
        case sections = "What to show"
        case output = "Output"
        case general = "General"
    }

    /// A flag that takes a value.
    init(
        _ name: String, _ valueName: String, letter: Character? = nil, in group: Group, isRepeatable: Bool = false,
        isValueOptional: Bool = false, of commands: [Command], help: String, details: String? = nil,
        apply: @escaping @Sendable (String, inout Options) throws(UnwantedValue) -> Void
    ) {
        self.name = name
        self.letter = letter
        self.valueName = valueName
        self.group = group
        self.isRepeatable = isRepeatable
        self.isValueOptional = isValueOptional
        self.commands = commands
        self.help = help
        self.details = details
        self.apply = apply
    }

    /// A flag without a value.
    init(
        switch name: String, letter: Character? = nil, in group: Group, of commands: [Command], help: String,
        details: String? = nil, apply: @escaping @Sendable (inout Options) -> Void
    ) {
        self.name = name
        self.letter = letter
        valueName = nil
        self.group = group
        isRepeatable = false
        isValueOptional = false
        self.commands = commands
        self.help = help
        self.details = details
        self.apply = { (_, options) throws(UnwantedValue) in apply(&options) }
    }

    /// `--limit N`, `--quiet`, `--failed[=REASON,...]`.
    var usage: String {
        if isValueOptional, let valueName { return "--\(name)[=\(valueName)]" }
        return valueName.map { "--\(name) \($0)" } ?? "--\(name)"
    }

    /// `-q, --quiet`: the entry in help.
    var entry: String {
        let letter = letter.map { "-\($0), " } ?? "    "
        return letter + usage
    }
}

extension [Flag] {
    /// The flag of this name that a command takes, else that of another; `run` where there is no command yet.
    func flag(named name: some StringProtocol, of command: Command?) -> Flag? {
        first { $0.name == name && $0.commands.contains(command ?? .run) } ?? first { $0.name == name }
    }
}

/// A flag's value that can't be taken; says what can.
struct UnwantedValue: Error, Equatable {
    /// Follows "must be".
    let wanted: String
    /// Follows the value: what was most likely meant.
    var hint: String?
}
