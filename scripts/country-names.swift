// Prints the names of countries in all languages that ICU knows, for scripts/generate-country-names, which says how.
//
//   country-names CODES         all of it, after a look at each language in each region; some minutes
//   country-names CODES TABLE   what ICU says now of the tags of a table that was printed before; seconds
//
// CODES are the alpha-2 codes in lower case, TABLE is the path of the table.
import Foundation

/// What ICU has of a tag.
struct Names: Hashable, Sendable {
    /// `deDeutschland`: the code, the name; in the order of the language.
    let lines: [String]
    /// In the order of the codes.
    let names: [String]
}

struct Row {
    let tag: String
    /// The script that the language is usually written in; only for a language alone.
    let script: String?
    let names: Names
}

struct Tag: Hashable, Sendable {
    let language: String
    var script: String?
    var region: String?

    init(_ language: String, _ script: String? = nil, _ region: String? = nil) {
        self.language = language
        self.script = script
        self.region = region
    }

    init(_ text: String) {
        var parts = text.split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
        language = parts.removeFirst()
        script = parts.first?.count == 4 ? parts.removeFirst() : nil
        region = parts.first
    }

    var text: String { [language, script, region].compactMap(\.self).joined(separator: "-") }

    /// Where the program looks, in this order: Language.swift does the same.
    func places(usual: String) -> [String] {
        let isUsual = script == nil || script == usual
        return [
            text, isUsual ? Tag(language, nil, region).text : Tag(language, script).text, language,
        ]
    }
}

let codes = CommandLine.arguments[1].split(separator: " ").map(String.init)
let known = Set(Locale.availableIdentifiers.map { Tag($0) })
let languages = Set(known.map(\.language)).sorted()
let regions = {
    let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }
    let two = letters.flatMap { first in letters.map { first + $0 } }
    let three = (0...999).map { number in String(String(number + 1000).dropFirst()) }
    return (two + three).filter { Locale.Region($0).isISORegion }
}()

/// 419, Latin America: the only numbers that have locales of their own are among these.
let groups = Set(Locale.Region.isoRegions.map(\.identifier))

func usualScript(of language: String) -> String {
    Locale.Language(identifier: language).script?.identifier ?? "Zyyy"
}

func names(in locale: Locale) -> [String] {
    codes.map { code in
        guard let name = locale.localizedString(forRegionCode: code.uppercased()) else {
            fatalError("no name of \(code) in \(locale.identifier): has this Foundation no ICU data?")
        }
        return name
    }
}

func everything(of tag: Tag) -> Names {
    let locale = Locale(identifier: tag.text)
    let names = names(in: locale)
    let lines = zip(codes, names).map { (code: $0, name: $1) }.sorted { first, second in
        switch first.name.compare(second.name, locale: locale) {
        case .orderedAscending: true
        case .orderedSame: first.code < second.code
        case .orderedDescending: false
        }
    }
    return Names(lines: lines.map { $0.code + $0.name }, names: names)
}

/// The rows of a language: itself, each script that it may be written in, and every tag that differs from what the program
/// would find for it otherwise.
func rows(of language: String) -> [Row] {
    let usual = usualScript(of: language)
    let own = known.filter { $0.language == language }
    var rows: [Row] = []
    var found: [String: Names] = [:]
    func add(_ tag: Tag, script: String? = nil) {
        let names = everything(of: tag)
        if let expected = tag.places(usual: usual).lazy.compactMap({ found[$0] }).first, expected == names,
            tag.region != nil, scripts.contains(tag.script ?? usual)
        {
            return
        }
        found[tag.text] = names
        rows.append(Row(tag: tag.text, script: script, names: names))
    }
    let scripts = Set(own.filter { $0.region == nil }.compactMap(\.script)).union([usual])
    add(Tag(language), script: usual)
    for script in scripts.subtracting([usual]).sorted() { add(Tag(language, script)) }
    for region in regions where region.count == 2 || groups.contains(region) {
        let tag = Tag(language, nil, region)
        let differs = names(in: Locale(identifier: tag.text)) != rows[0].names.names
        if differs || own.contains(tag) { add(tag) }
        // ICU goes from a usual script to the language, and not always so from a region.
        if differs || own.contains(Tag(language, usual, region)) { add(Tag(language, usual, region)) }
    }
    for tag in own.sorted(by: { $0.text < $1.text }) {
        if let script = tag.script, script != usual, tag.region != nil { add(tag) }
    }
    return rows
}

/// The tags of a table, and whatever language ICU knows beside them.
func rows(asIn table: String) -> [Row] {
    let tags = table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix { !$0.isEmpty }
        .map { String($0.prefix { $0 != "\t" }) }
    return (tags + Set(languages).subtracting(tags).sorted()).map { text in
        let tag = Tag(text)
        return Row(
            tag: text, script: tag.script == nil && tag.region == nil ? usualScript(of: text) : nil,
            names: everything(of: tag))
    }
}

let rows: [Row]
if CommandLine.arguments.count > 2 {
    rows = rows(asIn: try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8))
} else {
    rows = languages.flatMap { rows(of: $0) }
}
var numbers: [Names: Int] = [:]
var bodies: [Names] = []
var output = "\(regions.joined(separator: " "))\n\(codes.count)\n"
for row in rows {
    if numbers[row.names] == nil {
        numbers[row.names] = bodies.count
        bodies.append(row.names)
    }
    output += "\(row.tag)\t\(row.script ?? "")\t\(numbers[row.names]!)\n"
}
output += "\n"
for body in bodies { output += body.lines.joined(separator: "\n") + "\n" }
FileHandle.standardOutput.write(Data(output.utf8))
