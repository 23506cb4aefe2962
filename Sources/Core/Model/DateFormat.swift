import System

/// How a date is written into a path: `%Y/%m` in `{taken:%Y/%m}`. The letters are those of strftime(3), in no language.
struct DateFormat: Hashable, Sendable {
    private let text: String

    /// The meaning of each letter.
    static let letters: [(letter: Character, meaning: String)] = [
        ("Y", "year"), ("y", "its last two digits"), ("m", "month"), ("d", "day"), ("j", "day of the year"),
        ("H", "hour"),
        ("M", "minute"), ("S", "second"), ("%", "%"),
    ]

    /// - Throws: ``TemplateError`` for a letter that is none of ``letters``.
    init(_ text: String) throws(TemplateError) {
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            let letter = rest[rest.index(after: percent)...].first
            guard let letter, Self.letters.contains(where: { $0.letter == letter }) else {
                throw TemplateError(
                    "unknown '%\(letter.map(String.init) ?? "")' in the date format '\(text)'",
                    hint: "the letters are "
                        + Self.letters.dropLast().map { "%\($0.letter) (\($0.meaning))" }.joined(separator: ", "))
            }
            rest = rest[percent...].dropFirst(2)
        }
        guard text.contains("%") else {
            throw TemplateError("the date format '\(text)' has no letter such as %Y", hint: "for example {taken:%Y-%m}")
        }
        self.text = text
    }

    /// A date in this format; empty for a text that is no date.
    func string(from value: String) -> String {
        guard let date = WrittenDate(value) else { return "" }
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "%", let letter = rest.popFirst() else {
                result.append(character)
                continue
            }
            switch letter {
            case "Y": result += padded(date.year, 4)
            case "y": result += padded(date.year % 100, 2)
            case "m": result += padded(date.month, 2)
            case "d": result += padded(date.day, 2)
            case "j": result += padded(date.dayOfYear, 3)
            case "H": result += padded(date.hour, 2)
            case "M": result += padded(date.minute, 2)
            case "S": result += padded(date.second, 2)
            default: result.append(letter)
            }
        }
        return result
    }

    private func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// A date as lists write them: `2011-03-20 17:00:05`, `2011-03-20T17:00:05+02:00`, `2011-03-20`, `20110320`, `20110320170005`,
/// `20110320T170005Z`, `2011:03:20 17:00:05` as cameras do, all as they are written, whatever the zone; or seconds,
/// milliseconds or microseconds since 1970, in UTC. What has more to it, as several dates, is none.
private struct WrittenDate {
    let year: Int
    let month: Int
    let day: Int
    var hour = 0
    var minute = 0
    var second = 0

    /// Digits of a date, and of one with its time: few numbers of so many digits would be times since 1970.
    private static let writtenLengths: Set = [8, 14]

    init?(_ text: String) {
        // A number may have a fraction.
        let digits = text.prefix { $0 != "." }
        guard digits.utf8.count > 8, !Self.writtenLengths.contains(text.utf8.count), let number = wholeNumber(digits),
            number < largestWholeNumber, text.dropFirst(digits.count + 1).allSatisfy({ ("0"..."9").contains($0) })
        else {
            self.init(written: text)
            return
        }
        // Seconds of the year 5138 are milliseconds of 1973, and so on.
        let units: Int64 = number < 100_000_000_000 ? 1 : number < 100_000_000_000_000 ? 1_000 : 1_000_000
        self.init(written: utcText(number / units * 1_000_000))
    }

    private init?(written text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = Self.take(4, &rest) else { return nil }
        let isCompact = !Self.skip("-:/", &rest)
        guard let month = Self.take(2, &rest), isCompact || Self.skip("-:/", &rest), let day = Self.take(2, &rest),
            year > 0, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        if Self.skip(" T", &rest) || isCompact && !rest.isEmpty {
            guard let hour = Self.take(2, &rest) else { return nil }
            let hasColons = Self.skip(":", &rest)
            guard let minute = Self.take(2, &rest), hour < 24, minute < 60 else { return nil }
            (self.hour, self.minute) = (hour, minute)
            if hasColons ? Self.skip(":", &rest) : rest.first.map(Self.isDigit) == true {
                guard let second = Self.take(2, &rest), second < 60 else { return nil }
                self.second = second
                if Self.skip(".,", &rest) { rest = rest.drop(while: Self.isDigit) }
            }
        }
        guard Self.isZone(rest) else { return nil }
    }

    /// Whether what follows a date and its time is a zone, as `Z`, `+02:00`, ` UTC` or `[Europe/Paris]`; or nothing.
    private static func isZone(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return !isDigit(first) && text.count <= 60
            && text.allSatisfy { byte in
                isDigit(byte) || (0x41...0x5A).contains(byte & 0xDF) || " +-:/_[]".utf8.contains(byte)
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    var dayOfYear: Int {
        (1..<month).reduce(day) { $0 + Self.days(in: $1, of: year) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= count, let number = wholeNumber(bytes: rest.prefix(count)) else { return nil }
        rest = rest.dropFirst(count)
        return Int(number)
    }

    private static func skip(_ characters: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
