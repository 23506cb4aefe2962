import Glibc
package import SQLite

/// What a shard's file says of itself beside the rows that it has of the catalog: all that a machine needs that has
/// neither the catalog nor the job file.
package struct ShardHead: Sendable, Hashable {
    package var run: Int64
    /// From 0, and how many there are.
    package var number: Int
    package var shards: Int
    /// What the catalog calls itself, and where it is on the machine that carved.
    package var catalog: String
    package var database: String
    /// The job's name, its file, absolute, and the text of that.
    package var job: String
    package var file: String
    package var text: [UInt8]
    /// `KEY=VALUE` of each `--set`.
    package var overrides: [String]
    /// Whether items are fetched in full, whatever is stored.
    package var isRefreshing: Bool
    /// Hosts that other shards ask, too, such as `https://example.org`, and how many shards do.
    package var parts: [String: Int]

    package init(
        run: Int64, number: Int, shards: Int, catalog: String, database: String, job: String, file: String,
        text: [UInt8], overrides: [String], isRefreshing: Bool, parts: [String: Int]
    ) {
        self.run = run
        self.number = number
        self.shards = shards
        self.catalog = catalog
        self.database = database
        self.job = job
        self.file = file
        self.text = text
        self.overrides = overrides
        self.isRefreshing = isRefreshing
        self.parts = parts
    }
}

