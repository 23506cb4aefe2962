package import Model
import SourceKit

/// The pages of a manifest, of up to 1,000 items: however long its lists are, no more is in memory. The first ones are
/// short, so that the first transfers begin soon.
package struct ManifestPages: SourcePages {
    private static let longestPage = 1_000
    /// Collections and items.
    private var pageSize = 125

    private let options: ManifestOptions
    private let context: SourceContext
    private var manifest: Manifest?
    private var list: ListReading?

    init(options: ManifestOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    /// The next page; nil when every list has been read.
    ///
    /// - Throws: why the manifest can't be had or read. What is wrong with one list of a ZIP file, or with one element of
    ///   a list, is an item.
    package mutating func next() async throws -> Page? {
        var page = Page()
        if manifest == nil {
            let manifest = try await Manifest(options, context)
            page.warnings = manifest.warnings
            self.manifest = manifest
        }
        defer { pageSize = min(2 * pageSize, Self.longestPage) }
        while page.collections.count + page.items.count < pageSize {
            if var reading = list.take() {
                if let item = try reading.next() {
                    page.items.append(item)
                    if reading.isIncomplete { page.incomplete.insert(reading.collection.key) }
                    list = reading
                }
            } else if let next = try manifest?.nextList() {
                page.collections.append(next.collection)
                list = next
            } else {
                break
            }
        }
        return page.collections.isEmpty && page.items.isEmpty && page.warnings.isEmpty ? nil : page
    }
}
