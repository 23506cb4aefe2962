import Model

extension ListedItem {
    /// The same item with some values of its own.
    func with(
        url: String? = nil, title: String? = nil, description: String? = nil, section: String? = nil,
        metadata: [String: MetadataValue]? = nil, thumbnailURL: String? = nil, fields: [String: String]? = nil,
        size: Int64? = nil, sha256: String? = nil, headers: [ListedHeader]? = nil, invalid: String? = nil
    ) -> ListedItem {
        ListedItem(
            collection: collection, key: key, url: url ?? self.url, title: title ?? self.title,
            description: description ?? self.description, section: section ?? self.section,
            metadata: metadata ?? self.metadata, thumbnailURL: thumbnailURL ?? self.thumbnailURL,
            fields: fields ?? self.fields, size: size ?? self.size, sha256: sha256 ?? self.sha256,
            headers: headers ?? self.headers, invalid: invalid ?? self.invalid)
    }
}
