import Catalog
import Files
import HTTP
import Jobs
import Media
import Model
import SQLite
import Transfer

/// What a list says of an item, as a run takes it.
struct ItemListing {
    /// As its row has it: without secrets.
    let columns: ListedColumns
    let expectedContent: ExpectedContent
    /// nil for what can't be fetched, which needs no path.
    let stem: String?

    init(
        _ item: ListedItem, url: WebURL?, position: Int, collection: ListedCollections.Collection,
        _ context: RunContext
    ) {
        let secrets = context.job.trust.secrets
        let title = Secrets.withoutUserinfo(item.title)
        expectedContent = ExpectedContent(
            size: item.size, sha256: item.sha256.flatMap { SHA256Digest(hex: $0) }, headers: item.headers)
        columns = ListedColumns(
            collection: collection.id, position: position,
            url: url == nil
                ? String(secrets.mask(url: item.url, isAddress: false).prefix(2_000)) : secrets.mask(url: item.url),
            title: title, description: item.description.map(secrets.hide), section: item.section,
            metadata: metadataText(item.metadata, hiding: secrets.hide),
            thumbnailURL: item.thumbnailURL.map { secrets.mask(url: $0) },
            expected: expectedContent.isEmpty ? nil : expectedContent.text(hiding: secrets.mask))
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

/// The rows that a list makes or changes.
extension RunLedger {
    /// Makes the row of a new item, its path the listed one or the same with the first free number.
    ///
    /// - Returns: nil when the key has a row.
    func insert(_ listing: ItemListing, key: String, on catalog: Connection) throws -> ItemRow? {
        guard let stem = listing.stem else {
            return try insert(listing, key: key, path: PathKey(pathlessItem: key), on: catalog)
        }
        if let row = try names.nameUnasked(stem, { try insert(listing, key: key, path: $0, on: catalog) }) {
            return row
        }
        guard try ItemRows.find(key: key, inJob: context.job.name, on: catalog) == nil else { return nil }
        return try insert(listing, key: key, path: names.claim(stem, for: nil, on: catalog), on: catalog)
    }

    /// - Returns: nil when the key or the path has a row.
    private func insert(
        _ listing: ItemListing, key: String, path: PathKey, on catalog: Connection
    ) throws -> ItemRow? {
        let columns = listing.columns
        let id = try ItemRows.insert(
            columns, key: key, path: path, template: renaming.template, inJob: context.job.name, on: catalog)
        if id != nil { try listEnd.noteEntered(on: catalog) }
        return id.map { id in
            ItemRow(
                id: id, collectionID: columns.collection, key: key, position: columns.position, url: columns.url,
                title: columns.title, stem: path.stem, template: renaming.template)
        }
    }

    /// Brings a row up to what the list says.
    func update(_ row: inout ItemRow, to listing: ItemListing, on catalog: Connection) throws {
        let columns = listing.columns
        // Most rows are as the list says, and are not copied: a copy takes 800 instructions.
        if row.state != .gone, row.has(columns), row.storedURL == nil || row.storedURL == columns.url { return }
        var new = row
        new.collectionID = columns.collection
        new.position = columns.position
        new.url = columns.url
        new.title = columns.title
        new.description = columns.description
        new.section = columns.section
        new.metadata = columns.metadata
        new.thumbnailURL = columns.thumbnailURL
        new.listing = columns.expected
        if row.state == .gone {
            let isStored = row.storedFile(in: context.output) != nil
            new.state = isStored ? .stored : row.failure == nil ? .pending : .failed
        }
        let secrets = context.job.trust.secrets
        // A changed URL is another resource: what failed before says nothing of it.
        if row.url != columns.url, !secrets.isSameURL(row.url, columns.url) {
            new.permanentFailures = 0
            new.askedAgainAt = nil
        }
        // One that is hidden in another way is not.
        if let stored = row.storedURL, stored != columns.url, secrets.isSameURL(stored, columns.url) {
            new.storedURL = columns.url
        }
        guard new.differs(from: row) else { return }
        try ItemRows.update(new, on: catalog)
        row = new
    }
}

/// A URL's last segment without a known extension.
private func nameWithoutExtension(_ name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
        MediaType.isKnown(extension: Substring(name.utf8[name.utf8.index(after: dot)...]))
    else { return name }
    return String(name[..<dot])
}
