/// The help pages, made from the tables of commands and flags. Lines are at most 80 columns wide.
enum HelpText {
    private static let width = 80

    /// `runner --help`.
    static var overview: String {
        var text = """
            Fetches many things from the network, again and again, and keeps a ledger of
            how each fetch went.

            usage: runner JOB...
                   runner COMMAND [FLAG...] [JOB...]

            Commands

            """
        let commands = Command.allCases
        let column = (commands.map { entry(of: $0).count }.max() ?? 0) + 4
        for command in commands {
            text += "  " + padded(entry(of: command), to: column) + command.summary + "\n"
        }
        text += """

            A JOB is a YAML file, or a folder whose *.yaml files all run, side by side.
            runner COMMAND --help says more of a command and its flags.

            """
        return text
    }

    /// `runner COMMAND --help`.
    static func page(of command: Command, flags: [Flag] = FlagTable.all) -> String {
        var text = "runner \(command.rawValue): \(command.summary)\n\nusage: \(command.usage)\n"
        if command == .run { text += "       runner [FLAG...] JOB...\n" }
        for paragraph in command.details {
            text += "\n" + wrapped(paragraph, indent: 0)
        }
        for group in Flag.Group.allCases {
            let members = flags.filter { $0.group == group && $0.commands.contains(command) }
            guard !members.isEmpty else { continue }
            text += "\n\(group.rawValue)\n"
            for flag in members {
                let details = flag.details.map { " " + $0 } ?? ""
                text += "  \(flag.entry)\n" + wrapped(sentence(flag.help) + details, indent: 10)
            }
        }
        text += "\nExit codes\n"
        let column = (command.exits.map(\.code.count).max() ?? 0) + 4
        for (code, meaning) in command.exits {
            text += wrapped(meaning, indent: column, label: "  " + code)
        }
        return text
    }

    private static func entry(of command: Command) -> String {
        [command.rawValue, command.operands.text].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func padded(_ text: String, to column: Int) -> String {
        text + String(repeating: " ", count: max(1, column - text.count))
    }

    /// A help line as a sentence: a capital at the front, unless it begins with a sign, and a full stop.
    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// The text in lines behind a margin of `indent` columns; `label` stands in the margin of the first.
    private static func wrapped(_ text: String, indent: Int, label: String = "") -> String {
        var lines: [String] = []
        var line = label.isEmpty ? String(repeating: " ", count: indent) : padded(label, to: indent)
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent)
            }
            line += (line.count > indent ? " " : "") + word
        }
        lines.append(line)
        return lines.map { $0 + "\n" }.joined()
    }
}
