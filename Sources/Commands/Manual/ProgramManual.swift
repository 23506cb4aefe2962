/// The manual page runner(1).
enum ProgramManual {
    static func write(on page: inout Roff) {
        page.section("Synopsis")
        page.paragraph("`runner` [FLAG...] JOB...")
        for command in Command.allCases { page.paragraph(bold(command.usage)) }
        description(on: &page)
        page.section("Commands")
        for command in Command.allCases { self.command(command, on: &page) }
        page.section("Options")
        for group in Flag.Group.allCases { self.group(group, on: &page) }
        exits(on: &page)
        page.section("Environment")
        for (name, meaning) in environment { page.entry("`\(name)`", meaning) }
        page.section("Files")
        for (name, meaning) in files { page.entry("`\(name)`", meaning) }
        page.section("Examples")
        for example in Command.allCases.flatMap(\.examples) { page.entry("`\(example.line)`", example.meaning) }
        page.section("See also")
        page.paragraph("`runner-job`(5), `cron`(8), `systemd.timer`(5), `sqlite3`(1), `curl`(1)")
    }

    private static func description(on page: inout Roff) {
        page.section("Description")
        page.paragraph(
            """
            runner downloads what job files list, again and again, and records the timing and size of every transfer in a \
            catalog. A job is a YAML file, see runner-job(5): a source that lists items, a directory for the files, \
            limits and retries.
            """)
        page.paragraph(
            """
            The second run sends no request for files that are still fresh, and downloads nothing that has not changed. A \
            run may be killed at any moment: the next one continues, and no partial file is ever left under its name.
            """)
        page.paragraph(
            """
            Data goes to standard output, messages to standard error. Flags take the GNU forms: `--name=value`, \
            `--name value`, `-qv`, and `--` before operands that begin with a dash. If a flag is given \
            several times the last one counts, unless it may be repeated.
            """)
    }

    private static func command(_ command: Command, on page: inout Roff) {
        page.subsection(command.usage)
        page.paragraph(TextLayout.sentence(command.summary))
        for paragraph in command.details { page.paragraph(paragraph) }
    }

    private static func group(_ group: Flag.Group, on page: inout Roff) {
        let flags = FlagTable.all.filter { $0.group == group }
        guard !flags.isEmpty else { return }
        page.subsection(group.rawValue)
        for flag in flags {
            let letter = flag.letter.map { "`-\($0)`, " } ?? ""
            let value = flag.valueName.map { flag.isValueOptional ? "[=\($0)]" : " \($0)" } ?? ""
            let commands =
                flag.commands == Command.allCases ? "all" : flag.commands.map(\.rawValue).joined(separator: ", ")
            let details = flag.details.map { " \($0)" } ?? ""
            page.entry(
                "\(letter)`--\(flag.name)`\(value)",
                "\(TextLayout.sentence(flag.help))\(details) (Commands: \(commands).)")
        }
    }

    private static func exits(on page: inout Roff) {
        page.section("Exit status")
        for command in Command.allCases {
            page.subsection(command.rawValue)
            for (code, meaning) in command.exits { page.entry("`\(code)`", TextLayout.sentence(meaning)) }
        }
        page.paragraph(
            "Several jobs end with the worst of their results: a signal, then 2, 1, 75, 0. A process stopped by a signal ends by it."
        )
    }

    private static func bold(_ usage: String) -> String {
        let words = usage.split(separator: " ")
        return "`\(words.prefix(2).joined(separator: " "))` \(words.dropFirst(2).joined(separator: " "))"
    }

    /// The variables that the program reads.
    static let environment: [(name: String, meaning: String)] = [
        ("RUNNER_DATABASE", "The catalog's file, unless --database names one."),
        (
            "STATE_DIRECTORY",
            "The folder of runner.sqlite if neither of those is given; systemd sets it for a unit with StateDirectory=."
        ),
        ("XDG_STATE_HOME", "The folder of runner/runner.sqlite if none of those is given; default ~/.local/state."),
        (
            "http_proxy, https_proxy, all_proxy, no_proxy",
            "Proxies, unless the job file sets proxy; https_proxy, all_proxy and no_proxy also in capitals."
        ),
        (
            "PAGER",
            "The program that shows a text report on a terminal; less if it is not set, none if it is empty or cat."
        ),
        (
            "LESS",
            "The flags of less; FRSX if it is not set, so that a short report stays on the screen and a wide one scrolls."
        ),
        ("NO_COLOR", "If it is set and not empty, output has no colour."),
        ("TERM", "dumb: no colour, no live screen, no pager."),
        ("COLUMNS", "The width of a terminal that does not report its own."),
        ("TZ", "The time zone of times in reports and in the log."),
        (
            "NOTIFY_SOCKET",
            "The socket on which systemd is sent the progress of a run; programs that runner starts do not inherit it."
        ),
        ("JOURNAL_STREAM", "Tells whether stderr goes to the journal, so that --log journal writes nothing twice."),
    ]

    private static let files: [(name: String, meaning: String)] = [
        (
            "~/.local/state/runner/runner.sqlite",
            "The catalog, unless the environment or --database says otherwise: a SQLite database with the tables job, "
                + "run, collection, item and transfer. It may be read while a run is writing to it."
        ),
        (
            "DIRECTORY/.runner",
            "In each output directory: the run's lock, parts of files that are being downloaded, downloaded "
                + "lists."
        ),
    ]
}
