import FoundationEssentials
import SQLite
import TestSupport

/// A copy of a catalog as it is on the disk: reading it leaves to the program under test what a crash left behind.
struct CatalogCopy {
    private let directory: TemporaryDirectory
    private let connection: Connection

    init(of database: String) throws {
        directory = try TemporaryDirectory()
        let copy = directory.path("copy.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
        }
        connection = try Connection(path: copy, mode: .readWrite)
    }

    func value<T: SQLiteReadable>(_ sql: String, as type: T.Type = T.self) throws -> T? {
        try connection.value(sql, as: type)
    }

    /// The first column of all rows.
    func values<T: SQLiteReadable>(_ sql: String, as type: T.Type = T.self) throws -> [T] {
        try connection.rows(sql) { row in try row[0] as T }
    }

    /// A number that is always there, such as a count.
    func number(_ sql: String) throws -> Int {
        try connection.value(sql, as: Int.self) ?? 0
    }

    func rows<T>(_ sql: String, read: (borrowing Row) throws -> T) throws -> [T] {
        try connection.rows(sql, read: read)
    }

    /// Every item of the last run in list order, as `key outcome failure`, words that are not there left out.
    func outcomes() throws -> [String] {
        try values(
            """
            SELECT concat FROM (
                SELECT item.id, key || ' ' || outcome || coalesce(' ' || transfer.failure, '') AS concat
                FROM transfer JOIN item ON item.id = item_id WHERE run_id = (SELECT max(id) FROM run)
            ) ORDER BY id
            """)
    }

    /// What the books contradict: a broken file of the database, sums of a run that differ from those of its transfers,
    /// phases that do not add up. Empty when all is well.
    func contradictions() throws -> [String] {
        var found: [String] = try values("PRAGMA integrity_check").filter { $0 != "ok" }
        found += try values("SELECT 'foreign key of ' || \"table\" FROM pragma_foreign_key_check")
        found += try values(
            """
            SELECT 'sums of run ' || run.id FROM run LEFT JOIN transfer ON run_id = run.id GROUP BY run.id
            HAVING run.downloaded <> coalesce(sum(transfer.outcome = 'downloaded'), 0)
                OR run.unchanged <> coalesce(sum(transfer.outcome = 'unchanged'), 0)
                OR run.fresh <> coalesce(sum(transfer.outcome = 'fresh'), 0)
                OR run.failed <> coalesce(sum(transfer.outcome = 'failed'), 0)
                OR run.cancelled <> coalesce(sum(transfer.outcome = 'cancelled'), 0)
                OR run.wire_bytes <> coalesce(sum(transfer.wire_bytes), 0)
                OR run.body_bytes <> coalesce(sum(transfer.body_bytes), 0)
            """)
        found += try values(
            """
            SELECT 'phases of item ' || item_id || ' in run ' || run_id FROM transfer
            WHERE total_us IS NOT dns_us + connect_us + tls_us + wait_us + receive_us
            """)
        // A catalog whose making was broken off lacks the column.
        if try number("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'evicted'") > 0 {
            found += try values(
                """
                SELECT 'evicted of run ' || run.id FROM run LEFT JOIN transfer ON run_id = run.id GROUP BY run.id
                HAVING run.evicted <> coalesce(sum(transfer.outcome = 'evicted'), 0)
                """)
        }
        found += try values(
            "SELECT 'evicted item ' || id || ' claims a file' FROM item WHERE state = 'evicted' AND path IS NOT NULL")
        return found
    }
}
