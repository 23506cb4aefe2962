import Model
import YAML

/// A day of the calendar, `2024-04-27`.
struct CalendarDate: Hashable, Sendable {
    /// As it is written, and as Flickr takes it.
    let text: String
    /// Its beginning in UTC, seconds since 1970.
    let seconds: Int64

    /// Nil for a day that there is not.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]),
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.text = text
        // Years begin with March, so that the leap day is the last one; 1970-01-01 is day 719,468 of that count.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        seconds = (shifted * 365 + leapDays + dayOfYear - 719_468) * 86_400
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDate: YAMLDecodable {
    /// `date`.
    static var yamlType: String { "date" }

    /// Year, month and day.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> CalendarDate? {
        guard let text = node.scalar?.text, let date = CalendarDate(text) else {
            context.mismatch(node, wanted: "a date such as 2024-04-27")
            return nil
        }
        return date
    }
}

/// `since`: from a day on, or for so long.
enum Since: Hashable, Sendable {
    case date(CalendarDate)
    case age(TimeSpan)

    /// Seconds since 1970 UTC; `now` is in microseconds.
    func seconds(now: Int64) -> Int64 {
        switch self {
        case .date(let date): date.seconds
        case .age(let span): max(0, now - span.microseconds) / 1_000_000
        }
    }
}

extension Since: YAMLDecodable {
    /// `date or duration`.
    static var yamlType: String { "date or duration" }

    /// A date, or a duration back from now.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> Since? {
        let text = node.scalar?.text ?? ""
        if let date = CalendarDate(text) { return .date(date) }
        if let span = TimeSpan(text), span.microseconds > 0 { return .age(span) }
        context.mismatch(node, wanted: "a date such as 2024-04-27 or an age such as 30d")
        return nil
    }
}
