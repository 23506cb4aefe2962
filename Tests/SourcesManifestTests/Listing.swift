import Model
import SourceKit
import SourcesManifest
import TestSupport
import YAML

/// What the source lists of files beside the job file.
struct Listing {
    private(set) var pages: [Page] = []
    /// Why the listing ended early.
    private(set) var failure: String?

    /// Lists a file of that name.
    init(_ name: String, _ bytes: [UInt8], options: String = "") async throws {
        let directory = try TemporaryDirectory()
        try directory.write(bytes, to: name)
        let context = SourceContext(folder: directory.path, now: { 0 }) { _, _, _ in throw UnexpectedRequest() }
        let (decoded, faults) = decode("url: \"\(name)\"\n\(options)")
        if let fault = faults.first { throw fault }
        var pages = try ManifestSource(options: decoded, context: context).pages()
        do {
            while let page = try await pages.next() { self.pages.append(page) }
        } catch {
            failure = String(describing: error)
        }
    }

    init(_ name: String, _ text: String, options: String = "") async throws {
        try await self.init(name, Array(text.utf8), options: options)
    }

    /// Lists a ZIP file of these texts.
    init(zip files: KeyValuePairs<String, String>, options: String = "") async throws {
        try await self.init("lists.zip", ZipFile(files).bytes, options: options)
    }

    var collections: [ListedCollection] { pages.flatMap(\.collections) }
    var items: [ListedItem] { pages.flatMap(\.items) }
    var keys: [String] { items.map(\.key) }
    var urls: [String] { items.map(\.url) }
    var warnings: [String] { pages.flatMap(\.warnings) }

    /// Keys with why they can't be fetched.
    var invalid: [String] { items.compactMap { item in item.invalid.map { "\(item.key): \($0)" } } }
}

private struct UnexpectedRequest: Error {}

/// What the module's table makes of the `source:` mapping of a job file, and the faults it finds.
func decode(_ yaml: String) -> (options: ManifestOptions, faults: [Diagnostic]) {
    var options = ManifestSource.info.defaults
    var diagnostics: [Diagnostic] = []
    let source = YAMLSource(name: "manifest.yaml", bytes: Array(yaml.utf8))
    let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
    var context = DecodingContext(place: "source", diagnostics: diagnostics)
    for document in documents {
        ManifestSource.info.fields.decode(document, into: &options, passing: ["type"], &context)
    }
    return (options, context.diagnostics)
}
