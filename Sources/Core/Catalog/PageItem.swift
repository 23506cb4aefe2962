package import SQLite

/// Everything that the catalog knows of one item, for the page.
package struct PageItem: Sendable {
    package struct Picture: Sendable {
        package let kind: String
        package let position: Int64
        package let name: String?
        package let path: String
        package let width: Int64
        package let height: Int64
        package let size: Int64
        package let sha256: String
    }

    package struct Transfer: Sendable {
        package let run: Int64
        package let outcome: String
        package let failure: String?
        package let detail: String?
        package let httpVersion: String?
        package let address: String?
        /// The columns of numbers, by name.
        package let numbers: [(name: String, value: Int64?)]
    }

    package let row: PageItemRow
    package let collectionTitle: String
    package let collectionSubtitle: String?
    package let url: String
    package let description: String?
    package let section: String?
    /// A JSON object.
    package let metadata: String?
    package let path: String?
    package let sha256: String?
    package let storedAt: Int64?
    package let etag: String?
    package let lastModified: String?
    package let pictures: [Picture]
    /// The newest first.
    package let transfers: [Transfer]

    private static let numbers = [
        "attempts", "status", "started_at", "queue_us", "dns_us", "connect_us", "tls_us", "wait_us", "receive_us",
        "total_us", "store_us", "elapsed_us", "wire_bytes", "body_bytes", "connection_reused",
    ]

    /// Nil where there is no such item.
    package init?(_ id: Int64, from catalog: Connection) throws {
        guard let row = try PageItemRow.rows([id], from: catalog).first else { return nil }
        self.row = row
        let facts = try catalog.first(
            """
            SELECT collection.title, collection.subtitle, url, description, coalesce(item.section, collection.section),
                metadata, path, sha256, stored_at, etag, last_modified
            FROM item JOIN collection ON collection.id = collection_id WHERE item.id = ?
            """, id
        ) { row in
            (
                try row[0] as String, try row[1] as String?, try row[2] as String, try row[3] as String?,
                try row[4] as String?, try row[5] as String?, try row[6] as String?, try row[7] as String?,
                try row[8] as Int64?, try row[9] as String?, try row[10] as String?
            )
        }
        guard let facts else { return nil }
        (
            collectionTitle, collectionSubtitle, url, description, section, metadata, path, sha256, storedAt, etag,
            lastModified
        ) = facts
        pictures = try Self.pictures(of: id, from: catalog)
        transfers = try Self.transfers(of: id, job: row.job, from: catalog)
    }

    static func pictures(of id: Int64, from catalog: Connection) throws -> [Picture] {
        try catalog.rows(
            """
            SELECT kind, position, name, path, width, height, size, sha256 FROM picture WHERE item_id = ?
            ORDER BY position, kind
            """, id
        ) { row in
            Picture(
                kind: try row[0], position: try row[1], name: try row[2], path: try row[3], width: try row[4],
                height: try row[5], size: try row[6], sha256: try row[7])
        }
    }

    private static func transfers(of id: Int64, job: String, from catalog: Connection) throws -> [Transfer] {
        // By way of the runs, as the rows of transfers lie.
        try catalog.statement(
            """
            SELECT run.id, transfer.outcome, transfer.failure, transfer.detail, http_version, address,
                \(numbers.map { "transfer.\($0)" }.joined(separator: ", "))
            FROM (SELECT id FROM run WHERE job = ? ORDER BY id DESC LIMIT 1000) AS run
            CROSS JOIN transfer ON run_id = run.id AND item_id = ? ORDER BY run.id DESC LIMIT 50
            """
        ).rows(job, id) { row in
            var values: [(name: String, value: Int64?)] = []
            for (index, name) in numbers.enumerated() { values.append((name, try row[6 + index])) }
            return Transfer(
                run: try row[0], outcome: try row[1], failure: try row[2], detail: try row[3], httpVersion: try row[4],
                address: try row[5], numbers: values)
        }
    }
}
