package import Core

/// Lists what other lists name: one list, or a ZIP file of them. One collection for each list.
package struct ManifestSource: Source {
    /// The table of the options and the name `manifest`.
    package static let info = SourceInfo<ManifestOptions>(
        type: "manifest",
        summary: "the URLs of a list in JSON, JSON Lines, CSV or text, or of a ZIP file of such lists",
        path: "{collection}/{stem}.{extension}",
        expects: [.image, .pdf, .zip],
        templateFields: [
            TemplateField(
                name: "path", help: "the path that the list gives, else the URL's; its slashes make folders",
                isPath: true)
        ],
        defaults: ManifestOptions(),
        fields: ManifestOptions.fields)

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
