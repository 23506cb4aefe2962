package import SQLite

/// A table of the catalog as other programs get it: a row for each run, transfer or item, with what it belongs to.
///
/// Rows are read in pages of their own, with the output in between: however long the table and slow the reader, neither
/// memory nor the catalog's write-ahead log grows.
package enum CatalogTable: String, Sendable, CaseIterable {
    case item, transfer, run

    private static let rowsPerPage = 256

    /// Gives a page of rows: the first parameter is the scope, the second the key after which it begins.
    var sql: String {
        switch self {
        // "+" keeps the planner from the index by job, in whose order each page would have to be sorted.
        case .item: "SELECT * FROM v_item WHERE +job = ? AND item_id > ? ORDER BY item_id LIMIT \(Self.rowsPerPage)"
        case .transfer:
            "SELECT * FROM v_transfer WHERE run_id = ? AND item_id > ? ORDER BY item_id LIMIT \(Self.rowsPerPage)"
        case .run:
            "SELECT \(CatalogSchema.runColumns) FROM run WHERE job = ? AND id > ? ORDER BY id LIMIT \(Self.rowsPerPage)"
        }
    }

    private var keyColumn: String { self == .run ? "run_id" : "item_id" }

    /// The names of the columns, in order.
    package func columns(on connection: Connection) throws -> [String] {
        try connection.statement(sql).columnNames
    }

    /// Hands the rows of these jobs to `body`, job by job, and calls `flush` outside of any transaction.
    package func forEach(
        of jobs: [String], from connection: Connection, _ body: (borrowing Row) throws -> Void,
        flush: () throws -> Void
    ) throws {
        for job in jobs {
            guard self == .transfer else {
                try pages(of: job, from: connection, body, flush)
                continue
            }
            let runs = try connection.rows("SELECT id FROM run WHERE job = ? ORDER BY id", job) { try $0[0] as Int64 }
            for run in runs { try pages(of: run, from: connection, body, flush) }
        }
    }

    /// Hands the transfers of a run to `body`, in the order of their items.
    package static func forEachTransfer(
        ofRun run: Int64, from connection: Connection, _ body: (borrowing Row) throws -> Void,
        flush: () throws -> Void
    ) throws {
        try CatalogTable.transfer.pages(of: run, from: connection, body, flush)
    }

    private func pages(
        of scope: some SQLiteBindable, from connection: Connection, _ body: (borrowing Row) throws -> Void,
        _ flush: () throws -> Void
    ) throws {
        let statement = try connection.statement(sql)
        let key = statement.columnNames.firstIndex(of: keyColumn) ?? 0
        var last = Int64.min
        var count: Int
        repeat {
            count = 0
            try statement.forEach(scope, last) { row in
                last = try row[key]
                count += 1
                try body(row)
            }
            try flush()
        } while count == Self.rowsPerPage
    }
}
