import Model
package import SourceKit

/// Lists what other lists name: one list, or a ZIP file of them. One collection for each list.
package struct ManifestSource: Source {
    /// The table of the options and the name `manifest`.
    package static let info = SourceInfo<ManifestOptions>(
        type: "manifest",
        summary: "the URLs of a list in JSON, JSON Lines, CSV or text, or of a ZIP file of such lists",
        details: [
            "A list has one of four formats, recognised by its content: text, with a URL on each line (empty lines and lines that "
                + "begin with # are skipped); a JSON array of URLs or objects; JSON Lines, with one of these on each line; "
                + "CSV with a header.",
            "An object, or a row of CSV, has `url` and may have `title`, `path` (used by `{path}` in output.path), `size` "
                + "in bytes and `sha256` in hexadecimal. Size and digest are checked; an item whose listed sha256 equals "
                + "the stored file's is not requested again. Objects may also have `headers`, a mapping of names to "
                + "values, which are sent with this item's request. Other members and columns are kept "
                + "as the item's metadata, and are `{metadata.NAME}` in output.path.",
        ],
        path: "{collection}/{stem}.{extension}",
        expects: [.image, .pdf, .zip],
        templateFields: [
            TemplateField(
                name: "path", help: "the path that the list gives, else the URL's; its slashes make folders",
                isPath: true)
        ],
        defaults: ManifestOptions(),
        fields: ManifestOptions.fields,
        files: { options in
            guard case .file(let path) = options.url else { return [] }
            return [("url", path)]
        })

    private let options: ManifestOptions
    private let context: SourceContext

    /// Keeps the options.
    package init(options: ManifestOptions, context: SourceContext) throws {
        self.options = options
        self.context = context
    }

    /// The lists in natural order of their names, read as far as they are asked for.
    package func pages() -> ManifestPages {
        ManifestPages(options: options, context: context)
    }
}
