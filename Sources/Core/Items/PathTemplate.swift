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
    }

    /// As the job file writes it.
    package let text: String
    /// The pieces of each path component.
    private let components: [[Piece]]

    /// Stands for the extension in a stem.
    package static let extensionMark: Character = "\u{1}"

    /// The field that the mark stands for.
    private static let extensionField = "extension"

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
    /// - Throws: ``TemplateError`` with what is wrong and where in the text.
    package init(_ text: String, fields: [TemplateField]) throws(TemplateError) {
        self.text = text
        let known = Self.commonFields + fields
        if text.hasPrefix("/") { throw TemplateError("a template can't start with /") }
        var components: [[Piece]] = []
        for component in text.split(separator: "/", omittingEmptySubsequences: false) {
            let pieces = try Self.parse(component, known: known)
            switch pieces {
            case []: throw TemplateError("a template can't have an empty part between slashes")
            case [.literal("..")], [.literal(".")]: throw TemplateError("a template can't have . or .. as a part")
            default: components.append(pieces)
            }
        }
        self.components = components
    }

    private static func parse(_ text: Substring, known: [TemplateField]) throws(TemplateError) -> [Piece] {
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
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            guard let field = known.first(where: { $0.name == name }) else {
                let hint = hint(for: name, in: known.map(\.name))
                throw TemplateError("unknown field '{\(name)}' in the template", hint: hint)
            }
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
            pieces.append(field.isPath ? .path(name) : .field(name))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }

    private static func hint(for name: String, in known: [String]) -> String {
        if let match = closestMatch(to: name, in: known) { return "did you mean '{\(match)}'?" }
        return "the fields are \(known.map { "{\($0)}" }.joined(separator: " "))"
    }

    /// Whether paths have a field's value in them.
    func uses(_ field: String) -> Bool {
        components.joined().contains { $0 == .field(field) || $0 == .path(field) }
    }

    /// The stem of an item's path: each part one safe component of at most 200 bytes.
    package func render(_ value: (String) -> String) -> String {
        var stem = ""
        for pieces in components {
            if pieces.count == 1, case .field(let name) = pieces[0], name != Self.extensionField {
                if !stem.isEmpty { stem += "/" }
                // Most parts are one field, whose safe component is its own.
                stem += safeComponent(value(name))
                continue
            }
            Self.render(pieces, value) { component in
                if !stem.isEmpty { stem += "/" }
                // A part that is one field, or has fields in it, is made safe as a whole, so that its length holds too.
                stem += component.hasExtensionMark ? Self.safeWithMark(component) : safeComponent(component)
            }
        }
        return stem
    }

    /// Hands on one component, or more of them where a path field has folders.
    private static func render(_ pieces: [Piece], _ value: (String) -> String, _ add: (String) -> Void) {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .field(Self.extensionField): text.append(extensionMark)
            case .field(let name): text += safeComponent(value(name))
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
        let suffix = "." + String(extensionMark)
        if text.hasSuffix(suffix), !text.dropLast(2).contains(extensionMark) {
            return safeComponent(String(text.dropLast(2))) + suffix
        }
        let parts = text.split(separator: extensionMark, omittingEmptySubsequences: false).map(String.init)
        return parts.indices.map { index in
            guard parts[index].utf8.count <= 90 else { return safeComponent(parts[index], maximumBytes: 90) }
            // What is safe only within a name keeps its neighbours: a dot that does not lead, a space that does not end.
            let before = index > 0 ? "_" : ""
            let after = index < parts.count - 1 ? "_" : ""
            let scalars = safeComponent(before + parts[index] + after, maximumBytes: 100).unicodeScalars
            return String(scalars.dropFirst(before.utf8.count).dropLast(after.utf8.count))
        }.joined(separator: String(extensionMark))
    }

    /// A stem with the extension put in.
    package static func path(stem: String, extension: String) -> String {
        stem.hasExtensionMark ? stem.replacing(extensionMark, with: `extension`) : stem
    }

    /// The extension in a path that ``path(stem:extension:)`` has made; nil for a stem without a place for it.
    package static func `extension`(in path: String, stem: String) -> String? {
        let parts = stem.split(separator: extensionMark, omittingEmptySubsequences: false)
        guard parts.count > 1, path.utf8.starts(with: parts[0].utf8) else { return nil }
        let rest = path.utf8.dropFirst(parts[0].utf8.count)
        // Where the mark stands once, what is behind it tells the end; else extensions are letters and digits.
        let length = parts.count == 2 ? rest.count - parts[1].utf8.count : rest.prefix(while: isLetterOrDigit).count
        return length > 0 ? String(rest.prefix(length)) : nil
    }

    /// A stem with ` (n)` before the extension, for the n-th of equal ones.
    package static func numbered(stem: String, _ number: Int) -> String {
        let slash = stem.lastIndex(of: "/").map(stem.index(after:)) ?? stem.startIndex
        let name = stem[slash...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].dropFirst() == String(extensionMark)[...]
                || MediaType.isKnown(extension: name[dot...].dropFirst())
        else { return "\(stem) (\(number))" }
        return "\(stem[..<dot]) (\(number))\(stem[dot...])"
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: false
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

    /// The text with each of one character replaced.
    fileprivate func replacing(_ character: Character, with replacement: String) -> String {
        split(separator: character, omittingEmptySubsequences: false).joined(separator: replacement)
    }
}
