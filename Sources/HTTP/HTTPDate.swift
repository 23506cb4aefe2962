import Glibc

/// The time that an HTTP date names, in seconds since 1970; nil for a text that is none.
///
/// Reads the three forms of RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the obsolete
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The name of the day is not compared with
/// the date. A year of two digits is the one at most 50 years after `now`, in seconds since 1970.
package func parseHTTPDate(_ text: String, now: Int64 = secondsSince1970()) -> Int64? {
    if let seconds = secondsOfFixdate(text) { return seconds }
    let words = text.utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }
    guard let day = words.first, isDayName(day) else { return nil }
    switch words.count {
    case 6:  // Sun, 06 Nov 1994 08:49:37 GMT
        guard words[5].elementsEqual("GMT".utf8), words[3].count == 4 else { return nil }
        return seconds(day: words[1], month: words[2], year: number(words[3]), time: words[4])
    case 5:  // Sun Nov  6 08:49:37 1994
        guard words[4].count == 4 else { return nil }
        return seconds(day: words[2], month: words[1], year: number(words[4]), time: words[3])
    case 4:  // Sunday, 06-Nov-94 08:49:37 GMT
        let date = words[1].split(separator: UInt8(ascii: "-"))
        guard words[3].elementsEqual("GMT".utf8), date.count == 3, date[2].count == 2, let short = number(date[2])
        else { return nil }
        let latest = civilDate(days: floorDivided(now, by: 86_400)).year + 50
        let year = latest - (latest - short) % 100
        return seconds(day: date[0], month: date[1], year: year, time: words[2])
    default:
        return nil
    }
}

/// The form that servers send, read in place: it is looked at with every reply, and splitting it would cost more than
/// hashing a small picture. nil for any other form or fault, which the words tell.
private func secondsOfFixdate(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
        func number(_ start: Int, _ count: Int) -> Int? {
            var value = 0
            for index in start..<start + count {
                let digit = Int(bytes[index]) - Int(UInt8(ascii: "0"))
                guard digit >= 0, digit <= 9 else { return nil }
                value = value * 10 + digit
            }
            return value
        }
        func isWord(_ word: StaticString, _ start: Int) -> Bool {
            let word = UnsafeBufferPointer(start: word.utf8Start, count: 3)
            return bytes[start] == word[0] && bytes[start + 1] == word[1] && bytes[start + 2] == word[2]
        }
        // Sun, 06 Nov 1994 08:49:37 GMT
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), isWord("GMT", 26),
            bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
            bytes[4] == 0x20, bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20, bytes[25] == 0x20,
            let month = monthWords.firstIndex(where: { isWord($0, 8) }).map({ $0 + 1 }),
            dayWords.contains(where: { isWord($0, 0) }),
            let day = number(5, 2), let year = number(12, 4), let hour = number(17, 2), let minute = number(20, 2),
            let second = number(23, 2)
        else { return nil }
        return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}

/// The date as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate), for the years 0 to 9999.
package func formatHTTPDate(_ secondsSince1970: Int64) -> String {
    let days = floorDivided(secondsSince1970, by: 86_400)
    let time = Int(secondsSince1970 - Int64(days) * 86_400)
    let date = civilDate(days: days)
    func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    // 1970 began on a Thursday.
    let dayName = dayNames[((days + 4) % 7 + 7) % 7]
    return "\(dayName), \(padded(date.day, 2)) \(monthNames[date.month - 1]) \(padded(date.year, 4)) "
        + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)) GMT"
}

/// The wall clock in seconds since 1970.
func secondsSince1970() -> Int64 {
    Int64(time(nil))
}

private let dayWords: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let monthWords: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
private let dayNames = dayWords.map { String(describing: $0) }
private let monthNames = monthWords.map { String(describing: $0) }

private let longDayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

private func isDayName(_ word: Substring.UTF8View) -> Bool {
    (word.count == 3 ? dayNames : longDayNames).contains { word.elementsEqual($0.utf8) }
}

private func number(_ digits: Substring.UTF8View) -> Int? {
    guard (1...4).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
}

private func seconds(
    day: Substring.UTF8View, month: Substring.UTF8View, year: Int?, time: Substring.UTF8View
) -> Int64? {
    let clock = time.split(separator: UInt8(ascii: ":"))
    guard let day = number(day), let year, clock.count == 3, clock.allSatisfy({ $0.count == 2 }),
        let month = monthNames.firstIndex(where: { month.elementsEqual($0.utf8) }).map({ $0 + 1 }),
        let hour = number(clock[0]), let minute = number(clock[1]), let second = number(clock[2])
    else { return nil }
    return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
}

/// nil for a time that the calendar and the clock do not have.
private func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int64? {
    // A leap second is second 60.
    guard day >= 1, day <= lengthOfMonth(month, year: year), hour < 24, minute < 60, second <= 60 else { return nil }
    return Int64(daysSince1970(year: year, month: month, day: day)) * 86_400
        + Int64(hour * 3_600 + minute * 60 + second)
}

private func lengthOfMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// Days from 1 January 1970 in the Gregorian calendar. Years are counted from March, so that a leap day ends one.
private func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
}

/// The inverse of `daysSince1970`.
private func civilDate(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
}

private func floorDivided(_ value: Int64, by divisor: Int64) -> Int {
    Int(value / divisor - (value % divisor < 0 ? 1 : 0))
}
