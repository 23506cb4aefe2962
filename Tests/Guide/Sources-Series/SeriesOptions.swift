import YAML

/// The options of the source `series`.
package struct SeriesOptions: Sendable {
    var url = ""
    var title = "Series"
    var first = 1
    var last = 1

    static let fields = FieldTable<SeriesOptions>([
        .required(
            "url", \.url, help: "where a page is, with {number}", example: "\"https://example.org/{number}.png\"",
            check: { $0.contains("{number}") ? nil : "must have {number} in it" }),
        .optional("title", \.title, default: "Series", help: "the title of the collection", example: "My comic"),
        .optional("first", \.first, default: "1", help: "the number of the first page"),
        .required("last", \.last, help: "the number of the last page", example: "100"),
    ])

    /// What needs more than one option.
    @Sendable static func validate(_ options: inout SeriesOptions, _ node: Node, _ context: inout DecodingContext) {
        if options.last < options.first, let last = node["last"] {
            context.error("last must not be before first", at: last)
        }
    }
}
