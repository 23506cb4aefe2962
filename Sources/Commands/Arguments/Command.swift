/// A word that may follow `runner`. The table of commands: help, usage lines and documentation come from here.
enum Command: String, CaseIterable, Sendable {
    case run, check, plan, report, sources, doctor, help

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .run: "fetch what job files list; `run` itself may be left out"
        case .check: "validate job files, without the network"
        case .plan: "list what a run would fetch and where it would put it"
        case .report: "read the catalog: runs, timings, sizes, failures"
        case .sources: "the source modules, and the options of one"
        case .doctor: "say what is wrong with this machine"
        case .help: "the help of a command"
        }
    }

    /// What stands on the command line beside flags.
    var operands: Operands {
        switch self {
        case .run, .check: Operands(text: "JOB...", count: 1...Int.max)
        case .plan: Operands(text: "JOB", count: 1...1)
        case .report: Operands(text: "[JOB...]", count: 0...Int.max)
        case .sources: Operands(text: "[TYPE]", count: 0...1)
        case .doctor: Operands(text: "", count: 0...0)
        case .help: Operands(text: "[COMMAND]", count: 0...1)
        }
    }

    /// The paragraphs of `runner COMMAND --help` between the usage line and the flags.
    var details: [String] {
        switch self {
        case .run:
            [
                "JOB is a YAML file, or a folder whose *.yaml files all run, side by side. "
                    + "All job files are checked before anything runs.",
                "A second run asks for nothing that is still fresh. The first SIGINT, SIGTERM or SIGHUP lets transfers "
                    + "in flight end, the second stops at once; the next run goes on from there.",
            ]
        case .check:
            [
                "Reports every fault of every file with its line, and the name of each job that is sound. "
                    + "JOB is a YAML file, or a folder of *.yaml files."
            ]
        case .plan:
            [
                "Asks the source for its list and prints an item a line: key, title, path, action, URL. The action is "
                    + "fetch, ask (the server is asked whether it changed), fresh, duplicate, not-asked or invalid. "
                    + "No item is downloaded, and the catalog stays as it is. Into a pipe or a file the fields are separated by tabs, without a heading."
            ]
        case .report:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. "
                    + "Shows the last run of each job unless --run or --since says otherwise."
            ]
        case .sources:
            ["With TYPE: every option of that module, its type, its default, and the fields of its path templates."]
        case .doctor:
            ["Each line is ok, a warning or a problem with what to do about it."]
        case .help:
            []
        }
    }

    /// The exit codes and what they mean, smallest first.
    var exits: [(code: String, meaning: String)] {
        let usage = ("64", "wrong usage")
        return switch self {
        case .run:
            [
                ("0", "every selected item is stored, or no more failed than allow_failed permits"),
                ("1", "some items failed, or the deadline cut the run"),
                ("2", "the list could not be begun or ended early; a disk or catalog fault"), usage,
                ("75", "another run holds the job's lock"),
                ("78", "a job file is invalid or missing; nothing ran"),
                ("129, 130, 143", "stopped by SIGHUP, SIGINT, SIGTERM"),
            ]
        case .check: [("0", "every job is sound"), usage, ("78", "a job file is invalid or missing")]
        case .plan:
            [
                ("0", "the list is whole"), ("2", "the list could not be begun or ended early; a catalog fault"), usage,
                ("78", "the job file is invalid or missing"),
            ]
        case .report:
            [
                ("0", "the report was written"), ("2", "the catalog is missing, newer or unreadable"),
                ("64", "wrong usage, or a job or run that the catalog does not know"),
            ]
        case .sources, .help: [("0", "printed"), usage]
        case .doctor: [("0", "no problem, perhaps warnings"), ("1", "a problem"), usage]
        }
    }

    /// The line of usage: `runner plan [FLAG...] JOB`.
    var usage: String {
        usage(flags: self == .help ? "" : "[FLAG...]")
    }

    /// The line of usage with one flag in it, the one that was given wrongly.
    func usage(flags: String) -> String {
        ["runner", rawValue, flags, operands.text].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Operands of a command: their form, and how many there may be.
    struct Operands: Sendable {
        let text: String
        let count: ClosedRange<Int>
    }
}
