import Reports
import SQLite
import Testing

@Suite("Throttled hosts in reports", .timeLimit(.minutes(1)))
struct ThrottleTests {
    private func catalog() throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("flags")
        try catalog.addRun(of: "flags")
        return catalog
    }

    private func add(
        _ host: String, refusals: Int64 = 0, cuts: Int64 = 1, concurrency: Int64? = nil, rate: Double? = nil,
        held: Int64 = 0, givenUp: Int64 = 0, to catalog: Catalog
    ) throws {
        try catalog.connection.run(
            "INSERT INTO throttle VALUES (1, ?, ?, ?, ?, ?, ?, 2, ?)", host, refusals, cuts, concurrency, rate, held,
            givenUp)
    }

    @Test("a line for each host, the one that failed most first")
    func text() throws {
        let catalog = try catalog()
        try add("https://a", refusals: 1, held: 4_100_000, to: catalog)
        try add("https://b", refusals: 1_200, concurrency: 1, rate: 3.25, givenUp: 1, to: catalog)
        try add("http://c:81", concurrency: 4, rate: 250.4, to: catalog)
        let lines = try catalog.text(ReportRequest()).split(separator: "\n").filter { $0.contains("://") }
        #expect(
            lines == [
                "  throttled  https://b: refused 1,200 requests, asked for no more than 1 at a time and 3.3/s, 1 item skipped",
                "             https://a: refused 1 request, paused for 4.1 s",
                "             http://c:81: asked for no more than 4 at a time and 250/s",
            ])
    }

    @Test("of many hosts the first five")
    func many() throws {
        let catalog = try catalog()
        for number in 1...7 { try add("https://\(number)", refusals: Int64(number), to: catalog) }
        let text = try catalog.text(ReportRequest())
        #expect(text.contains("https://3: "))
        #expect(!text.contains("https://2: "))
        #expect(text.contains("             and 2 more hosts\n"))
    }

    @Test("JSON has the columns of the table")
    func json() throws {
        let catalog = try catalog()
        try add("https://a", refusals: 3, concurrency: 2, rate: 0.5, held: 7, givenUp: 1, to: catalog)
        #expect(
            try catalog.json(ReportRequest()).contains(
                """
                "throttles": [{"host": "https://a", "refusals": 3, "cuts": 1, "least_concurrency": 2, "least_rate": 0.5, \
                "held_us": 7, "pauses": 2, "given_up": 1}]
                """))
    }

    @Test("a catalog from before there was the table has none")
    func olderCatalog() throws {
        let catalog = try catalog()
        try catalog.connection.execute("DROP TABLE throttle")
        #expect(try catalog.json(ReportRequest()).contains("\"throttles\": []"))
    }
}
