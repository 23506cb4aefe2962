import Reports
import SQLite
import Testing

@Suite("Reports as JSON", .timeLimit(.minutes(1)))
struct ReportJSONTests {
    @Test("runs have the columns of the catalog and their statistics; tables only when asked for")
    func runs() throws {
        #expect(
            try Catalog.flags().json(ReportRequest()) == """
                {"runs": [
                {"id": 2, "job": "flags", "started_at": 1767312000000000, "finished_at": 1767312184300000, \
                "outcome": "partial", "selection": null, "overrides": null, "refresh": null, \
                "http_version": null, "concurrency": null, "downloaded": 1, "unchanged": 1, "fresh": 1, "evicted": 0, \
                "failed": 2, "cancelled": 0, "known_failed": 0, \
                "new_items": 3, "new_failures": 1, "wire_bytes": 1250000, "body_bytes": 1250000, "saved_bytes": 0, \
                "freed_files": 0, "freed_bytes": 0, "list_requests": 2, "list_bytes": 81920, "detail": null, "runner_version": "1.0", "libcurl_version": "7.88.1", \
                "host": "host", "pid": 42, "statistics": {"transfers": 3, "reused": 2, \
                "http_versions": {"1.1": 2, "2": 1}, "queue_us": {"count": 3, "p50": 50, "p90": 50, "p99": 50}, \
                "dns_us": {"count": 3, "p50": 0, "p90": 900, "p99": 900}, \
                "connect_us": {"count": 3, "p50": 0, "p90": 1100, "p99": 1100}, \
                "tls_us": {"count": 3, "p50": 0, "p90": 0, "p99": 0}, \
                "wait_us": {"count": 3, "p50": 40000, "p90": 184000000, "p99": 184000000}, \
                "receive_us": {"count": 3, "p50": 0, "p90": 1160000, "p99": 1160000}, \
                "total_us": {"count": 3, "p50": 1200000, "p90": 184000000, "p99": 184000000}, \
                "store_us": {"count": 3, "p50": 20, "p90": 20, "p99": 20}}, "throttles": []}
                ]}

                """)
    }

    /// The lines of one table of a report, which are one row each.
    private func lines(of table: String, in text: String) throws -> [Substring] {
        let parts = text.split(separator: "\"\(table)\": [", maxSplits: 1)
        let rest = try #require(parts.count == 2 ? parts.last : nil)
        return rest.prefix { $0 != "]" }.split(separator: "\n")
    }

    @Test("collections have their columns and the sums of the run")
    func collections() throws {
        #expect(
            try lines(of: "collections", in: Catalog.flags().json(.everything)) == [
                """
                {"id": 1, "key": "key Flags", "title": "Flags", "subtitle": null, "section": null, "latitude": null, \
                "longitude": null, "position": 0, "expected": 3, "downloaded": 1, "unchanged": 1, "fresh": 1, \
                "evicted": 0, "failed": 2, "cancelled": 0, "wire_bytes": 1250000, "body_bytes": 1250000}
                """
            ])
    }

    @Test("items have their columns, those of their transfer, and their last download by an earlier run")
    func items() throws {
        var request = ReportRequest()
        request.items = true
        let items = try lines(of: "items", in: Catalog.flags().json(request))
        #expect(items.count == 5)
        let quiet = """
            "queue_us": null, "dns_us": null, "connect_us": null, "tls_us": null, "wait_us": null, \
            "receive_us": null, "total_us": null, "store_us": null, "elapsed_us": null, "wire_bytes": null, \
            "body_bytes": null, "http_version": null, "connection_reused": null, "address": null
            """
        #expect(
            items.first == """
                {"id": 3, "collection_id": 1, "collection": "key Flags", "key": "1/3", "position": 3, \
                "url": "https://host/1/3.png", "title": "مصر", "description": null, "section": "Africa", \
                "metadata": "{\\"code\\": \\"vn\\"}", "thumbnail_url": null, "path": null, "media_type": null, \
                "size": 1250000, "sha256": null, "stored_url": null, "etag": null, "last_modified": null, \
                "expires_at": null, "stored_at": null, "state": "stored", "outcome": "downloaded", "attempts": 1, \
                "status": 200, "failure": null, "detail": null, "started_at": 1767225600000003, "queue_us": 50, \
                "dns_us": 0, "connect_us": 0, "tls_us": 0, "wait_us": 40000, "receive_us": 1160000, \
                "total_us": 1200000, "store_us": 20, "elapsed_us": 1200000, "wire_bytes": 1250000, \
                "body_bytes": 1250000, "http_version": "2", "connection_reused": 1, "address": "192.0.2.1", \
                "last_download": null},
                """)
        #expect(
            items.last == """
                {"id": 2, "collection_id": 1, "collection": "key Flags", "key": "1/2", "position": 2, \
                "url": "https://host/1/2.png", "title": "日本", "description": null, "section": "Asia", \
                "metadata": "{\\"code\\": \\"vn\\"}", "thumbnail_url": null, "path": null, "media_type": null, \
                "size": 512, "sha256": null, "stored_url": null, "etag": null, "last_modified": null, \
                "expires_at": null, "stored_at": null, "state": "stored", "outcome": "fresh", "attempts": 0, \
                "status": null, "failure": null, "detail": null, "started_at": null, \(quiet), \
                "last_download": {"run_id": 1, "started_at": 1767225600000002, "total_us": 9200, \
                "elapsed_us": 9200, "wire_bytes": 512, "body_bytes": 512}}
                """)
    }

    @Test("failures tell why; names from the network are escaped")
    func failures() throws {
        #expect(
            try lines(of: "failures", in: Catalog.flags().json(.everything)) == [
                """
                {"id": 4, "collection_id": 1, "key": "1/4", "title": "\\u001b[2J\\u202egnp.exe", \
                "url": "https://host/1/4.png", "failure": "http", "status": 503, "attempts": 5, \
                "detail": "Service Unavailable", "started_at": 1767225600000004, "elapsed_us": 184000000},
                """,
                """
                {"id": 5, "collection_id": 1, "key": "1/5", "title": "Bouvet Island", "url": "https://host/1/5.png", \
                "failure": "invalid", "status": null, "attempts": 0, \
                "detail": "not asked again before \\u001b[31mtomorrow", "started_at": null, "elapsed_us": null}
                """,
            ])
    }

    @Test("the slowest transfers come first, as many as wanted", arguments: [(0, []), (1, [4]), (9, [4, 3, 1])])
    func slowest(limit: Int, ids: [Int]) throws {
        var request = ReportRequest()
        request.slowest = limit
        let rows = try lines(of: "slowest", in: Catalog.flags().json(request))
        #expect(rows.map { $0.prefix { $0 != "," } } == ids.map { "{\"id\": \($0)" })
    }

    @Test("an empty catalog, and a run without items, are documents too")
    func empty() throws {
        #expect(try Catalog().json(.everything) == "{\"runs\": []}\n")
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addRun(of: "j")
        let text = try catalog.json(.everything)
        #expect(text.hasSuffix("\"collections\": [], \"items\": [], \"failures\": [], \"slowest\": []}\n]}\n"))
    }

    @Test("what SQLite takes for JSON is JSON, whatever the names are")
    func wellFormed() throws {
        let catalog = try Catalog.flags()
        let hostile = String(String.UnicodeScalarView((1..<0x2100).compactMap(Unicode.Scalar.init)))
        try catalog.connection.run("UPDATE item SET title = ?", hostile)
        let text = try catalog.json(.everything)
        #expect(try catalog.connection.value("SELECT json_valid(?)", text) == true)
        let title = try catalog.connection.value("SELECT ? ->> '$.runs[0].items[4].title'", text, as: String.self)
        #expect(title == hostile)
    }
}
