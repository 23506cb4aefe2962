import SQLite
import Testing

@testable import Catalog

@Suite("Views of the catalog", .timeLimit(.minutes(1)))
struct CatalogViewTests {
    /// A catalog with one run of one item of each URL.
    private func catalog(_ urls: [String], migrations: Int? = nil) throws -> Connection {
        let connection = try Connection.inMemory()
        let current = CatalogSchema.migrator
        let steps = Array(current.migrations.prefix(migrations ?? current.migrations.count))
        try Migrator(applicationID: current.applicationID, migrations: steps).migrate(connection)
        try connection.execute(
            """
            INSERT INTO job (name, file, directory, created_at) VALUES ('flags', 'flags.yaml', '/srv/flags', 0);
            INSERT INTO run (id, job, started_at, finished_at, outcome, downloaded, runner_version, libcurl_version, host, pid)
            VALUES (1, 'flags', 1767225600000000, 1767225601500000, 'complete', 1, '1', '8', 'host', 1),
                   (2, 'flags', 1767225700000000, NULL, 'running', 0, '1', '8', 'host', 1);
            INSERT INTO collection (id, job, key, title, section, position) VALUES (1, 'flags', 'c', 'Flags', 'World', 1);
            """)
        for (index, url) in urls.enumerated() {
            try connection.run(
                """
                INSERT INTO item (id, job, collection_id, key, position, url, title, path, state, stem, path_hash)
                VALUES (?1, 'flags', 1, 'k' || ?1, ?1, ?2, 'Title', 'a/b.png', 'stored', 'a/b', ?1)
                """, index + 1, url)
            try connection.run(
                """
                INSERT INTO transfer (run_id, item_id, outcome, attempts, status, started_at, wait_us, total_us, wire_bytes)
                VALUES (1, ?, 'downloaded', 1, 200, 1767225600250000, 100, 300, 10)
                """, index + 1)
        }
        return connection
    }

    @Test(
        "the host of a URL, as it is written in small letters, without user and port",
        arguments: [
            ("https://Example.ORG/a", "example.org"), ("http://host", "host"),
            ("http://host:8080/x?u=http://b/", "host"),
            ("http://user:pass@host:1/", "host"), ("http://a@b@host/", "host"), ("http://[::1]:80/x", "[::1]"),
            ("http://host?query@x", "host"), ("http://host#f", "host"), ("http://host\\x", "host"), ("no URL", nil),
            ("", nil),
        ] as [(String, String?)])
    func host(_ url: String, _ host: String?) throws {
        for view in ["v_transfer", "v_item", "v_host_day"] {
            let found = try catalog([url]).first("SELECT host FROM \(view)") { try $0[0] as String? }
            #expect(found == .some(host), "\(view)")
        }
    }

    @Test("times are ISO 8601 beside microseconds, and what a row belongs to is in it")
    func rows() throws {
        let catalog = try catalog(["https://a/1", "https://a/2", "https://b/3"])
        let transfer = try catalog.first(
            "SELECT started, v_transfer.job, v_transfer.collection, v_item.title, file FROM v_transfer JOIN v_item USING (item_id)"
        ) { row in try [row[0], row[1], row[2], row[3], row[4]] as [String] }
        #expect(transfer == ["2026-01-01T00:00:00.250000Z", "flags", "Flags", "Title", "/srv/flags/a/b.png"])
        let last = try catalog.rows("SELECT run_id, outcome, duration_us FROM v_last_run") { row in
            "\(try row[0] as Int64) \(try row[1] as String) \(try row[2] as Int64? ?? -1)"
        }
        #expect(last == ["2 running -1"])
        let days = try catalog.rows(
            "SELECT day, host, transfers, wire_bytes, average_wait_us FROM v_host_day ORDER BY host"
        ) { row in
            "\(try row[0] as String) \(try row[1] as String) \(try row[2] as Int64) \(try row[3] as Int64) \(try row[4] as Int64)"
        }
        #expect(days == ["2026-01-01 a 2 20 100", "2026-01-01 b 1 10 100"])
    }

    @Test("an earlier catalog gets the views and columns with its rows as they were")
    func migration() throws {
        let catalog = try catalog(
            ["https://a/1"],
            migrations: CatalogSchema.migrator.migrations.firstIndex { $0.name == "settings that runs are compared by" }
        )
        #expect(throws: SQLiteError.self) { try catalog.value("SELECT count(*) FROM v_item", as: Int.self) }
        try CatalogSchema.migrator.migrate(catalog)
        for view in ["v_last_run", "v_transfer", "v_host_day", "v_item"] {
            #expect(try catalog.value("SELECT count(*) FROM \(view)", as: Int.self) == 1)
        }
        #expect(
            try catalog.value("SELECT count(*) FROM run WHERE refresh IS NULL AND concurrency IS NULL", as: Int.self)
                == 2)
    }

    @Test("a page of a table is read in the order of a key, without sorting the rest")
    func plans() throws {
        let catalog = try catalog(["https://a/1"])
        for table in CatalogTable.allCases {
            #expect(try !table.columns(on: catalog).isEmpty)
            let plan = try catalog.rows("EXPLAIN QUERY PLAN \(table.sql)", "flags", 0) { try $0[3] as String }
            // A scan of the values of a subquery is no scan of a table.
            let scans = plan.filter { $0.hasPrefix("SCAN ") && !$0.contains("subquery") && !$0.contains("CONSTANT") }
            #expect(!plan.contains { $0.contains("TEMP B-TREE") } && scans.isEmpty, "\(table): \(plan)")
        }
    }
}
