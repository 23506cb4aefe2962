package import SQLite

/// A part of a run that one machine takes, as its row in the table `shard` has it.
package struct ShardRow: Sendable, Hashable {
    /// From 0.
    package let number: Int
    /// How many items it has.
    package let items: Int
    /// The machine that worked on it, by its own name and by that of the engine; nil before the first came home.
    package let host: String?
    package let node: String?
    /// How often it was begun.
    package let attempt: Int
    /// Microseconds since 1970 UTC, by the clock of that machine.
    package let startedAt: Int64?
    /// nil while items of it are still to be asked.
    package let finishedAt: Int64?

    package init(
        number: Int, items: Int, host: String? = nil, node: String? = nil, attempt: Int = 0, startedAt: Int64? = nil,
        finishedAt: Int64? = nil
    ) {
        self.number = number
        self.items = items
        self.host = host
        self.node = node
        self.attempt = attempt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}

/// The rows of the table `shard`: in the catalog those of all shards of a run, in a shard's file its own.
package enum ShardRows {
    /// `run.pid` of a run whose shards are on their way.
    static let noProcess: Int64 = 0

    /// `transfer.shard` is the number of the shard that an item was in; NULL where the run had none.
    static let schema = """
        CREATE TABLE shard (
            run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            host TEXT,
            node TEXT,
            attempt INTEGER NOT NULL DEFAULT 0,
            started_at INTEGER,
            finished_at INTEGER,
            items INTEGER NOT NULL,
            PRIMARY KEY (run_id, number)
        ) WITHOUT ROWID;
        ALTER TABLE transfer ADD COLUMN shard INTEGER;
        """

    /// The folder that attempts at a shard share in `.runner/shards` of the output directory.
    package static func group(run: Int64, _ number: Int) -> String { "\(run)-\(number)" }

    /// The folders of shards that are on their way.
    package static func groupsInUse(ofJob job: String, on catalog: Connection) throws -> Set<String> {
        Set(
            try catalog.rows(
                """
                SELECT run_id, number FROM shard JOIN run ON id = run_id
                WHERE job = ? AND run.finished_at IS NULL
                """, job
            ) { row in group(run: try row[0], try row[1]) })
    }

    package static func all(ofRun run: Int64, on catalog: Connection) throws -> [ShardRow] {
        try catalog.rows(
            """
            SELECT number, items, host, node, attempt, started_at, finished_at FROM shard WHERE run_id = ?
            ORDER BY number
            """, run
        ) { row in
            ShardRow(
                number: try row[0], items: try row[1], host: try row[2], node: try row[3], attempt: try row[4],
                startedAt: try row[5], finishedAt: try row[6])
        }
    }

    package static func write(_ shard: ShardRow, ofRun run: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            INSERT OR REPLACE INTO shard (run_id, number, host, node, attempt, started_at, finished_at, items)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, run, shard.number, shard.host, shard.node, shard.attempt, shard.startedAt, shard.finishedAt,
            shard.items)
    }

    /// Has the shards carry a run: its process ends, and the run goes on.
    ///
    /// - Parameter folder: where they are, absolute; `run.detail` says so until the run ends.
    package static func carry(
        _ run: Int64, _ shards: [ShardRow], in folder: String, on catalog: Connection
    ) throws {
        for shard in shards { try write(shard, ofRun: run, on: catalog) }
        try catalog.run("UPDATE run SET pid = ?, detail = ? WHERE id = ?", noProcess, detailPrefix + folder, run)
    }

    private static let detailPrefix = "its shards are in "

    /// Runs of a job whose shards have not all come home, and the folders they were carved into, where that is known.
    package static func carriedRuns(ofJob job: String, on catalog: Connection) throws -> [(run: Int64, folder: String?)]
    {
        try catalog.rows(
            """
            SELECT id, detail FROM run WHERE job = ? AND finished_at IS NULL
            AND EXISTS (SELECT 1 FROM shard WHERE run_id = run.id) ORDER BY id
            """, job
        ) { row in
            let detail: String? = try row[1]
            let folder = detail.flatMap { $0.hasPrefix(detailPrefix) ? String($0.dropFirst(detailPrefix.count)) : nil }
            return (try row[0], folder)
        }
    }

    /// How many items of each shard have come home.
    package static func settledByShard(inRun run: Int64, on catalog: Connection) throws -> [Int: Int] {
        var result: [Int: Int] = [:]
        try catalog.forEach(
            "SELECT shard, count(*) FROM transfer WHERE run_id = ? AND shard IS NOT NULL GROUP BY shard", run
        ) { row in result[try row[0]] = try row[1] }
        return result
    }

    /// How far a shard's file is: how many of its items have their rows.
    package static func settled(inRun run: Int64, on shard: Connection) throws -> Int {
        try shard.value("SELECT count(*) FROM transfer WHERE run_id = ? AND outcome <> 'cancelled'", run) ?? 0
    }

    /// Takes the rows of items that a shard was cut short of: they are asked when it goes on.
    ///
    /// - Parameter diskFaults: whether also those that this machine could not store.
    package static func reopen(inRun run: Int64, diskFaults: Bool, on shard: Connection) throws {
        try shard.run(
            "DELETE FROM transfer WHERE run_id = ?1 AND (outcome = 'cancelled' OR ?2 AND failure = 'disk')", run,
            diskFaults)
    }

    /// Has a shard's file name the output directory that its machine uses.
    package static func setDirectory(_ directory: String, ofJob job: String, on shard: Connection) throws {
        try shard.run("UPDATE job SET directory = ? WHERE name = ?", directory, job)
    }
}

/// What a node did in a run that many machines shared.
package struct NodeFigures: Sendable, Hashable {
    package let node: String
    /// Microseconds of downloads, in ascending order.
    package let totals: [Int64]
    package let transfers: Int64
    package let failed: Int64
    package let wireBytes: Int64

    /// By node, in order of their names.
    package static func all(ofRun run: Int64, from catalog: Connection) throws -> [NodeFigures] {
        var totals: [String: [Int64]] = [:]
        try catalog.forEach(
            """
            SELECT coalesce(node, shard.host, ''), total_us FROM transfer
            JOIN shard ON shard.run_id = transfer.run_id AND number = transfer.shard
            WHERE transfer.run_id = ? AND outcome = 'downloaded' AND total_us IS NOT NULL ORDER BY total_us
            """, run
        ) { row in totals[try row[0] as String, default: []].append(try row[1]) }
        return try catalog.rows(
            """
            SELECT coalesce(node, shard.host, '') AS name, count(*), sum(outcome = 'failed'),
                CAST(total(transfer.wire_bytes) AS INTEGER) FROM transfer
            JOIN shard ON shard.run_id = transfer.run_id AND number = transfer.shard
            WHERE transfer.run_id = ? GROUP BY name ORDER BY name
            """, run
        ) { row in
            let node: String = try row[0]
            return NodeFigures(
                node: node, totals: totals[node] ?? [], transfers: try row[1], failed: try row[2],
                wireBytes: try row[3])
        }
    }
}
