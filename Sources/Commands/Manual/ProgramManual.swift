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
            runner fetches what job files list, again and again, and writes the timing and size of every transfer into \
            a catalog. A job is a YAML file, see runner-job(5): a source that lists items, a directory for the files, \
            and how hard to work.
            """)
        page.paragraph(
            """
            The second run asks for nothing that the server said is still fresh, and gets no byte of what has not \
            changed. A run may be killed at any moment: the next one goes on, and no file is ever half.
            """)
        page.paragraph(
            """
            Data goes to standard output, words for people to standard error. Flags take GNU's forms: `--name=value`, \
            `--name value`, `-qv`, and `--` before operands that begin with a dash. Of a flag given several times the \
            last counts, unless it may be repeated.
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
                "\(letter)`--\(flag.name)`\(value)", "\(TextLayout.sentence(flag.help))\(details) (Of \(commands).)")
        }
    }

    private static func exits(on page: inout Roff) {
        page.section("Exit status")
        for command in Command.allCases {
            page.subsection(command.rawValue)
            for (code, meaning) in command.exits { page.entry("`\(code)`", TextLayout.sentence(meaning)) }
        }
        page.paragraph(
            "Of several jobs the worst counts: a signal, then 2, 1, 75, 0. A process that a signal stopped ends by it.")
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
            "The folder of runner.sqlite where neither of those is given; systemd sets it for a unit with StateDirectory=."
        ),
        ("XDG_STATE_HOME", "The folder of runner/runner.sqlite where none of those is given; else ~/.local/state."),
        (
            "http_proxy, https_proxy, all_proxy, no_proxy",
            "Proxies, unless the job file names one or none; https_proxy, all_proxy and no_proxy also in capitals."
        ),
        (
            "PAGER",
            "The program that shows a text report on a terminal; less where it is not set, none where it is empty or cat."
        ),
        (
            "LESS",
            "The flags of less; FRSX where it is not set, so that a short report stays and a wide one is scrolled."
        ),
        ("NO_COLOR", "Where it is set and not empty nothing is coloured."),
        ("TERM", "dumb: nothing is coloured, moved or paged."),
        ("COLUMNS", "The width of a terminal that does not tell it."),
        ("TZ", "The time zone of times in reports and in the log."),
        ("NOTIFY_SOCKET", "Where systemd is told how far a run is; the programs that it starts do not have it."),
        ("JOURNAL_STREAM", "Whether stderr leads to the journal: --log journal then writes nothing twice."),
    ]

    private static let files: [(name: String, meaning: String)] = [
        (
            "~/.local/state/runner/runner.sqlite",
            "The catalog, unless the environment or --database says otherwise: a SQLite database with the tables job, "
                + "run, collection, item and transfer. It may be read while a run writes it."
        ),
        (
            "DIRECTORY/.runner",
            "In each output directory: the lock of its run, parts of files that are on their way, lists that were "
                + "downloaded."
        ),
    ]
}
