import Catalog
import Files
import HTTP
import Jobs
import Media
import Model
import SQLite
import Transfer

/// The rows that a list makes or changes.
extension RunLedger {
    /// What a list says of an item, as the row has it.
    struct Listing {
        let collectionID: Int64
        let position: Int
        let url: String
        let title: String
        let description: String?
        let section: String?
        let metadata: String?
        let thumbnailURL: String?
        let promise: Promise
        let promiseText: String?
        /// nil for what can't be fetched, which needs no path.
        let stem: String?

        init(
            _ item: ListedItem, url: WebURL?, position: Int, collection: ListedCollectionRow, _ context: RunContext
        ) {
            let secrets = context.job.trust.secrets
            collectionID = collection.id
            self.position = position
            self.url =
                url == nil
                ? String(secrets.mask(url: item.url, isAddress: false).prefix(2_000)) : secrets.mask(url: item.url)
            let title = Secrets.withoutUserinfo(item.title)
            self.title = title
            description = item.description.map(secrets.hide)
            section = item.section
            metadata = metadataText(item.metadata, hiding: secrets.hide)
            thumbnailURL = item.thumbnailURL.map { secrets.mask(url: $0) }
            promise = Promise(
                size: item.size, sha256: item.sha256.flatMap { SHA256Digest(hex: $0) },
                headers: item.headers)
            promiseText = promise.isEmpty ? nil : promise.text(hiding: secrets.mask)
            guard let url else {
                stem = nil
                return
            }
            stem = context.job.output.template.render { field in
                switch field {
                case "key": return Secrets.withoutUserinfo(item.key)
                case "title": return title
                case "collection": return collection.title
                case "section": return item.section ?? collection.section ?? ""
                case "position":
                    let digits = String(position)
                    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                case "name": return url.lastPathSegment
                case "stem": return nameWithoutExtension(url.lastPathSegment)
                case "host": return url.host
                default:
                    if let value = item.fields[field] { return value }
                    guard field.hasPrefix(TemplateField.metadataPrefix) else { return "" }
                    return item.metadata[String(field.dropFirst(TemplateField.metadataPrefix.count))]?.plainText ?? ""
                }
            }
        }

    }

    func knownRow(_ key: String, on catalog: Connection) throws -> ItemRow? {
        try catalog.first(
            "SELECT \(ItemRow.columns) FROM item WHERE job = ? AND key = ?", context.job.name, key
        ) { try ItemRow($0) }
    }

    /// Makes the row of a new item, its path the listed one or the same with the first free number.
    ///
    /// - Returns: nil when the key has a row.
    func insert(_ listing: Listing, key: String, on catalog: Connection) throws -> ItemRow? {
        guard let stem = listing.stem else {
            return try insert(listing, key: key, name: ItemName(pathlessItem: key), on: catalog)
        }
        if let row = try nameUnasked(stem, { try insert(listing, key: key, name: $0, on: catalog) }) { return row }
        guard try knownRow(key, on: catalog) == nil else { return nil }
        return try insert(listing, key: key, name: claim(stem, for: nil, on: catalog), on: catalog)
    }

    /// - Returns: nil when the key or the stem has a row.
    private func insert(
        _ listing: Listing, key: String, name: ItemName, on catalog: Connection
    ) throws -> ItemRow? {
        try catalog.run(
            """
            INSERT INTO item (job, collection_id, key, position, url, title, description, section, metadata,
                thumbnail_url, stem, path_hash, listing, template)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """
        ) { values in
            values.add(context.job.name)
            values.add(listing.collectionID)
            values.add(key)
            values.add(listing.position)
            values.add(listing.url)
            values.add(listing.title)
            values.add(listing.description)
            values.add(listing.section)
            values.add(listing.metadata)
            values.add(listing.thumbnailURL)
            values.add(name.stem)
            values.add(name.hash)
            values.add(listing.promiseText)
            values.add(renaming.template)
        }
        guard catalog.changes > 0 else { return nil }
        return ItemRow(
            id: catalog.lastInsertedRowID, collectionID: listing.collectionID, key: key, position: listing.position,
            url: listing.url, title: listing.title, stem: name.stem, template: renaming.template)
    }

    func update(_ row: ItemRow, to listing: Listing, on catalog: Connection) throws -> ItemRow {
        var new = row
        new.collectionID = listing.collectionID
        new.position = listing.position
        new.url = listing.url
        new.title = listing.title
        new.description = listing.description
        new.section = listing.section
        new.metadata = listing.metadata
        new.thumbnailURL = listing.thumbnailURL
        new.listing = listing.promiseText
        if row.state == "gone" {
            let isStored = row.storedFile(in: context.output) != nil
            new.state = isStored ? "stored" : row.failure == nil ? "pending" : "failed"
        }
        let secrets = context.job.trust.secrets
        // A changed URL is another resource: what failed before says nothing of it.
        if row.url != listing.url, !secrets.isSameURL(row.url, listing.url) {
            new.permanentFailures = 0
            new.askedAgainAt = nil
        }
        // One that is hidden in another way is not.
        if let stored = row.storedURL, stored != listing.url, secrets.isSameURL(stored, listing.url) {
            new.storedURL = listing.url
        }
        guard new.differs(from: row) else { return row }
        try catalog.run(
            """
            UPDATE item SET collection_id = ?, position = ?, url = ?, title = ?, description = ?, section = ?,
                metadata = ?, thumbnail_url = ?, listing = ?, state = ?, permanent_failures = ?, asked_again_at = ?,
                stored_url = ?
            WHERE id = ?
            """,
            new.collectionID, new.position, new.url, new.title, new.description, new.section, new.metadata,
            new.thumbnailURL, new.listing, new.state, new.permanentFailures, new.askedAgainAt,
            new.storedURL, new.id)
        return new
    }
}

/// A URL's last segment without a known extension.
private func nameWithoutExtension(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
        MediaType.isKnown(extension: name[name.index(after: dot)...])
    else { return name }
    return String(name[..<dot])
}
