package import Files

/// A file that the catalog claims and that is there. An object: most items have none and would carry its room.
package final class StoredFile: Sendable {
    package let path: RelativePath
    /// As its path has it; nil where a version that did not keep it has stored the file.
    package let `extension`: String?
    package let mediaType: String?
    package let size: Int64
    package let sha256: SHA256Digest
    package let freshness: Freshness

    package init(
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

/// The name of an item's part file: the same in every run, so that it can be resumed.
package func itemPartName(_ id: Int64) -> String { "item-\(id)" }

/// The item that a part is of; nil for a part of another kind.
package func itemID(ofPart name: String) -> Int64? {
    guard let id = name.hasPrefix("item-") ? Int64(name.dropFirst(5)) : nil, itemPartName(id) == name else {
        return nil
    }
    return id
}
