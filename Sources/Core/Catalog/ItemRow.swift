import Files
import HTTP
import SQLite

/// A row of the `item` table, as far as listing and fetching need it.
struct ItemRow {
    var id: Int64
    var collectionID: Int64
    var position: Int
    var url: String
    var title: String
    var description: String?
    var section: String?
    var metadata: String?
    var thumbnailURL: String?
    var path: String?
    var mediaType: String?
    var size: Int64?
    var sha256: String?
    var storedURL: String?
    var etag: String?
    var lastModified: String?
    var expiresAt: Int64?
    var state: String
    var failure: String?
    var stem: String
    var isUnsettled: Bool
    var permanentFailures: Int
    var askedAgainAt: Int64?
    var listing: String?
    var key: String
    var template: Int64?
    var variant: String?
    /// The run that asked last, 0 for none; and how many have asked in vain since one had success.
    var askedRun: Int64 = 0
    var askedInVain = 0
    /// Of the file that the item has or had; nil where none was stored, or a version without this column stored it.
    var `extension`: String?

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
    func promise(_ secrets: Secrets) -> Promise {
        var promise = listing.flatMap(Promise.init(text:)) ?? Promise()
        for index in promise.headers.indices {
            let value = promise.headers[index].value
            promise.headers[index].value = secrets.expand(value) ?? value
        }
        return promise
    }

    /// The file that the row claims, if it is there with its size.
    func storedFile(in output: OutputDirectory) -> StoredFile? {
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
