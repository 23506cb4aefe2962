import Files
import HTTP

/// What is needed to fetch one item, from listing to its row.
final class ItemWork: Sendable {
    let context: RunContext
    let id: Int64
    /// The row of its collection.
    let collectionID: Int64
    let collection: String
    let key: String
    let title: String
    let url: WebURL
    /// The URL as the catalog writes it.
    let shownURL: String
    /// The path without its extension; see ``PathTemplate``.
    let stem: String
    let promise: Promise
    /// What is stored of it, when the file is there with its size.
    let stored: StoredFile?
    /// The row's path, whether or not its file is there: this item may write it.
    let claimedPath: String?
    /// Whether the stored validators may be sent: the policy and the URL allow it.
    let isConditional: Bool
    let precedence: Precedence
    let listedAt: Monotonic

    init(
        context: RunContext, id: Int64, collectionID: Int64, collection: String, key: String, title: String,
        url: WebURL, shownURL: String,
        stem: String, promise: Promise, stored: StoredFile?, claimedPath: String?, isConditional: Bool,
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
        self.promise = promise
        self.stored = stored
        self.claimedPath = claimedPath
        self.isConditional = isConditional
        self.precedence = precedence
        self.listedAt = listedAt
    }

    var partName: String { Core.partName(ofItem: id) }
}

/// The name of an item's part file: the same in every run, so that it can be resumed.
func partName(ofItem id: Int64) -> String { "item-\(id)" }

/// The item that a part is of; nil for a part of another kind.
func itemID(ofPart name: String) -> Int64? {
    guard let id = name.hasPrefix("item-") ? Int64(name.dropFirst(5)) : nil, partName(ofItem: id) == name else {
        return nil
    }
    return id
}

/// A file that the catalog claims and that is there. An object: most items have none and would carry its room.
final class StoredFile: Sendable {
    let path: RelativePath
    /// As its path has it; nil where a version that did not keep it has stored the file.
    let `extension`: String?
    let mediaType: String?
    let size: Int64
    let sha256: SHA256Digest
    let freshness: Freshness

    init(
        path: RelativePath, extension: String?, mediaType: String?, size: Int64, sha256: SHA256Digest,
        freshness: Freshness
    ) {
        self.path = path
        self.extension = `extension`
        self.mediaType = mediaType
        self.size = size
        self.sha256 = sha256
        self.freshness = freshness
    }
}
