import HTTP
import System
package import YAML

/// A length of time as a job file or flag writes it: `250ms`, `10s`, `5m`, `1h`, `1d`.
package struct TimeSpan: Hashable, Sendable {
    package var microseconds: Int64

    init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func seconds(_ seconds: Int64) -> TimeSpan { TimeSpan(microseconds: seconds * 1_000_000) }

    /// Reads a whole or decimal number followed by its unit; nil when it is no such thing or overflows.
    package init?(_ text: String) {
        guard let (number, unit) = splitUnit(text) else { return nil }
        let factor: Double
        switch unit {
        case "ms": factor = 1_000
        case "s": factor = 1_000_000
        case "m", "min": factor = 60_000_000
        case "h": factor = 3_600_000_000
        case "d": factor = 86_400_000_000
        default: return nil
        }
        guard let value = wholeCount(number * factor) else { return nil }
        microseconds = value
    }
}

/// A number of bytes: `512`, `10kB`, `10KiB`, `5MB`, `1GiB`. A plain number is bytes.
package struct ByteCount: Hashable, Sendable {
    package var bytes: Int64

    package init(bytes: Int64) {
        self.bytes = bytes
    }

    package init?(_ text: String) {
        guard let (number, unit) = splitUnit(text), let factor = byteUnits[unit],
            let value = wholeCount(number * factor)
        else { return nil }
        bytes = value
    }
}

/// Requests in a time: `20/s`, `600/m`, `3600/h`.
package struct RequestRate: Hashable, Sendable {
    /// Microseconds from one request to the next.
    package var interval: Int64

    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"),
            let (number, unit) = splitUnit(String(text[..<slash])), unit.isEmpty, number > 0
        else { return nil }
        let period: Double
        switch text[text.index(after: slash)...] {
        case "s": period = 1_000_000
        case "m", "min": period = 60_000_000
        case "h": period = 3_600_000_000
        case "d": period = 86_400_000_000
        default: return nil
        }
        guard let value = wholeCount(period / number) else { return nil }
        interval = value
    }
}

/// Bytes in a second: `10MB/s`, `512KiB/s`.
package struct ByteRate: Hashable, Sendable {
    package var bytesPerSecond: Int64

    package init?(_ text: String) {
        guard text.hasSuffix("/s"), let count = ByteCount(String(text.dropLast(2))), count.bytes > 0 else { return nil }
        bytesPerSecond = count.bytes
    }
}

private let byteUnits: [String: Double] = [
    "": 1, "B": 1,
    "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824, "TiB": 1_099_511_627_776,
]

/// The nearest whole number; nil beyond what there is of anything, with which times could not be counted.
private func wholeCount(_ number: Double) -> Int64? {
    Int64(exactly: number.rounded()).flatMap { $0 <= largestWholeNumber ? $0 : nil }
}

/// A number without sign and the letters that follow it, perhaps after spaces.
private func splitUnit(_ text: String) -> (number: Double, unit: String)? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits) else { return nil }
    let rest = text[digits.endIndex...]
    return (number, String(rest.drop { $0 == " " }))
}

extension TimeSpan: YAMLDecodable {
    package static var yamlType: String { "duration" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> TimeSpan? {
        decodeUnit(node, &context, as: "a duration such as 250ms, 10s, 5m, 1h or 1d", TimeSpan.init(_:))
    }
}

extension ByteCount: YAMLDecodable {
    package static var yamlType: String { "size" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> ByteCount? {
        decodeUnit(node, &context, as: "a size such as 512, 10kB, 10KiB, 5MB or 1GiB", ByteCount.init(_:))
    }
}

extension RequestRate: YAMLDecodable {
    package static var yamlType: String { "rate" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> RequestRate? {
        decodeUnit(node, &context, as: "a rate such as 20/s or 3600/h", RequestRate.init(_:))
    }
}

private func decodeUnit<Unit>(
    _ node: Node, _ context: inout DecodingContext, as wanted: String, _ parse: (String) -> Unit?
) -> Unit? {
    guard let value = node.scalar.flatMap({ parse($0.text) }) else {
        context.mismatch(node, wanted: wanted)
        return nil
    }
    return value
}
