import Glibc
import JSON
import Model

/// Makes lines of entries.
struct LogLine {
    private var bytes: [UInt8] = []
    private var json = JSONWriter()
    /// The text of the last second, since many entries are of one.
    private var second: (number: Int64, text: String, zone: String) = (.min, "", "")

    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func append(_ entry: LogEntry, _ format: LogFile.Format) {
        switch format {
        case .text: appendText(entry)
        case .json: appendJSON(entry)
        }
    }

    private mutating func appendText(_ entry: LogEntry) {
        bytes += time(entry.at).utf8
        bytes += " \(entry.level) \(entry.event) job=\(entry.job)".utf8
        if let run = entry.run { bytes += " run=\(run)".utf8 }
        if let item = entry.item { bytes += " item=\(item)".utf8 }
        for (name, value) in entry.fields {
            bytes += " \(name)=".utf8
            switch value {
            case .number(let number): bytes += String(number).utf8
            case .text(let text): bytes += logWord(clamped(text)).utf8
            }
        }
        bytes.append(0x0A)
    }

    private mutating func appendJSON(_ entry: LogEntry) {
        json.beginObject()
        json.member("at", time(entry.at))
        json.member("level", "\(entry.level)")
        json.member("event", entry.event)
        json.member("job", entry.job)
        if let run = entry.run { json.member("run", run) }
        if let item = entry.item { json.member("item", item) }
        for (name, value) in entry.fields {
            switch value {
            case .number(let number): json.member(name, number)
            case .text(let text): json.member(name, clamped(text))
            }
        }
        json.endObject()
        json.endLine()
        bytes += json.bytes
        json.removeBytes()
    }

    /// ISO 8601 in the zone of the process, with microseconds.
    private mutating func time(_ microseconds: Int64) -> String {
        let number = microseconds / 1_000_000
        if number != second.number {
            var seconds = time_t(number)
            var parts = tm()
            localtime_r(&seconds, &parts)
            second = (number, text(of: &parts, "%Y-%m-%dT%H:%M:%S"), text(of: &parts, "%z"))
        }
        let fraction = String(microseconds % 1_000_000)
        return
            "\(second.text).\(String(repeating: "0", count: max(0, 6 - fraction.utf8.count)))\(fraction)\(second.zone)"
    }

    private func text(of parts: inout tm, _ format: String) -> String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                // A buffer of 64 bytes has an address.
                strftime(text.baseAddress!, text.count, format, &parts)
            }
        }
    }
}

/// A value as a line of text has it: as it is, or between quotes like a string of JSON, with `=` as `\u003d`. A name from the
/// network ends no line, and ` item=42 ` stands nowhere but where it is the field.
func logWord(_ text: String) -> String {
    let isPlain =
        !text.isEmpty
        && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "\\" && !isUnsafeToDisplay($0) }
    guard !isPlain else { return text }
    var json = JSONWriter()
    json.value(text)
    let quoted = String(decoding: json.bytes.drop { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    return quoted.replacing("=", with: "\\u003d")
}

/// The longest value of a field, in bytes: what comes from the network has no length of its own.
private let longestValue = 8_192

/// A text that is not longer than a field may be.
func clamped(_ text: String) -> String {
    guard text.utf8.count > longestValue else { return text }
    return String(decoding: text.utf8.prefix(longestValue), as: UTF8.self) + "…"
}
