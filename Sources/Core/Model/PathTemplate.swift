import Files
import Media
import YAML

/// The checked template of `output.path`: literal text and `{fields}` between slashes.
///
/// The extension is known only from the bytes, so that rendering gives a *stem* in which ``extensionMark`` stands for
/// it; a control character, which no rendered value can contain.
package struct PathTemplate: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        case field(String)
        /// A field whose slashes make folders.
        case path(String)
        /// A field that has a date, and how the date is written.
        case date(String, DateFormat)
    }

    /// As the job file writes it.
    package let text: String
    private let components: [Component]

    /// A part between slashes.
    private struct Component: Sendable, Hashable {
        var pieces: [Piece]
        /// The field that is all of it.
        var field: String?
        /// Whether its extension may be the one that the URL is written with.
        var endsInStemAndExtension: Bool

        init(_ pieces: [Piece]) {
            self.pieces = pieces
            if pieces.count == 1, case .field(let name) = pieces[0], name != extensionField { field = name }
            endsInStemAndExtension = pieces.suffix(3).elementsEqual(stemAndExtension)
        }
    }

    /// Stands for the extension in a stem.
    package static let extensionMark: Character = "\u{1}"

    /// Stands for the dot before an extension that the URL is written with and that is no known type's: `x`, this dot,
    /// `bin.` and the mark are `x.bin` where the file's extension is `bin`, and else `x.bin.png`.
    package static let keptDot: Character = "\u{2}"

    /// The field that the mark stands for.
    private static let extensionField = "extension"

    /// How a component ends whose extension may be the one that the URL is written with.
    private static let stemAndExtension: [Piece] = [.field("stem"), .literal("."), .field(extensionField)]

    /// In one part, so that with as many extensions and a number it stays below the 255 bytes of a name.
    private static let mostExtensions = 6

    /// In bytes; what is longer loses folders from its middle. Leaves room for numbers and extensions below the 4,000 of
    /// ``RelativePath``.
    private static let longestStem = 3_000

    /// The fields every template may use.
    package static let commonFields: [TemplateField] = [
        TemplateField(name: "key", help: "the item's key"),
        TemplateField(name: "title", help: "the item's title"),
        TemplateField(name: "collection", help: "the title of the item's collection"),
        TemplateField(name: "section", help: "the item's section, else its collection's"),
        TemplateField(name: "position", help: "the item's place in the list, four digits"),
        TemplateField(name: "name", help: "the last segment of the URL's path, decoded"),
        TemplateField(name: "stem", help: "the same without a known extension"),
        TemplateField(name: extensionField, help: "from the bytes: jpg, png, pdf …"),
        TemplateField(name: "host", help: "the URL's host"),
    ]

    /// Checks a template.
    ///
    /// - Parameter acceptsOthers: whether fields of other names are accepted, since not all are known.
    /// - Throws: ``TemplateError`` with what is wrong and where in the text.
    package init(_ text: String, fields: [TemplateField], acceptsOthers: Bool = false) throws(TemplateError) {
        self.text = text
        let known = Self.commonFields + fields
        if text.hasPrefix("/") { throw TemplateError("a template can't start with /") }
        var components: [Component] = []
        for component in Self.components(of: text) {
            let pieces = try Self.parse(component, known: known, acceptsOthers)
            guard pieces.count(where: { $0 == .field(Self.extensionField) }) <= Self.mostExtensions else {
                throw TemplateError("a part can have {extension} at most \(Self.mostExtensions) times")
            }
            switch pieces {
            case []: throw TemplateError("a template can't have an empty part between slashes")
            case [.literal("..")], [.literal(".")]: throw TemplateError("a template can't have . or .. as a part")
            default: components.append(Component(pieces))
            }
        }
        self.components = components
    }

    /// The parts between slashes. `{taken:%Y/%m}` is `{taken:%Y}/{taken:%m}`.
    private static func components(of text: String) -> [Substring] {
        var parts: [Substring] = []
        var part = ""
        /// The field with its colon that a format is read of.
        var field: String?
        var isInside = false
        var name = ""
        for character in text {
            switch character {
            case "/":
                if field != nil { part.append("}") }
                parts.append(part[...])
                part = field ?? ""
                if field == nil { isInside = false }
                continue
            case "{": (isInside, name, field) = (true, "", nil)
            case "}": (isInside, field) = (false, nil)
            case ":" where isInside && field == nil: field = name + ":"
            default: break
            }
            if isInside, field == nil { name.append(character) }
            part.append(character)
        }
        parts.append(part[...])
        return parts
    }

    private static func parse(
        _ text: Substring, known: [TemplateField], _ acceptsOthers: Bool
    ) throws(TemplateError) -> [Piece] {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text
        while let character = rest.first {
            if character == "}" { throw TemplateError("a } without its {") }
            guard character == "{" else {
                if character.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
                    throw TemplateError("a template can't have control characters")
                }
                literal.append(character)
                rest.removeFirst()
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { throw TemplateError("a { without its }") }
            let written = rest[rest.index(after: rest.startIndex)..<end]
            if written.contains("{") {
                throw TemplateError("a { without its }", hint: "before '\(written.drop { $0 != "{" })}'")
            }
            let colon = written.firstIndex(of: ":")
            let name = String(colon.map { written[..<$0] } ?? written)
            let isAccepted = acceptsOthers && !name.isEmpty || TemplateField.isMetadata(name)
            let other = isAccepted ? TemplateField(name: name, help: "") : nil
            guard let field = known.first(where: { $0.name == name }) ?? other else {
                let hint = hint(for: name, in: known.map(\.name))
                throw TemplateError("unknown field '{\(name)}' in the template", hint: hint)
            }
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
            if let colon {
                guard field.isDate || other != nil else {
                    throw TemplateError(
                        "{\(name)} has no date that '\(written[colon...].dropFirst())' could be the format of",
                        hint: hint(forDates: known))
                }
                pieces.append(.date(name, try DateFormat(String(written[colon...].dropFirst()))))
            } else {
                pieces.append(field.isPath ? .path(name) : .field(name))
            }
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }

    private static func hint(forDates known: [TemplateField]) -> String {
        let dates = known.filter(\.isDate).map { "{\($0.name):%Y-%m}" }
        return "dates are \((dates + ["members such as {metadata.date:%Y-%m}"]).joined(separator: ", "))"
    }

    private static func hint(for name: String, in known: [String]) -> String {
        if let match = closestMatch(to: name, in: known) { return "did you mean '{\(match)}'?" }
        return "the fields are \(known.map { "{\($0)}" }.joined(separator: " "))"
    }

    /// Whether paths have a field's value in them.
    package func uses(_ field: String) -> Bool {
        components.lazy.flatMap(\.pieces).contains { piece in
            switch piece {
            case .field(let name), .path(let name), .date(let name, _): name == field
            case .literal: false
            }
        }
    }

    /// Whether a file may have the name of a folder: paths have folders, and no file an extension of its bytes.
    package var mayNameFilesLikeFolders: Bool {
        guard let last = components.last?.pieces, !last.contains(.field(Self.extensionField)) else { return false }
        return components.count > 1
            || last.contains { piece in
                if case .path = piece { true } else { false }
            }
    }

    /// The stem of an item's path: each part one safe component of at most 200 bytes.
    package func render(_ value: (String) -> String) -> String {
        var stem = ""
        // So that it need not grow with each piece.
        stem.reserveCapacity(64)
        for part in components {
            if let field = part.field {
                if !stem.isEmpty { stem += "/" }
                // Most parts are one field, whose safe component is its own.
                stem += safeComponent(value(field))
                continue
            }
            Self.render(part.pieces, value) { component in
                if !stem.isEmpty { stem += "/" }
                // A part that is one field, or has fields in it, is made safe as a whole, so that its length holds too.
                guard component.hasExtensionMark else { return stem += safeComponent(component) }
                let safe = Self.safeWithMark(component)
                stem += part.endsInStemAndExtension ? Self.keepingExtension(safe, of: value("stem")) : safe
            }
        }
        return stem.utf8.count > Self.longestStem ? Self.shortened(stem) : stem
    }

    /// A component with the dot marked that the extension of the URL's name has before it.
    private static func keepingExtension(_ component: String, of name: String) -> String {
        guard let written = writtenExtension(of: name) else { return component }
        let end = written + "." + String(extensionMark)
        // By bytes, which costs a quarter of comparing characters; what is compared is ASCII.
        let rest = component.utf8.dropLast(end.utf8.count)
        guard rest.last == UInt8(ascii: "."), component.utf8.suffix(end.utf8.count).elementsEqual(end.utf8) else {
            return component
        }
        return String(Substring(rest.dropLast())) + String(keptDot) + end
    }

    /// A stem without so many folders before its last part that the rest is short enough.
    private static func shortened(_ stem: String) -> String {
        let parts = stem.split(separator: "/")
        var room = longestStem - parts[parts.count - 1].utf8.count
        let folders = parts.dropLast().prefix { part in
            room -= part.utf8.count + 1
            return room >= 0
        }
        return (folders + parts.suffix(1)).joined(separator: "/")
    }

    /// Hands on one component, or more of them where a path field has folders.
    private static func render(_ pieces: [Piece], _ value: (String) -> String, _ add: (String) -> Void) {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .field(Self.extensionField): text.append(extensionMark)
            case .field(let name): text += safeComponent(value(name))
            case .date(let name, let format): text += safeComponent(format.string(from: value(name)))
            case .path(let name):
                let parts = value(name).split(separator: "/")
                for folder in parts.dropLast() {
                    add(text + safeComponent(String(folder)))
                    text = ""
                }
                text += safeComponent(parts.last.map(String.init) ?? "")
            }
        }
        add(text)
    }

    /// Makes a component safe around its extension mark, which ``safeComponent(_:maximumBytes:)`` would replace.
    private static func safeWithMark(_ text: String) -> String {
        let beforeDot = text.utf8.dropLast(2)
        if text.utf8.suffix(2).elementsEqual([UInt8(ascii: "."), 1]), !beforeDot.contains(1) {
            return safeComponent(String(Substring(beforeDot))) + "." + String(extensionMark)
        }
        let parts = text.split(separator: extensionMark, omittingEmptySubsequences: false).map(String.init)
        let longest = 180 / parts.count
        return parts.indices.map { index in
            guard parts[index].utf8.count <= longest else { return safeComponent(parts[index], maximumBytes: longest) }
            // What is safe only within a name keeps its neighbours: a dot that does not lead, a space that does not end.
            let before = index > 0 ? "_" : ""
            let after = index < parts.count - 1 ? "_" : ""
            let scalars = safeComponent(before + parts[index] + after, maximumBytes: longest + 10).unicodeScalars
            return String(scalars.dropFirst(before.utf8.count).dropLast(after.utf8.count))
        }.joined(separator: String(extensionMark))
    }

    /// A stem with the extension put in.
    package static func path(stem: String, extension: String) -> String {
        let bytes = stem.utf8
        guard let mark = bytes.firstIndex(of: 1) else { return stem }
        let rest = bytes.index(after: mark)
        guard bytes[rest...].contains(1) || bytes[..<mark].contains(2) else {
            return stem[..<mark] + `extension` + stem[rest...]
        }
        return stem.split(separator: "/", omittingEmptySubsequences: false)
            .map { fill($0, with: `extension`) }.joined(separator: "/")
    }

    /// The path as it is likely to be, with `{extension}` where only the bytes tell it.
    package static func shown(stem: String) -> String {
        let parts = stem.split(separator: "/", omittingEmptySubsequences: false).map { part -> String in
            guard let dot = part.firstIndex(of: keptDot) else { return String(part) }
            return String(part[..<dot]) + "." + String(extensionMark)
        }
        return path(stem: parts.joined(separator: "/"), extension: "{extension}")
    }

    private static func fill(_ part: Substring, with fileExtension: String) -> String {
        var part = part
        if let dot = part.firstIndex(of: keptDot) {
            let written = part[part.index(after: dot)...]
            let isSame = written.dropLast(2) == fileExtension
            part = part[..<dot] + "." + (isSame ? written.suffix(1) : written)
        }
        return part.split(separator: extensionMark, omittingEmptySubsequences: false).joined(separator: fileExtension)
    }

    /// A stem with ` (n)` before the extension, for the n-th of equal ones.
    package static func numbered(stem: String, _ number: Int) -> String {
        let slash = stem.lastIndex(of: "/").map(stem.index(after:)) ?? stem.startIndex
        let name = stem[slash...]
        if let dot = name.firstIndex(of: keptDot) { return "\(stem[..<dot]) (\(number))\(stem[dot...])" }
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].dropFirst() == String(extensionMark)[...]
                || MediaType.isKnown(extension: name[dot...].dropFirst())
        else { return "\(stem) (\(number))" }
        return "\(stem[..<dot]) (\(number))\(stem[dot...])"
    }
}

/// Why a template can't be used.
package struct TemplateError: Error, Sendable {
    package let message: String
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension String {
    /// Told by its byte, which is part of no other character's.
    fileprivate var hasExtensionMark: Bool {
        var text = self
        return text.withUTF8 { $0.contains(1) }
    }
}

/// A `{field}` that a template may use.
package struct TemplateField: Hashable, Sendable {
    package let name: String
    package let help: String
    /// Whether slashes in its values make folders, each a safe component, instead of becoming `_`.
    package let isPath: Bool
    /// Whether its values are dates, which a format may write in another way: `{taken:%Y-%m}`.
    package let isDate: Bool

    /// What the name of a field begins with that has a member of the item's metadata: `{metadata.artist}`.
    package static let metadataPrefix = "metadata."

    static func isMetadata(_ name: String) -> Bool {
        name.hasPrefix(metadataPrefix) && name.utf8.count > metadataPrefix.utf8.count
    }

    package init(name: String, help: String, isPath: Bool = false, isDate: Bool = false) {
        self.name = name
        self.help = help
        self.isPath = isPath
        self.isDate = isDate
    }
}
