import Reports
import SQLite
import TestSupport
import Testing

@Suite("Reports of extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
    private static let numbers = extremeNumbers.compactMap { Int64($0) }

    @Test("a catalog with extreme numbers is reported all the same", arguments: numbers)
    func catalog(_ number: Int64) throws {
        let catalog = try Catalog.flags()
        try catalog.connection.run(
            """
            INSERT INTO throttle VALUES (2, 'https://a', ?1, ?1, ?1, ?1 * 1e200, ?1, ?1, ?1)
            """, number)
        let columns = [
            "transfer": [
                "attempts", "status", "started_at", "queue_us", "dns_us", "connect_us", "tls_us", "wait_us",
                "receive_us", "total_us", "store_us", "elapsed_us", "wire_bytes", "body_bytes",
            ],
            "item": ["size", "expires_at", "stored_at", "position"], "collection": ["expected", "position"],
            "run": [
                "finished_at", "wire_bytes", "body_bytes", "list_requests", "list_bytes", "downloaded", "failed", "pid",
            ],
        ]
        for (table, names) in columns {
            try catalog.connection.run(
                "UPDATE \(table) SET " + names.map { "\($0) = ?1" }.joined(separator: ", "), number)
        }
        var everything = ReportRequest.everything
        everything.hosts = true
        everything.news = true
        for width in [40, 80, 140] { #expect(try catalog.text(everything, width: width).contains("flags")) }
        #expect(try catalog.json(everything).contains("flags"))
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        for format in TableExport.Format.allCases {
            var bytes = 0
            try TableExport(format).write(report, from: catalog.connection) { bytes += $0.count }
            #expect(bytes > 0)
        }
        try HTTPArchive.write(report, version: "1", from: catalog.connection) { _ in }
        try TraceEvents.write(report, from: catalog.connection) { _ in }
        try PrometheusText.write(
            report, version: "1", libcurl: "8", now: number, from: catalog.connection
        ) { _ in }
    }

    @Test("numbers for people", arguments: numbers)
    func words(_ number: Int64) {
        for text in [byteText(number), durationText(microseconds: number), countText(number), localTimeText(number)] {
            #expect(!text.isEmpty)
        }
    }
}
