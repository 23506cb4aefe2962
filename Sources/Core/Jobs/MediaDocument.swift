package import MediaProtocol
package import YAML

// The keys of `media:`.

extension RenderSettings: YAMLRecord {
    package static let fields = FieldTable<RenderSettings>([
        .optional("thumbnail", \.thumbnail, default: nil, help: "of every picture, page and contained picture"),
        .optional("pdf", \.pdf, default: nil, help: "what is made of PDFs"),
        .optional("zip", \.zip, default: nil, help: "what is made of ZIP files"),
        .optional(
            "max_pixels", \.pixels, default: "100MP", help: "a picture or page with more is refused",
            check: { $0.count > 0 ? nil : "must be more than 0" }),
    ])

    fileprivate var pixels: PixelCount {
        get { PixelCount(count: maximumPixels) }
        set { maximumPixels = newValue.count }
    }

    fileprivate var zip: ZIPDocument {
        get { ZIPDocument(pictures: entries) }
        set { entries = newValue.pictures }
    }
}

extension RenderSettings.Thumbnail: YAMLRecord {
    package static let fields = FieldTable<RenderSettings.Thumbnail>([
        .optional(
            "size", \.size, default: "256", help: "pixels of the longer side, at most; a picture is never enlarged",
            check: { (16...4_096).contains($0) ? nil : "must be 16 to 4096" }),
        .optional("format", \.format, default: "webp", help: "of the file"),
        .optional(
            "quality", \.quality, default: "80", help: "of webp and jpeg",
            check: { (1...100).contains($0) ? nil : "must be 1 to 100" }),
    ])
}

extension RenderSettings.PDF: YAMLRecord {
    package static let fields = FieldTable<RenderSettings.PDF>([
        .optional("pages", \.pages, default: "1", help: "the pages to render", example: "1-3"),
        .optional(
            "dpi", \.dpi, default: "144", help: "pixels an inch",
            check: { (16...1_200).contains($0) ? nil : "must be 16 to 1200" }),
        .optional("format", \.format, default: "png", help: "of the file"),
    ])

    fileprivate var pages: PageRange {
        get { PageRange(first: first, last: last) }
        set { (first, last) = (newValue.first, newValue.last) }
    }
}

extension RenderSettings.Format: YAMLEnum {}
extension RenderSettings.Entries: YAMLEnum {}

/// `media.zip`.
private struct ZIPDocument: YAMLRecord {
    var pictures = RenderSettings.Entries.all

    init() {}

    init(pictures: RenderSettings.Entries) {
        self.pictures = pictures
    }

    static let fields = FieldTable<ZIPDocument>([
        .optional("pictures", \.pictures, default: "all", help: "which of the pictures inside are taken")
    ])
}

/// Pages as a job file writes them: `1`, `1-3`, `all`.
private struct PageRange: YAMLDecodable {
    var first: Int
    /// nil: the last one there is.
    var last: Int?

    static var yamlType: String { "page, range of pages or all" }

    static var yamlTypePhrase: String { "a page such as 1, a range such as 1-3, or all" }

    static func decode(_ node: Node, _ context: inout DecodingContext) -> PageRange? {
        let text = node.scalar?.text ?? ""
        if text == "all" { return PageRange(first: 1, last: nil) }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil,
            (1...100_000).contains(first), (first...max(first, 100_000)).contains(last)
        else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return PageRange(first: first, last: last)
    }
}

/// A number of pixels: `100MP`, `500kP`, `1000000`.
private struct PixelCount: YAMLDecodable {
    var count: Int64

    static var yamlType: String { "number of pixels" }

    static var yamlTypePhrase: String { "a number of pixels such as 100MP or 1000000" }

    static func decode(_ node: Node, _ context: inout DecodingContext) -> PixelCount? {
        let text = node.scalar?.text ?? ""
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factors: [Substring: Double] = ["": 1, "P": 1, "kP": 1e3, "MP": 1e6, "GP": 1e9]
        guard let number = Double(digits), let factor = factors[text[digits.endIndex...]],
            let count = Int64(exactly: (number * factor).rounded())
        else {
            context.mismatch(node, wanted: yamlTypePhrase)
            return nil
        }
        return PixelCount(count: count)
    }
}
