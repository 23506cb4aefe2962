import SourceKit
import YAML

/// An element of `pins`: a point on the map and the photos around it.
struct PinOptions: YAMLRecord {
    var name = ""
    /// Degrees north.
    var latitude = 0.0
    /// Degrees east.
    var longitude = 0.0
    /// Kilometres.
    var radius = 5.0
    var since: Since?

    static let fields = FieldTable<PinOptions>([
        .required("name", \.name, help: "the title of the collection", example: "Office", check: complaint(aboutName:)),
        .required(
            "latitude", \.latitude, help: "degrees, north positive", example: "48.137",
            check: { (-90...90).contains($0) ? nil : "must be -90 to 90" }),
        .required(
            "longitude", \.longitude, help: "degrees, east positive", example: "11.575",
            check: { (-180...180).contains($0) ? nil : "must be -180 to 180" }),
        .optional(
            "radius", \.radius, default: "5", help: "kilometres, at most 32",
            check: { $0 > 0 && $0 <= 32 ? nil : "must be over 0 and at most 32" }),
        .optional(
            "since", \.since, default: "2004", help: "photos uploaded since then, a date or an age", example: "30d"),
    ])
}

extension PinOptions {
    init(_ pin: SourcePin) {
        name = pin.name
        latitude = pin.latitude
        longitude = pin.longitude
        if let radius = pin.radius { self.radius = radius }
    }
}

/// The value of `pins`: points that the job file has, or those that people set on the page's map.
enum PinChoice: YAMLDecodable {
    case list([PinOptions])
    case catalog

    static var yamlType: String { "list of mappings, or the word catalog" }
    static var yamlFields: [FieldDocumentation] { PinOptions.yamlFields }

    static func decode(_ node: Node, _ context: inout DecodingContext) -> PinChoice? {
        guard let scalar = node.scalar, !node.isNull else {
            return [PinOptions].decode(node, &context).map(PinChoice.list)
        }
        guard scalar.text == "catalog" else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return .catalog
    }
}

/// An element of `search`: photos by words and tags.
struct SearchOptions: YAMLRecord {
    var name = ""
    var text: String?
    var tags: OneOrMany<String>?
    var since: Since?

    static let fields = FieldTable<SearchOptions>([
        .required(
            "name", \.name, help: "the title of the collection", example: "Lighthouses", check: complaint(aboutName:)),
        .optional("text", \.text, help: "words in title, description or tags", example: "red lighthouse"),
        .optional("tags", \.tags, help: "tags, of which a photo has at least one", example: "[lighthouse, sea]"),
        .optional(
            "since", \.since, default: "ever", help: "photos uploaded since then, a date or an age",
            example: "2024-01-01"),
    ])

    /// As any record; something must be sought, since Flickr refuses to list everything.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> SearchOptions? {
        var record = SearchOptions()
        fields.decode(node, into: &record, &context)
        if case .mapping = node.content, node["text"] == nil, node["tags"] == nil {
            context.error("\(context.name) must have text or tags", at: node)
        }
        return record
    }
}

private func complaint(aboutName name: String) -> String? {
    name.isEmpty ? "must not be empty" : nil
}
