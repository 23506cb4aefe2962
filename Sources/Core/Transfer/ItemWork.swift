import Files
package import HTTP
package import Model
package import System

/// What is needed to fetch one item, from listing to its row.
package final class ItemWork: Sendable {
    package let context: RunContext
    package let id: Int64
    /// The row of its collection.
    package let collectionID: Int64
    package let collection: String
    package let key: String
    package let title: String
    package let url: WebURL
    /// The URL as the catalog writes it.
    package let shownURL: String
    /// The path without its extension; see ``PathTemplate``.
    package let stem: String
    package let expectedContent: ExpectedContent
    /// What is stored of it, when the file is there with its size.
    package let stored: StoredFile?
    /// The row's path, whether or not its file is there: this item may write it.
    package let claimedPath: String?
    /// Whether the stored validators may be sent: the policy and the URL allow it.
    package let isConditional: Bool
    package let precedence: Precedence
    let listedAt: Monotonic

    package init(
        context: RunContext, id: Int64, collectionID: Int64, collection: String, key: String, title: String,
        url: WebURL, shownURL: String,
        stem: String, expectedContent: ExpectedContent, stored: StoredFile?, claimedPath: String?, isConditional: Bool,
        precedence: Precedence, listedAt: Monotonic
    ) {
        self.context = context
        self.id = id
        self.collectionID = collectionID
        self.collection = collection
        self.key = key
        self.title = title
        self.url = url
        self.shownURL = shownURL
        self.stem = stem
        self.expectedContent = expectedContent
        self.stored = stored
        self.claimedPath = claimedPath
        self.isConditional = isConditional
        self.precedence = precedence
        self.listedAt = listedAt
    }

    /// The name of its part file.
    package var partName: String { itemPartName(id) }

    /// The length that the list gives; nil where it gives none, or where the item is asked only whether it has changed.
    package var expectedSize: Int64? { isConditional ? nil : expectedContent.size }
}
