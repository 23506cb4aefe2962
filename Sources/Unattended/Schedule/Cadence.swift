/// When a job runs.
package enum Cadence: Sendable, Hashable {
    /// So many minutes from run to run.
    case every(minutes: Int)
    case daily(hour: Int, minute: Int)
    case cron(CronExpression)

    /// For people: `every 15 minutes`.
    package var words: String {
        switch self {
        case .every(let minutes) where minutes % 1_440 == 0: Self.counted(minutes / 1_440, "day")
        case .every(let minutes) where minutes % 60 == 0: Self.counted(minutes / 60, "hour")
        case .every(let minutes): Self.counted(minutes, "minute")
        case .daily(let hour, let minute): "daily at \(padded(hour, 2)):\(padded(minute, 2))"
        case .cron(let expression): "at the times of cron's '\(expression.text)'"
        }
    }

    private static func counted(_ count: Int, _ unit: String) -> String {
        count == 1 ? "every \(unit)" : "every \(count) \(unit)s"
    }

    /// The values of `OnCalendar=`; empty where there is none that means it.
    package var calendarEvents: [String] {
        switch self {
        case .every(1): ["*:*"]
        case .every(let minutes) where minutes < 60 && 60 % minutes == 0: ["*:0/\(minutes)"]
        case .every(60): ["*:00"]
        case .every(1_440): ["*-*-* 00:00"]
        case .every(let minutes) where minutes % 60 == 0 && minutes < 1_440 && 1_440 % minutes == 0:
            ["*-*-* 0/\(minutes / 60):00"]
        case .every: []
        case .daily(let hour, let minute): ["*-*-* \(padded(hour, 2)):\(padded(minute, 2))"]
        case .cron(let expression): expression.calendarEvents
        }
    }

    /// The five fields of a crontab; nil where cron has no such times.
    package var cronFields: String? {
        switch self {
        case .every(1): "* * * * *"
        case .every(let minutes) where minutes < 60 && 60 % minutes == 0: "*/\(minutes) * * * *"
        case .every(60): "0 * * * *"
        case .every(1_440): "0 0 * * *"
        case .every(let minutes) where minutes % 60 == 0 && minutes < 1_440 && 1_440 % minutes == 0:
            "0 */\(minutes / 60) * * *"
        case .every: nil
        case .daily(let hour, let minute): "\(minute) \(hour) * * *"
        case .cron(let expression): expression.text
        }
    }

    /// The longest delay before a run, seconds: enough to spread machines, and little beside the time between runs.
    package var usualJitter: Int64 {
        switch self {
        case .every(let minutes): min(600, Int64(minutes) * 6)
        case .daily: 600
        case .cron: 60
        }
    }
}
