/// One line of the log of runs: what happened, and to whom.
package struct LogEntry: Sendable {
    /// By the numbers of syslog(3), as the journal has them.
    package enum Level: Int, Sendable, Comparable {
        case error = 3
        case warning, notice, info, debug

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package enum Value: Sendable, Hashable {
        case text(String)
        case number(Int64)
    }

    package typealias Field = (name: String, value: Value)

    package var level: Level
    /// One word, with `-` between its parts: `run-started`, `headers`.
    package var event: String
    /// Microseconds since 1970 UTC.
    package var at: Int64
    package var job: String
    package var run: Int64?
    /// The row of the item.
    package var item: Int64?
    /// Further facts, named like the catalog's columns where it has them. Secrets are hidden in them.
    package var fields: [Field]

    package init(
        _ event: String, _ level: Level, at: Int64, job: String, run: Int64? = nil, item: Int64? = nil,
        fields: [Field] = []
    ) {
        self.level = level
        self.event = event
        self.at = at
        self.job = job
        self.run = run
        self.item = item
        self.fields = fields
    }
}

/// Takes entries of the log. From any thread; it does not wait, and nothing that goes wrong with it concerns the run.
package protocol LogSink: Sendable {
    func write(_ entry: LogEntry)
}
