/// How a list is written.
enum ListFormat: Hashable {
    case jsonArray
    case jsonLines
    case csv
    case text

    /// Tells by the first bytes, and by the name where they leave a choice.
    ///
    /// - Throws: ``ElementFault`` with why it is no list.
    init(_ beginning: ArraySlice<UInt8>, name: String) throws(ElementFault) {
        if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) {
            throw ElementFault("it is in UTF-16; lists are in UTF-8")
        }
        guard !beginning.contains(0) else { throw ElementFault("it is no text") }
        let text = trimmed(beginning)
        guard let first = text.first else { throw ElementFault("it is empty") }
        let line = trimmed(text.prefix { $0 != 0x0A })
        let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        switch (first, suffix) {
        case (UInt8(ascii: "["), _): self = .jsonArray
        case (_, "jsonl"), (_, "ndjson"): self = .jsonLines
        case (UInt8(ascii: "{"), _):
            guard Self.isElement(line) else {
                throw ElementFault("it is JSON, but no array, and no object with a 'url'")
            }
            self = .jsonLines
        case (UInt8(ascii: "\""), _) where Self.isElement(line): self = .jsonLines
        case (_, "csv"), (_, "tsv"): self = .csv
        case _ where CSVReader.isHeader(line): self = .csv
        case (_, "json"): throw ElementFault("it is not JSON")
        case (UInt8(ascii: "<"), _): throw ElementFault("it is a page or another document in markup")
        case (_, "txt"): self = .text
        case _ where Self.hasURL(text): self = .text
        default: throw ElementFault("it is neither JSON, nor CSV with a column 'url', nor text with a URL a line")
        }
    }

    /// Whether a line is an element in JSON, perhaps a faulty one. A long one is cut by the caller and believed.
    private static func isElement(_ line: ArraySlice<UInt8>) -> Bool {
        if line.count >= ListElements.longest { return true }
        do throws(ElementFault) {
            _ = try ListElement(json: Array(line))
            return true
        } catch {
            return !error.isForeign
        }
    }

    /// Whether the first line that is no comment has a scheme.
    private static func hasURL(_ text: ArraySlice<UInt8>) -> Bool {
        let lines = text.split(separator: 0x0A).map(trimmed)
        let line = lines.first { !$0.isEmpty && $0.first != UInt8(ascii: "#") } ?? []
        return String(decoding: line, as: UTF8.self).contains("://")
    }
}
