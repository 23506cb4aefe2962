import YAML

/// The URL of a flag with fields for the country's code: the values of `url`.
struct FlagURLTemplate: Hashable, Sendable {
    /// A field of the template; its raw value is the name between braces.
    enum Field: String, CaseIterable {
        case code
        case upperCaseCode = "CODE"
        case code3

        var help: String {
            switch self {
            case .code: "ISO 3166-1 alpha-2 in lower case: de"
            case .upperCaseCode: "the same in upper case: DE"
            case .code3: "ISO 3166-1 alpha-3 in lower case: deu"
            }
        }

        func value(for country: Country) -> String {
            switch self {
            case .code: country.code
            case .upperCaseCode: country.code.uppercased()
            case .code3: country.code3
            }
        }
    }

    private enum Piece: Hashable {
        case literal(Substring)
        case field(Field)
    }

    /// Why a text is no such template.
    struct Fault: Error {
        let message: String
        var hint: String?
    }

    private let pieces: [Piece]

    /// Checks a template.
    ///
    /// - Throws: ``Fault`` if it is not http or https, names no host, has a field that is none, or has no field at all.
    init(_ text: String) throws(Fault) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let afterScheme = text.dropFirst(scheme.count)
        guard scheme == "http" || scheme == "https", afterScheme.hasPrefix("://"),
            let host = afterScheme.dropFirst(3).first, !"/?#:".contains(host)
        else { throw Fault(message: "must be an http or https URL") }

        pieces = try Self.pieces(of: text)
        guard pieces.contains(where: { if case .field = $0 { true } else { false } }) else {
            throw Fault(
                message: "must have a field for the country", hint: "for example https://flagcdn.com/w320/{code}.png")
        }
    }

    private static func pieces(of text: String) throws(Fault) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[brace] == "{" else { throw Fault(message: "has a } without its {") }
            guard let end = rest[brace...].firstIndex(of: "}") else { throw Fault(message: "has a { without its }") }
            let name = String(rest[rest.index(after: brace)..<end])
            guard let field = Field(rawValue: name) else { throw Fault(unknownField: name) }
            pieces.append(.literal(rest[..<brace]))
            pieces.append(.field(field))
            rest = rest[rest.index(after: end)...]
        }
        pieces.append(.literal(rest))
        return pieces
    }

    /// The URL of a country's flag.
    func url(for country: Country) -> String {
        pieces.reduce(into: "") { url, piece in
            switch piece {
            case .literal(let text): url += text
            case .field(let field): url += field.value(for: country)
            }
        }
    }
}

extension FlagURLTemplate.Fault {
    fileprivate init(unknownField name: String) {
        let known = FlagURLTemplate.Field.allCases.map(\.rawValue)
        let near = closestMatch(to: name, in: known).map { "did you mean '{\($0)}'?" }
        let all = "the fields are \(known.map { "{\($0)}" }.joined(separator: " "))"
        self.init(message: "has an unknown field '{\(name)}'", hint: near ?? all)
    }
}

extension FlagURLTemplate: YAMLDecodable {
    /// `URL template`.
    static var yamlType: String { "URL template" }

    /// A template that is an http or https URL once its fields are filled in.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> FlagURLTemplate? {
        guard let text = String.decode(node, &context) else { return nil }
        do {
            return try FlagURLTemplate(text)
        } catch {
            context.error("\(context.name) \(error.message)", at: node, hint: error.hint)
            return nil
        }
    }
}
