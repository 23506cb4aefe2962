package import YAML

/// `transfer.bandwidth`: bytes a second of a whole run, the same all day or by a timetable such as `08:00 2MB/s, 19:00 none`.
///
/// Times are of the day in the machine's time zone. A rate holds until the next time; the last one of the day until the
/// first one of the next.
package struct Bandwidth: Hashable, Sendable {
    private struct Entry: Hashable {
        /// Minutes since midnight.
        let minute: Int
        /// nil for no limit.
        let bytesPerSecond: Int64?
    }

    /// By time, one at least.
    private let entries: [Entry]

    /// What holds at a time of day.
    package struct Period: Hashable, Sendable {
        /// nil for no limit.
        package let bytesPerSecond: Int64?
        /// nil without a timetable.
        package let next: Change?
    }

    /// The next change of a timetable.
    package struct Change: Hashable, Sendable {
        /// Until then.
        package let seconds: Int
        /// Its time of day, such as `19:00`.
        package let time: String
    }

    /// The rate of all day; nil for no limit.
    package init(bytesPerSecond: Int64?) {
        entries = [Entry(minute: 0, bytesPerSecond: bytesPerSecond)]
    }

    private init(entries: [Entry]) {
        self.entries = entries
    }

    /// - Parameter second: since local midnight.
    package func period(at second: Int) -> Period {
        guard let last = entries.last, entries.count > 1 else {
            return Period(bytesPerSecond: entries.first?.bytesPerSecond, next: nil)
        }
        let index = entries.lastIndex { $0.minute * 60 <= second }
        let next = index.map { ($0 + 1) % entries.count } ?? 0
        let rate = index.map { entries[$0].bytesPerSecond } ?? last.bytesPerSecond
        let day = 86_400
        let seconds = (entries[next].minute * 60 - second + day) % day
        return Period(
            bytesPerSecond: rate,
            next: Change(seconds: seconds == 0 ? day : seconds, time: Self.text(entries[next].minute)))
    }

    /// The part of one of so many machines, of each rate.
    package func divided(by machines: Int) -> Bandwidth {
        Bandwidth(
            entries: entries.map { entry in
                Entry(
                    minute: entry.minute,
                    bytesPerSecond: entry.bytesPerSecond.map { max(1, $0 / Int64(max(1, machines))) })
            })
    }

    private static func text(_ minute: Int) -> String {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
    }
}

// MARK: - Reading

/// What is wrong with a text that is to be a bandwidth.
struct BandwidthFault: Error, Hashable {
    let message: String
}

extension Bandwidth {
    /// Reads a rate, `none`, or a timetable.
    init(_ text: String) throws(BandwidthFault) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        if parts.count == 1, !parts[0].contains(" "), !parts[0].contains(":") {
            self.init(bytesPerSecond: try Self.rate(parts[0]))
            return
        }
        var entries: [Entry] = []
        for part in parts {
            guard let space = part.firstIndex(of: " "), let minute = Self.minute(part[..<space]) else {
                throw BandwidthFault(
                    message: part.isEmpty
                        ? "a comma without an entry" : "'\(part)' does not begin with a time of day from 00:00 to 23:59"
                )
            }
            guard !entries.contains(where: { $0.minute == minute }) else {
                throw BandwidthFault(message: "\(Self.text(minute)) is there twice")
            }
            entries.append(
                Entry(minute: minute, bytesPerSecond: try Self.rate(Self.trimmed(part[space...]))))
        }
        self.init(entries: entries.sorted { $0.minute < $1.minute })
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }
        return end.map { start[...$0] } ?? ""
    }

    private static func rate(_ text: Substring) throws(BandwidthFault) -> Int64? {
        if text == "none" { return nil }
        guard let rate = ByteRate(String(text)) else {
            throw BandwidthFault(message: "'\(text)' is no rate such as 10MB/s, nor none")
        }
        return rate.bytesPerSecond
    }

    /// `8:00` and `08:00` alike.
    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}

extension Bandwidth: YAMLDecodable {
    package static var yamlType: String { "bandwidth or timetable" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> Bandwidth? {
        let wanted = "a bandwidth such as 10MB/s, or a timetable such as \"08:00 2MB/s, 19:00 none\""
        guard let text = node.scalar?.text else {
            context.mismatch(node, wanted: wanted)
            return nil
        }
        do throws(BandwidthFault) {
            return try Bandwidth(text)
        } catch {
            context.mismatch(node, wanted: wanted, hint: text.contains(":") ? error.message : nil)
            return nil
        }
    }
}
