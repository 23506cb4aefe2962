import Jobs
import Model
import Reports
import Unattended

/// Reads the values of flags. Each function throws what is wanted, for the parser to put the flag's name before it.
enum OptionValue {
    /// Any text but none.
    static func text(_ text: String, wanted: String) throws(UnwantedValue) -> String {
        guard !text.isEmpty else { throw UnwantedValue(wanted: wanted) }
        return text
    }

    /// A decimal whole number from 1, without sign or spaces.
    static func count(_ text: String, upTo maximum: Int = .max) throws(UnwantedValue) -> Int {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(text), (1...maximum).contains(count)
        else {
            throw UnwantedValue(wanted: "a whole number from 1" + (maximum == .max ? "" : " to \(maximum)"))
        }
        return count
    }

    /// One of the raw values of an enumeration.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String
    ) throws(UnwantedValue) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue)
            throw UnwantedValue(wanted: names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""))
        }
        return choice
    }

    /// `last`, `all` or the number of a run.
    static func run(_ text: String) throws(UnwantedValue) -> RunChoice {
        switch text {
        case "last": return .last
        case "all": return .all
        default:
            guard let id = try? count(text) else {
                throw UnwantedValue(wanted: "last, all or the number of a run")
            }
            return .id(Int64(id))
        }
    }

    /// `previous`, the number of a run, or `median:N`.
    static func baseline(_ text: String) throws(UnwantedValue) -> Baseline {
        if text == "previous" { return .previous }
        if let id = try? count(text) { return .run(Int64(id)) }
        if text.hasPrefix("median:"), let number = try? count(String(text.dropFirst(7)), upTo: 1000), number >= 5 {
            return .median(number)
        }
        throw UnwantedValue(wanted: "previous, the number of a run, or median:N with N from 5 to 1000")
    }

    /// A condition of `--fail-if`.
    static func condition(_ text: String) throws(UnwantedValue) -> FailCondition {
        do {
            return try FailCondition(text)
        } catch {
            var unwanted = UnwantedValue(wanted: error.wanted)
            if case .unknownMetric(let name, let known) = error {
                unwanted.hint = likeliest(of: known, for: name).map { "did you mean '\($0)'?" }
            }
            throw unwanted
        }
    }

    /// Words of failures with commas between them.
    static func reasons(_ text: String) throws(UnwantedValue) -> [FailureWord] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let reasons = words.compactMap(FailureWord.init(rawValue:))
        guard reasons.count == words.count else {
            let known = FailureWord.allCases.map(\.rawValue).joined(separator: ", ")
            throw UnwantedValue(wanted: "reasons with commas between them, of \(known)")
        }
        return reasons
    }

    /// A duration as job files write it, longer than nothing, in microseconds.
    static func duration(_ text: String) throws(UnwantedValue) -> Int64 {
        guard let span = TimeSpan(text), span.microseconds > 0 else {
            throw UnwantedValue(wanted: "a duration such as 250ms, 10s, 5m, 1h or 1d")
        }
        return span.microseconds
    }

    /// The claim of a volume and an absolute path.
    static func volume(_ text: String) throws(UnwantedValue) -> String {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("/") else {
            throw UnwantedValue(wanted: "a claim and an absolute path, such as photos:/shared")
        }
        return text
    }

    /// Hours, perhaps with a fraction, in microseconds.
    static func hours(_ text: String) throws(UnwantedValue) -> Int64 {
        guard let hours = Double(text), hours > 0, hours <= 8_760, let span = TimeSpan("\(text)h") else {
            throw UnwantedValue(wanted: "hours such as 4 or 0.5, at most 8760")
        }
        return max(1, span.microseconds)
    }

    /// A size as job files write it, in bytes.
    static func size(_ text: String) throws(UnwantedValue) -> Int64 {
        guard let count = ByteCount(text) else {
            throw UnwantedValue(wanted: "a size such as 512, 10kB, 10KiB, 5MB or 1GiB")
        }
        return count.bytes
    }

    /// Whole minutes from run to run, at most a year.
    static func interval(_ text: String) throws(UnwantedValue) -> Cadence {
        let microseconds = TimeSpan(text)?.microseconds ?? 0
        guard microseconds % 60_000_000 == 0, (1...525_600).contains(microseconds / 60_000_000) else {
            throw UnwantedValue(wanted: "whole minutes, as 15m, 4h or 1d, at most 365d")
        }
        return .every(minutes: Int(microseconds / 60_000_000))
    }

    /// `04:17`.
    static func timeOfDay(_ text: String) throws(UnwantedValue) -> Cadence {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && part.utf8.count <= 2
                ? Int(part) : nil
        }
        guard parts.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
            throw UnwantedValue(wanted: "a time such as 04:17")
        }
        return .daily(hour: numbers[0], minute: numbers[1])
    }

    /// The fields of a crontab.
    static func cron(_ text: String) throws(UnwantedValue) -> Cadence {
        do {
            return .cron(try CronExpression(text))
        } catch {
            var unwanted = UnwantedValue(wanted: "five fields of a crontab such as '17 4 * * 1-5'")
            unwanted.hint = error.message
            throw unwanted
        }
    }
}
