internal import CCountries
internal import HTTP

/// The names of countries in every language of the CLDR, and their order there, as scripts/generate-country-names writes
/// them.
struct NameTable: Sendable {
    /// What the table has of a tag: a language, or one with a script, a region or both whose names differ.
    private struct Row {
        /// That a language is usually written in; of a language alone.
        let script: String
        /// The number of the list of names.
        let list: Int
    }

    static let shared = NameTable()

    private let text: [UInt8]
    private let regions: Set<Substring>
    private let rows: [Substring: Row]
    /// In each list.
    private let countries: Int
    /// Where the first list begins.
    private let lists: Int

    private init() {
        let coded = UnsafeBufferPointer(start: ccountries_bytes(), count: Int(ccountries_size()))
        guard let text = decodedGzip(coded) else { preconditionFailure("names.gz is not whole") }
        let end = text.indices.first { text[$0] == newline && text[$0 + 1] == newline }
        guard let end else { preconditionFailure("names.gz has no names") }
        let head = String(decoding: text[..<end], as: UTF8.self).split(separator: "\n")
        regions = Set(head[0].split(separator: " "))
        countries = Int(head[1]) ?? 0
        rows = Dictionary(
            uniqueKeysWithValues: head.dropFirst(2).map { line in
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                return (fields[0], Row(script: String(fields[1]), list: Int(fields[2]) ?? 0))
            })
        lists = end + 2
        self.text = text
    }

    /// The number of a language's list; nil if there is no such language, script or region.
    func list(of language: Language) -> Int? {
        guard let own = rows[language.language[...]] else { return nil }
        func row(_ script: String?, _ region: String?) -> Row? {
            rows[[language.language, script, region].compactMap(\.self).joined(separator: "-")[...]]
        }
        if let row = row(language.script, language.region) { return row.list }
        if let region = language.region, !regions.contains(region[...]) { return nil }
        if language.script == nil || language.script == own.script { return (row(nil, language.region) ?? own).list }
        return row(language.script, nil)?.list
    }

    /// The codes and names of a list, in its order. In bytes: a name may begin with an accent, which joins the code.
    func names(inList list: Int) -> [(code: String, name: String)] {
        var start = lists
        for _ in 0..<list * countries { start = endOfLine(start) + 1 }
        return (0..<countries).map { _ in
            let end = endOfLine(start)
            let (code, name) = (text[start..<start + 2], text[start + 2..<end])
            start = end + 1
            return (String(decoding: code, as: UTF8.self), String(decoding: name, as: UTF8.self))
        }
    }

    private func endOfLine(_ start: Int) -> Int {
        text[start...].firstIndex(of: newline) ?? text.endIndex
    }
}

private let newline = UInt8(ascii: "\n")
