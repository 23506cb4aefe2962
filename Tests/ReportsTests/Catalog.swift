import Catalog
import SQLite

/// A catalog in memory, filled row by row. Ids are given out in the order of the calls, from 1.
struct Catalog {
    let connection: Connection
    /// 2026-01-01 00:00:00 UTC, when the first run of a fixture starts.
    static let start: Int64 = 1_767_225_600_000_000

    init(connection: Connection) {
        self.connection = connection
    }

    /// Without rows.
    init() throws {
        connection = try .inMemory()
        try CatalogSchema.migrator.migrate(connection)
    }

    func addJob(_ name: String) throws {
        try connection.run(
            "INSERT INTO job (name, file, directory, created_at) VALUES (?, ?, '/srv/files', ?)", name,
            "\(name).yaml", Catalog.start)
    }

    /// In the file at `path`, without rows.
    init(at path: String) throws {
        connection = try Connection(path: path, mode: .readWriteCreate)
        try CatalogSchema.migrator.migrate(connection)
    }

    /// A run that started `at` seconds after `start`; its figures are set by `finish`.
    func addRun(of job: String, at seconds: Int64 = 0, selection: String? = nil) throws {
        try connection.run(
            """
            INSERT INTO run (job, started_at, selection, runner_version, libcurl_version, host, pid)
            VALUES (?, ?, ?, '1.0', '7.88.1', 'host', 42)
            """, job, Catalog.start + seconds * 1_000_000, selection)
    }

    /// Ends a run, as the scheduler does: the figures are the sums over its transfers.
    func finish(
        _ run: Int64, _ outcome: String, after microseconds: Int64?, listRequests: Int64 = 0, listBytes: Int64 = 0,
        detail: String? = nil
    ) throws {
        try connection.run(
            """
            UPDATE run SET outcome = ?, finished_at = started_at + ?, list_requests = ?, list_bytes = ?, detail = ?
            WHERE id = ?
            """, outcome, microseconds, listRequests, listBytes, detail, run)
        for name in ["downloaded", "unchanged", "fresh", "evicted", "failed", "cancelled"] {
            try connection.run(
                "UPDATE run SET \(name) = (SELECT count(*) FROM transfer WHERE run_id = run.id AND outcome = ?) WHERE id = ?",
                name, run)
        }
        for name in ["wire_bytes", "body_bytes"] {
            try connection.run(
                "UPDATE run SET \(name) = (SELECT coalesce(sum(\(name)), 0) FROM transfer WHERE run_id = run.id) WHERE id = ?",
                run)
        }
    }

    func addCollection(of job: String, _ title: String, section: String? = nil, position: Int = 0) throws {
        try connection.run(
            "INSERT INTO collection (job, key, title, section, position, expected) VALUES (?, ?, ?, ?, ?, 3)",
            job, "key \(title)", title, section, position)
    }

    /// An item that is stored if it has a size.
    func addItem(
        of job: String, in collection: Int64, _ title: String, position: Int, section: String? = nil, size: Int64? = nil
    ) throws {
        try connection.run(
            """
            INSERT INTO item (job, collection_id, key, position, url, title, section, metadata, size, state, stem, path_hash)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?3, ?2 * 1000000 + ?4)
            """, job, collection, "\(collection)/\(position)", position, "https://host/\(collection)/\(position).png",
            title, section, #"{"code": "vn"}"#, size, size == nil ? "failed" : "stored")
    }

    /// A transfer over the network; `times` are dns, connect, tls, wait and receive.
    func addTransfer(
        _ run: Int64, _ item: Int64, _ outcome: String = "downloaded", attempts: Int64 = 1, status: Int64? = 200,
        failure: String? = nil, detail: String? = nil, times: [Int64] = [0, 0, 0, 900, 100], bytes: Int64 = 0,
        version: String = "1.1", reused: Bool = true
    ) throws {
        let total = times.reduce(0, +)
        try connection.run(
            """
            INSERT INTO transfer (run_id, item_id, outcome, attempts, status, failure, detail, started_at,
                queue_us, dns_us, connect_us, tls_us, wait_us, receive_us, total_us, store_us, elapsed_us,
                wire_bytes, body_bytes, http_version, connection_reused, address)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 50, ?, ?, ?, ?, ?, ?, 20, ?, ?, ?, ?, ?, '192.0.2.1')
            """, run, item, outcome, attempts, status, failure, detail, Catalog.start + item, times[0], times[1],
            times[2], times[3], times[4], total, total, bytes, outcome == "downloaded" ? bytes : 0, version, reused)
    }

    /// A row for which nothing was asked of the network.
    func addQuietTransfer(
        _ run: Int64, _ item: Int64, _ outcome: String = "fresh", failure: String? = nil, detail: String? = nil
    ) throws {
        try connection.run(
            "INSERT INTO transfer (run_id, item_id, outcome, failure, detail) VALUES (?, ?, ?, ?, ?)",
            run, item, outcome, failure, detail)
    }
}
