package import SQLite

/// A transfer that failed, as far as it says why and where.
package struct FailedTransfer: Sendable, Hashable {
    package let item: Int64
    /// `transfer.failure`.
    package let word: String?
    package let status: Int64?
    /// Of the item, as the catalog writes it.
    package let url: String
    package let detail: String?

    /// Hands the failures of a run to `body`, in the order of the list.
    package static func forEach(
        ofRun run: Int64, from connection: Connection, _ body: (FailedTransfer) -> Void
    ) throws {
        try connection.forEach(
            """
            SELECT item_id, transfer.failure, status, url, detail FROM transfer JOIN item ON item.id = item_id
            WHERE run_id = ? AND outcome = 'failed' ORDER BY position, item_id
            """, run
        ) { row in
            body(
                FailedTransfer(
                    item: try row[0], word: try row[1], status: try row[2], url: try row[3], detail: try row[4]))
        }
    }
}
