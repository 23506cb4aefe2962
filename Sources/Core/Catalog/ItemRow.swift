package import Files
import HTTP
package import Model
import SQLite

/// A row of the `item` table, as far as listing and fetching need it.
package struct ItemRow {
    package var id: Int64
    package var collectionID: Int64
    package var position: Int
    package var url: String
    package var title: String
    package var description: String?
    package var section: String?
    package var metadata: String?
    package var thumbnailURL: String?
    package var path: String?
    package var mediaType: String?
    package var size: Int64?
    package var sha256: String?
    package var storedURL: String?
    package var etag: String?
    package var lastModified: String?
    package var expiresAt: Int64?
    package var state: ItemState
    package var failure: FailureWord?
    package var stem: String
    package var isUnsettled: Bool
    package var permanentFailures: Int
    package var askedAgainAt: Int64?
    package var listing: String?
    package var key: String
    package var template: Int64?
    package var variant: String?
    /// The run that asked last, 0 for none; and how many have asked in vain since one had success.
    package var askedRun: Int64 = 0
    package var askedInVain = 0
    /// Of the file that the item has or had; nil where none was stored, or a version without this column stored it.
    package var `extension`: String?

    static let columns = """
        id, collection_id, position, url, title, description, section, metadata, thumbnail_url, path, media_type, size, \
        sha256, stored_url, etag, last_modified, expires_at, state, failure, stem, is_unsettled, permanent_failures, \
        asked_again_at, listing, key, template, variant, coalesce(asked_run, stored_run, 0), asked_in_vain, extension
        """

    static let columnCount = 30

    init(_ row: borrowing Row) throws {
        id = try row[0]
        collectionID = try row[1]
        position = try row[2]
        url = try row[3]
        title = try row[4]
        description = try row[5]
        section = try row[6]
        metadata = try row[7]
        thumbnailURL = try row[8]
        path = try row[9]
        mediaType = try row[10]
        size = try row[11]
        sha256 = try row[12]
        storedURL = try row[13]
        etag = try row[14]
        lastModified = try row[15]
        expiresAt = try row[16]
        state = try row[17]
        failure = try row[18]
        stem = try row[19]
        isUnsettled = try row[20]
        permanentFailures = try row[21]
        askedAgainAt = try row[22]
        listing = try row[23]
        key = try row[24]
        template = try row[25]
        variant = try row[26]
        askedRun = try row[27]
        askedInVain = try row[28]
        `extension` = try row[29]
    }

    /// What the list promised when it was last read.
    package func expectedContent(_ secrets: Secrets) -> ExpectedContent {
        var expectedContent = listing.flatMap(ExpectedContent.init(text:)) ?? ExpectedContent()
        for index in expectedContent.headers.indices {
            let value = expectedContent.headers[index].value
            expectedContent.headers[index].value = secrets.expand(value) ?? value
        }
        return expectedContent
    }

    /// The file that the row claims, if it is there with its size.
    package func storedFile(in output: OutputDirectory) -> StoredFile? {
        guard let path, let size, let digest = sha256.flatMap(SHA256Digest.init(hex:)),
            let relative = try? RelativePath(validating: path),
            let found = output.information(relative), found.isRegular, found.size == size
        else { return nil }
        return StoredFile(
            path: relative, extension: `extension`, mediaType: mediaType, size: size, sha256: digest,
            freshness: Freshness(
                etag: etag, lastModified: lastModified, expiresAt: expiresAt, variant: variant))
    }
}

extension ItemRow {
    /// A row that was just inserted.
    package init(
        id: Int64, collectionID: Int64, key: String, position: Int, url: String, title: String, stem: String,
        template: Int64
    ) {
        self.id = id
        self.collectionID = collectionID
        self.key = key
        self.position = position
        self.url = url
        self.title = title
        self.stem = stem
        self.template = template
        state = .pending
        isUnsettled = true
        permanentFailures = 0
    }

    /// Whether it says what a list says.
    package func has(_ listed: ListedColumns) -> Bool {
        collectionID == listed.collection && position == listed.position && url == listed.url && title == listed.title
            && description == listed.description && section == listed.section && metadata == listed.metadata
            && thumbnailURL == listed.thumbnailURL && listing == listed.expected
    }

    package func differs(from other: ItemRow) -> Bool {
        collectionID != other.collectionID || position != other.position || url != other.url || title != other.title
            || description != other.description || section != other.section || metadata != other.metadata
            || thumbnailURL != other.thumbnailURL || listing != other.listing || state != other.state
            || permanentFailures != other.permanentFailures || askedAgainAt != other.askedAgainAt
            || storedURL != other.storedURL
    }
}
