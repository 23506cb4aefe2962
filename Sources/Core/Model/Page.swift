package import HTTP

/// Some collections and items of a list. A collection comes before its items, in the same page or an earlier one.
package struct Page: Sendable {
    package var collections: [ListedCollection]
    package var items: [ListedItem]
    /// What a person should know of the list although it goes on.
    package var warnings: [String]
    /// Keys of collections, listed by now, that can't be listed to their ends: what they had before and does not come is
    /// not taken for gone. Other collections are judged as ever.
    package var incomplete: Set<String>
    /// What the source wants to be given at the beginning of its next list, see ``SourceContext/recallList()``. It is kept
    /// in one transaction with the page and all before it.
    package var memory: String?
    /// Whether this list leaves out, on purpose, some of what there is: nothing of the job is then taken for gone.
    package var isPartial = false
    /// Whether its list began a second time, so that items of earlier pages come again without that being a fault.
    package var mayRepeat = false

    package init(
        collections: [ListedCollection] = [], items: [ListedItem] = [], warnings: [String] = [],
        incomplete: Set<String> = []
    ) {
        self.collections = collections
        self.items = items
        self.warnings = warnings
        self.incomplete = incomplete
    }
}

extension Page {
    /// The page in parts of so many items; the first has everything else but the memory, which the last one has.
    package func portions(of count: Int) -> [Page] {
        guard items.count > count else { return [self] }
        return stride(from: 0, to: items.count, by: count).map { start in
            var part = start == 0 ? self : Page()
            part.mayRepeat = mayRepeat
            part.memory = start + count < items.count ? nil : memory
            part.items = Array(items[start..<min(start + count, items.count)])
            return part
        }
    }
}

/// A titled group of items, as a source lists it.
package struct ListedCollection: Sendable {
    /// Stable and unique within the job.
    package var key: String
    package var title: String
    package var subtitle: String?
    package var section: String?
    package var latitude: Double?
    package var longitude: Double?
    /// How many items the source expects to list in it, where it knows beforehand.
    package var expected: Int?

    package init(
        key: String, title: String, subtitle: String? = nil, section: String? = nil,
        latitude: Double? = nil, longitude: Double? = nil, expected: Int? = nil
    ) {
        self.key = key
        self.title = title
        self.subtitle = subtitle
        self.section = section
        self.latitude = latitude
        self.longitude = longitude
        self.expected = expected
    }
}

/// One place in one collection: what to fetch and what is known of it.
///
/// A class, though a value to its users: it is handed from the list to the row half a dozen times.
package final class ListedItem: Sendable {
    /// The key of a collection that was listed before.
    package let collection: String
    /// Stable and unique within the job.
    package let key: String
    /// As the list writes it; spaces and non-ASCII characters are encoded when it is asked for.
    package let url: String
    /// The same, where the source has read it.
    package let webURL: WebURL?
    package let title: String
    package let description: String?
    package let section: String?
    package let metadata: [String: MetadataValue]
    package let thumbnailURL: String?
    /// Values of the module's own template fields.
    package let fields: [String: String]
    /// The length in bytes that the list promises.
    package let size: Int64?
    /// The SHA-256 that the list promises, 64 hexadecimal digits.
    package let sha256: String?
    /// Header fields for this item's own requests.
    package let headers: [ListedHeader]
    /// Why this element of the list can't be fetched; the item then ends as `invalid`.
    package let invalid: String?

    package init(
        collection: String, key: String, url: String, webURL: WebURL? = nil, title: String, description: String? = nil,
        section: String? = nil, metadata: [String: MetadataValue] = [:], thumbnailURL: String? = nil,
        fields: [String: String] = [:], size: Int64? = nil, sha256: String? = nil,
        headers: [ListedHeader] = [], invalid: String? = nil
    ) {
        self.collection = collection
        self.key = key
        self.url = url
        self.webURL = webURL
        self.title = title
        self.description = description
        self.section = section
        self.metadata = metadata
        self.thumbnailURL = thumbnailURL
        self.fields = fields
        self.size = size
        self.sha256 = sha256
        self.headers = headers
        self.invalid = invalid
    }
}

/// A header field that a list asks for with one of its items, or a source with a request of its own.
package struct ListedHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A value in an item's metadata, which the catalog keeps as a JSON object.
package enum MetadataValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case integer(Int64)
    case flag(Bool)
    case list([String])
}
