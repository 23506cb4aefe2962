/// A time table in the five fields of crontab(5).
package struct CronExpression: Sendable, Hashable {
    /// As it was written.
    package let text: String
    let minutes: Set<Int>
    let hours: Set<Int>
    let days: Set<Int>
    let months: Set<Int>
    /// 0 is Sunday.
    let weekdays: Set<Int>
    /// Whether the field begins with `*`: of two days that do not, either is enough.
    let hasAnyDay: Bool
    let hasAnyWeekday: Bool
    /// `@reboot`: once after each start of the machine, and at no time else.
    let isAtBoot: Bool

    /// Why a text is no time table.
    package struct Fault: Error, Hashable, Sendable {
        package let message: String
    }

    private struct FieldRule {
        let name: String
        let range: ClosedRange<Int>
        var names: [String] = []
    }

    private static let rules = [
        FieldRule(name: "minute", range: 0...59), FieldRule(name: "hour", range: 0...23),
        FieldRule(name: "day of the month", range: 1...31),
        FieldRule(
            name: "month", range: 1...12,
            names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
        FieldRule(name: "day of the week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
    ]

    private static let shorthands = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]

    /// Reads `17 4 * * 1-5` and the like, names of months and days, and `@daily` and the like.
    package init(_ text: String) throws(Fault) {
        let words = text.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        self.text = words.joined(separator: " ")
        isAtBoot = words == ["@reboot"]
        var fields = words
        if words.count == 1, words[0].hasPrefix("@") {
            guard let long = isAtBoot ? "* * * * *" : Self.shorthands[words[0]] else {
                throw Fault(
                    message:
                        "'\(words[0])' is none of @reboot, \(Self.shorthands.keys.sorted().joined(separator: ", "))")
            }
            fields = long.split(separator: " ").map(String.init)
        }
        guard fields.count == 5 else {
            throw Fault(message: "it has \(fields.count) fields, not five: minute, hour, day, month, day of the week")
        }
        minutes = try Self.values(fields[0], Self.rules[0])
        hours = try Self.values(fields[1], Self.rules[1])
        days = try Self.values(fields[2], Self.rules[2])
        months = try Self.values(fields[3], Self.rules[3])
        weekdays = Set(try Self.values(fields[4], Self.rules[4]).map { $0 % 7 })
        hasAnyDay = fields[2].hasPrefix("*")
        hasAnyWeekday = fields[4].hasPrefix("*")
        let longest = months.map { $0 == 2 ? 29 : [4, 6, 9, 11].contains($0) ? 30 : 31 }.max() ?? 31
        if hasAnyWeekday, !days.contains(where: { $0 <= longest }) {
            throw Fault(message: "its months have no such day")
        }
    }

    private static func values(_ field: String, _ rule: FieldRule) throws(Fault) -> Set<Int> {
        var result: Set<Int> = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let ends = pieces[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            var range = rule.range
            if pieces[0] != "*" {
                let first = try number(ends[0], rule)
                let last = ends.count > 1 ? try number(ends[1], rule) : pieces.count > 1 ? rule.range.upperBound : first
                guard first <= last else {
                    throw Fault(message: "the range '\(part)' of the \(rule.name) ends before it begins")
                }
                range = first...last
            }
            var step = 1
            if pieces.count > 1 {
                guard let given = Int(pieces[1]), (1...1_000).contains(given), pieces[1].utf8.allSatisfy(isDigit) else {
                    throw Fault(message: "the step '\(pieces[1])' of the \(rule.name) is no number from 1")
                }
                step = given
            }
            result.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
        }
        return result
    }

    private static func number(_ text: Substring, _ rule: FieldRule) throws(Fault) -> Int {
        if let index = rule.names.firstIndex(of: String(text)), !text.isEmpty { return index }
        guard text.utf8.allSatisfy(isDigit), let value = Int(text), rule.range.contains(value) else {
            throw Fault(
                message:
                    "the \(rule.name) has '\(text)', which is not from \(rule.range.lowerBound) to \(rule.range.upperBound)"
            )
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    // MARK: As systemd writes it

    /// The same times as values of `OnCalendar=` (systemd.time(7)), one or two; none for `@reboot`.
    package var calendarEvents: [String] {
        if isAtBoot { return [] }
        let time = "\(Self.list(hours, 0...23, digits: 2)):\(Self.list(minutes, 0...59, digits: 2))"
        let month = Self.list(months, 1...12, digits: 2)
        let date = "*-\(month)-\(Self.list(days, 1...31, digits: 2)) \(time)"
        guard weekdays.count < 7 else { return [date] }
        let names = Self.weekdayList(weekdays)
        // crontab(5): where both days are restricted, either is enough.
        if !hasAnyDay, !hasAnyWeekday { return ["\(names) *-\(month)-* \(time)", date] }
        return ["\(names) \(date)"]
    }

    private static func list(_ values: Set<Int>, _ range: ClosedRange<Int>, digits: Int) -> String {
        if values.count == range.count { return "*" }
        let sorted = values.sorted()
        // `0/15` is shorter than what it stands for.
        if sorted.count > 2, sorted[0] == range.lowerBound {
            let step = sorted[1] - sorted[0]
            if step > 1, Array(stride(from: sorted[0], through: range.upperBound, by: step)) == sorted {
                return "\(padded(sorted[0], digits))/\(step)"
            }
        }
        return runs(of: sorted).map { run in
            run.lowerBound == run.upperBound
                ? padded(run.lowerBound, digits)
                : padded(run.lowerBound, digits) + ".." + padded(run.upperBound, digits)
        }.joined(separator: ",")
    }

    private static func weekdayList(_ values: Set<Int>) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return runs(of: values.map { ($0 + 6) % 7 }.sorted()).map { run in
            run.lowerBound == run.upperBound
                ? names[run.lowerBound] : names[run.lowerBound] + ".." + names[run.upperBound]
        }.joined(separator: ",")
    }

    /// Numbers that follow each other, together where there are three or more.
    private static func runs(of sorted: [Int]) -> [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for value in sorted {
            if let last = runs.last, last.upperBound + 1 == value {
                runs[runs.count - 1] = last.lowerBound...value
            } else {
                runs.append(value...value)
            }
        }
        return runs.flatMap { $0.count == 2 ? [$0.lowerBound...$0.lowerBound, $0.upperBound...$0.upperBound] : [$0] }
    }
}

func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
