package import SQLite

/// Everything that the catalog has of one item.
package struct ItemRecord: Sendable {
    package let id: Int64
    package let title: String
    /// As the catalog writes it, secrets as `${NAME}`.
    package let url: String
    /// Of its job, absolute, and the file's path below it.
    package let directory: String
    package let path: String?
    package let collectionKey: String
    package let collectionTitle: String
    package let state: String
    package let failure: String?
    package let description: String?
    package let section: String?
    package let metadata: String?
    package let thumbnailURL: String?
    package let mediaType: String?
    package let size: Int64?
    package let sha256: String?
    package let etag: String?
    package let lastModified: String?
    /// Microseconds since 1970 UTC, as are the two below.
    package let expiresAt: Int64?
    package let storedAt: Int64?
    package let viewedAt: Int64?
    package let storedRun: Int64?

    /// nil when the job has no item of that key.
    package init?(job: String, key: String, from connection: Connection) throws {
        let record = try connection.first(
            """
            SELECT item.id, item.title, item.url, directory, path, collection.key, collection.title, state, failure,
                description, item.section, metadata, thumbnail_url, media_type, size, sha256, etag, last_modified,
                expires_at, stored_at, stored_run, (SELECT at FROM mark WHERE item_id = item.id AND kind = 'viewed')
            FROM item JOIN job ON job.name = item.job JOIN collection ON collection.id = collection_id
            WHERE item.job = ? AND item.key = ?
            """, job, key
        ) { row in try ItemRecord(row) }
        guard let record else { return nil }
        self = record
    }

    private init(_ row: borrowing Row) throws {
        (id, title, url) = (try row[0], try row[1], try row[2])
        (directory, path) = (try row[3], try row[4])
        (collectionKey, collectionTitle) = (try row[5], try row[6])
        (state, failure) = (try row[7], try row[8])
        (description, section, metadata, thumbnailURL) = (try row[9], try row[10], try row[11], try row[12])
        (mediaType, size, sha256) = (try row[13], try row[14], try row[15])
        (etag, lastModified, expiresAt) = (try row[16], try row[17], try row[18])
        (storedAt, storedRun, viewedAt) = (try row[19], try row[20], try row[21])
    }
}

/// A picture that was made of an item.
package struct PictureRecord: Sendable, Hashable {
    package let kind: String
    package let position: Int64
    package let width: Int64
    package let height: Int64
    package let size: Int64
    /// Below the job's folder.
    package let path: String
    package let name: String?

    package static func all(of item: Int64, from connection: Connection) throws -> [PictureRecord] {
        try connection.rows(
            "SELECT kind, position, width, height, size, path, name FROM picture WHERE item_id = ? ORDER BY position, kind",
            item
        ) { row in
            PictureRecord(
                kind: try row[0], position: try row[1], width: try row[2], height: try row[3], size: try row[4],
                path: try row[5], name: try row[6])
        }
    }
}

/// What happened to an item in one run.
package struct ItemTransferRecord: Sendable, Hashable {
    package let run: Int64
    /// Of the transfer, else of the run: microseconds since 1970 UTC.
    package let startedAt: Int64
    package let outcome: String
    package let attempts: Int64
    package let status: Int64?
    /// dns, connect, tls, wait, receive and their total, in microseconds.
    package let times: [Int64?]
    package let wireBytes: Int64?
    package let failure: String?
    package let detail: String?

    package static func all(of item: Int64, from connection: Connection) throws -> [ItemTransferRecord] {
        try connection.rows(
            """
            SELECT run_id, coalesce(transfer.started_at, run.started_at), transfer.outcome, attempts, status,
                dns_us, connect_us, tls_us, wait_us, receive_us, total_us, transfer.wire_bytes, failure, transfer.detail
            FROM transfer JOIN run ON run.id = run_id WHERE item_id = ? ORDER BY run_id
            """, item
        ) { row in
            var times: [Int64?] = []
            for column in 5...10 { times.append(try row[column]) }
            return ItemTransferRecord(
                run: try row[0], startedAt: try row[1], outcome: try row[2], attempts: try row[3], status: try row[4],
                times: times, wireBytes: try row[11], failure: try row[12], detail: try row[13])
        }
    }
}
