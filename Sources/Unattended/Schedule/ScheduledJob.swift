/// What units and crontabs need to know of the jobs that they run.
package struct ScheduledJob: Sendable {
    /// In names of units, and for people.
    package var name: String
    /// Absolute.
    package var executable: String
    /// The job file or folder, absolute.
    package var operand: String
    package var cadence: Cadence
    /// Seconds.
    package var jitter: Int64
    /// Microseconds.
    package var deadline: Int64?
    package var wait: Int64?
    /// nil: where the program looks by itself.
    package var database: String?
    /// Folders that the jobs write to beside the catalog, absolute.
    package var writes: [String] = []
    /// Files and folders that they read, absolute.
    package var reads: [String] = []
    package var hasMedia = false
    /// Whether they start programs of the operator's, which may make code while they run.
    package var hasPrograms = false
    /// What job files use of the environment.
    package var variables: [String] = []
    /// Variables that the program itself is to have, such as `RUNNER_MEDIA`.
    package var environment: [(name: String, value: String)] = []
    /// Who runs it; nil for the user's own service manager or crontab.
    package var user: String?

    package init(name: String, executable: String, operand: String, cadence: Cadence, jitter: Int64) {
        self.name = name
        self.executable = executable
        self.operand = operand
        self.cadence = cadence
        self.jitter = jitter
    }

    /// The command line; cron delays by itself, a timer need not.
    func words(hasJitter: Bool, log: Bool) -> [String] {
        var words = [executable, "run", "--quiet"]
        if log { words += ["--log", "journal"] }
        if hasJitter, jitter > 0 { words += ["--jitter", Self.text(jitter * 1_000_000)] }
        if let deadline { words += ["--deadline", Self.text(deadline)] }
        if let wait { words += ["--wait", Self.text(wait)] }
        if let database { words += ["--database", database] }
        return words + [operand]
    }

    /// A time as flags take it.
    static func text(_ microseconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "m"), (1_000_000, "s"),
        ]
        for (unit, name) in units where microseconds % unit == 0 { return "\(microseconds / unit)\(name)" }
        return "\(microseconds / 1_000)ms"
    }

    /// Whether a path is below one of these folders.
    func isAnyPath(below folders: [String]) -> Bool {
        (writes + reads + [executable, operand] + (database.map { [$0] } ?? [])).contains { path in
            folders.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
    }
}

/// A file that `schedule` makes.
package struct ScheduleFile: Sendable, Hashable {
    package let name: String
    package let text: String

    /// The first words of each: what has them may be replaced.
    package static let mark = "# Written by runner schedule"

    /// The line that says of which job file it is.
    static func ownerLine(_ job: ScheduledJob) -> String { "\(ownerMark)\(job.operand)" }

    private static let ownerMark = "# Runs "

    /// The job file of what is there and schedule has written; nil where it is nobody's alone, or does not say.
    package static func owner(of text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(ownerMark) }.map { String($0.dropFirst(ownerMark.count)) }
    }

    package var owner: String? { Self.owner(of: text) }
}
