/// The help pages, made from the tables of commands and flags. Lines are at most 80 columns wide.
enum HelpText {
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
        let column = (commands.map { entry(of: $0).count }.max() ?? 0) + 2
        for command in commands {
            text += TextLayout.wrapped(command.summary, indent: column, label: "  " + entry(of: command))
        }
        text += """

            A JOB is a YAML file, or a folder whose *.yaml files all run, side by side.
            runner help COMMAND says more of a command and its flags, runner sources TYPE of
            a source, and man 5 runner-job of every key of a job file.

            """
        return text
    }

    /// `runner COMMAND --help`.
    static func page(of command: Command, flags: [Flag] = FlagTable.all) -> String {
        var text = "runner \(command.rawValue): \(command.summary)\n\nusage: \(command.usage)\n"
        if command == .run { text += "       runner [FLAG...] JOB...\n" }
        for paragraph in command.details {
            text += "\n" + TextLayout.wrapped(paragraph, indent: 0)
        }
        for group in Flag.Group.allCases {
            let members = flags.filter { $0.group == group && $0.commands.contains(command) }
            guard !members.isEmpty else { continue }
            text += "\n\(group.rawValue)\n"
            for flag in members {
                let details = flag.details.map { " " + $0 } ?? ""
                text += "  \(flag.entry)\n" + TextLayout.wrapped(TextLayout.sentence(flag.help) + details, indent: 10)
            }
        }
        if !command.examples.isEmpty { text += "\nExamples\n" }
        for (line, meaning) in command.examples {
            text += "  \(line)\n" + TextLayout.wrapped(meaning, indent: 10)
        }
        text += "\nExit codes\n"
        let column = (command.exits.map(\.code.count).max() ?? 0) + 4
        for (code, meaning) in command.exits {
            text += TextLayout.wrapped(meaning, indent: column, label: "  " + code)
        }
        return text
    }

    private static func entry(of command: Command) -> String {
        [command.rawValue, command.operands.text].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