/// Files of shards: catalogs with some items of one run, and a head.
package enum ShardFile {
    private static let headSchema = """
        CREATE TABLE head (
            run_id INTEGER NOT NULL, number INTEGER NOT NULL, shards INTEGER NOT NULL, catalog TEXT NOT NULL,
            database TEXT NOT NULL, job TEXT NOT NULL, file TEXT NOT NULL, text BLOB NOT NULL,
            is_refreshing INTEGER NOT NULL
        );
        CREATE TABLE head_override (position INTEGER PRIMARY KEY, text TEXT NOT NULL);
        CREATE TABLE head_part (origin TEXT PRIMARY KEY, parts INTEGER NOT NULL) WITHOUT ROWID;
        """

    // MARK: Carving

    /// Notes which items go into which shards, for ``make(_:at:items:from:)``.
    package static func assign(_ items: [(item: Int64, shard: Int)], on catalog: Connection) throws {
        try catalog.execute(
            """
            DROP TABLE IF EXISTS temp.carved;
            CREATE TEMP TABLE carved (shard INTEGER, item INTEGER, PRIMARY KEY (shard, item)) WITHOUT ROWID
            """)
        try catalog.transaction {
            for (item, shard) in items {
                try catalog.run("INSERT INTO temp.carved (shard, item) VALUES (?, ?)") { values in
                    values.add(Int64(shard))
                    values.add(item)
                }
            }
        }
    }

    /// Makes a file with the items of one shard.
    ///
    /// - Parameters:
    ///   - path: on a local disk, with nothing there.
    ///   - items: how many it has.
    package static func make(_ head: ShardHead, at path: String, items: Int, from catalog: Connection) throws {
        let file = try Connection(path: path, mode: .readWriteCreate)
        try CatalogSchema.migrator.migrate(file)
        try file.execute(headSchema)
        file.close()
        try catalog.run("ATTACH ? AS part", path)
        defer { try? catalog.run("DETACH part") }
        try catalog.transaction {
            try catalog.execute("DELETE FROM part.identity; INSERT INTO part.identity SELECT * FROM main.identity")
            try catalog.run("INSERT INTO part.job SELECT * FROM main.job WHERE name = ?", head.job)
            try catalog.run("INSERT INTO part.run SELECT * FROM main.run WHERE id = ?", head.run)
            try catalog.run("INSERT INTO part.template SELECT * FROM main.template WHERE job = ?", head.job)
            try catalog.run(
                """
                INSERT INTO part.collection SELECT * FROM main.collection WHERE id IN (
                    SELECT collection_id FROM temp.carved JOIN main.item ON id = item WHERE shard = ?)
                """, head.number)
            try catalog.run(
                """
                INSERT INTO part.item SELECT source.* FROM temp.carved CROSS JOIN main.item AS source ON id = item
                WHERE shard = ? ORDER BY id
                """, head.number)
            try catalog.run(
                "INSERT INTO part.shard (run_id, number, items) VALUES (?, ?, ?)", head.run, head.number, items)
            try catalog.run(
                "INSERT INTO part.head VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", head.run, head.number, head.shards,
                head.catalog, head.database, head.job, head.file, head.text, head.isRefreshing)
            for text in head.overrides {
                try catalog.run("INSERT INTO part.head_override (text) VALUES (?)", text)
            }
            for (origin, parts) in head.parts {
                try catalog.run("INSERT INTO part.head_part VALUES (?, ?)", origin, parts)
            }
        }
    }

    // MARK: Reading

    /// What an open shard's file says of itself.
    ///
    /// - Parameter path: of the file that the open one was copied from, for messages.
    /// - Throws: ``CatalogError`` for what is no shard.
    package static func head(of shard: Connection, copiedFrom path: String) throws -> ShardHead {
        let version: Int
        do {
            version = try CatalogSchema.migrator.verify(shard)
        } catch MigrationError.newer {
            throw CatalogError("\(path) was carved by a later version of this program: use that")
        } catch is MigrationError {
            throw CatalogError("\(path) is no shard: runner shards makes them")
        }
        guard version > 0 else { throw CatalogError("\(path) is no shard: runner shards makes them") }
        guard version == CatalogSchema.migrator.migrations.count else {
            throw CatalogError("\(path) was carved by an earlier version of this program: use that, or carve anew")
        }
        let tables: Int? = try shard.value("SELECT count(*) FROM sqlite_schema WHERE name = 'head'")
        let head =
            tables == 1
            ? try shard.first(
                """
                SELECT run_id, number, shards, catalog, database, job, file, text, is_refreshing FROM head
                """
            ) { row in
                ShardHead(
                    run: try row[0], number: try row[1], shards: try row[2], catalog: try row[3], database: try row[4],
                    job: try row[5], file: try row[6], text: try row[7], overrides: [],
                    isRefreshing: try row[8], parts: [:])
            } : nil
        guard var head else { throw CatalogError("\(path) is no shard: runner shards makes them") }
        head.overrides = try shard.rows("SELECT text FROM head_override ORDER BY position") { try $0[0] }
        try shard.forEach("SELECT origin, parts FROM head_part") { row in head.parts[try row[0]] = try row[1] }
        return head
    }

    /// Copies what a shard's file has by now into a new file, whole, while others write.
    package static func snapshot(of path: String, to copy: String) throws {
        unlink(copy)
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.run("VACUUM INTO ?", copy)
    }

    /// Has a file need nothing beside it.
    ///
    /// - Returns: what `body` makes of it.
    package static func seal<T>(_ path: String, _ body: (Connection) throws -> T = { _ in }) throws -> T {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute("PRAGMA journal_mode = DELETE")
        return try body(connection)
    }

    // MARK: Coming home

    /// What the network changed of an item.
    private static let broughtColumns = [
        "path", "extension", "media_type", "size", "sha256", "stored_url", "etag", "last_modified", "expires_at",
        "variant", "stored_at", "state", "failure", "is_unsettled", "permanent_failures", "asked_again_at",
        "stored_run", "asked_run", "asked_in_vain", "failed_since", "failed_status",
    ]

    /// Brings the rows of a shard's file into the catalog, those that are there already as well. What a later run did to an
    /// item stays.
    ///
    /// - Parameter path: of a copy on a local disk.
    package static func merge(_ path: String, run: Int64, number: Int, into catalog: Connection) throws {
        try catalog.run("ATTACH ? AS part", path)
        defer { try? catalog.run("DETACH part") }
        let isLatest = """
            item.id = brought.id AND settled.item_id = brought.id AND settled.run_id = ?1
            AND coalesce(item.asked_run, 0) <= ?1 AND item.state <> 'removed'
            """
        let assignments = broughtColumns.map { "\($0) = brought.\($0)" }.joined(separator: ", ")
        try catalog.transaction {
            try catalog.run(
                """
                INSERT OR REPLACE INTO main.transfer (\(transferColumns), shard)
                SELECT \(transferColumns), ?2 FROM part.transfer
                WHERE run_id = ?1 AND outcome <> 'cancelled' AND item_id IN (SELECT id FROM main.item)
                """, run, number)
            try catalog.run(
                """
                UPDATE main.item SET \(assignments) FROM part.item AS brought, part.transfer AS settled
                WHERE \(isLatest) AND settled.outcome <> 'cancelled'
                """, run)
            // A name that was taken on the disk; one that another item has by now stays its own.
            try catalog.run(
                """
                UPDATE OR IGNORE main.item SET stem = brought.stem, path_hash = brought.path_hash
                FROM part.item AS brought, part.transfer AS settled
                WHERE \(isLatest) AND brought.path_hash <> item.path_hash
                """, run)
            try catalog.run(
                """
                INSERT INTO main.throttle SELECT * FROM part.throttle WHERE run_id = ?
                ON CONFLICT (run_id, host) DO UPDATE SET refusals = max(refusals, excluded.refusals),
                    cuts = max(cuts, excluded.cuts),
                    least_concurrency = min(coalesce(least_concurrency, excluded.least_concurrency),
                        coalesce(excluded.least_concurrency, least_concurrency)),
                    least_rate = min(coalesce(least_rate, excluded.least_rate),
                        coalesce(excluded.least_rate, least_rate)),
                    held_us = max(held_us, excluded.held_us), pauses = max(pauses, excluded.pauses),
                    given_up = max(given_up, excluded.given_up)
                """, run)
            try catalog.run(
                """
                INSERT OR REPLACE INTO main.shard (run_id, number, host, node, attempt, started_at, finished_at, items)
                SELECT run_id, number, host, node, attempt, started_at, finished_at, items FROM part.shard
                WHERE run_id = ?
                """, run)
        }
    }

    /// Takes the sums of a run from its rows.
    package static func sum(_ run: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE main.run SET (downloaded, unchanged, fresh, failed, cancelled, wire_bytes, body_bytes) = (
                SELECT coalesce(sum(outcome = 'downloaded'), 0), coalesce(sum(outcome = 'unchanged'), 0),
                    coalesce(sum(outcome = 'fresh'), 0), coalesce(sum(outcome = 'failed'), 0),
                    coalesce(sum(outcome = 'cancelled'), 0), coalesce(sum(wire_bytes), 0),
                    coalesce(sum(body_bytes), 0)
                FROM main.transfer WHERE run_id = ?1) WHERE id = ?1
            """, run)
    }

    private static let transferColumns = """
        run_id, item_id, outcome, attempts, status, failure, detail, started_at, queue_us, dns_us, connect_us, tls_us,
        wait_us, receive_us, total_us, store_us, elapsed_us, wire_bytes, body_bytes, http_version, connection_reused,
        address
        """
}
