import Reports
import SQLite
import Testing

@Suite("The overview of a run", .timeLimit(.minutes(1)))
struct OverviewTests {
    /// Twelve transfers of which three failed for two reasons, at two hosts.
    private func catalog() throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("papers")
        try catalog.addCollection(of: "papers", "Papers")
        try catalog.addRun(of: "papers")
        for id in 1...12 {
            try catalog.addItem(of: "papers", in: 1, "Title \(id)", position: id, size: 100)
            let waits: Int64 = id < 9 ? 1_500 : 30_000
            switch id {
            case 3, 7, 12:
                let (status, host) = id == 7 ? (503 as Int64, "[2001:db8::1]:8443") : (404, "a.example")
                try catalog.connection.run(
                    "UPDATE item SET url = ? WHERE id = ?", "https://user:pw@\(host)/\(id).pdf", id)
                try catalog.addTransfer(
                    1, Int64(id), "failed", status: status, failure: "http", detail: "no", times: [0, 0, 0, waits, 0])
            default: try catalog.addTransfer(1, Int64(id), times: [0, 0, 0, waits, 0], bytes: 100)
            }
        }
        try catalog.finish(1, "partial", after: 60_000)
        return catalog
    }

    @Test("shows how times are spread, what was slow, and what failed with what to do")
    func everything() throws {
        #expect(
            try catalog().text(ReportRequest(), width: 60) == """
                papers  run 1  partial
                  started    +0 s, took 60 ms
                  items      12: 9 downloaded, 3 failed
                  received   900 B, 15.0 kB a second
                  kept       1.2 kB in 12 files
                  transfers  12, 12 on a reused connection (100 %), HTTP/1.1
                             12

                  time             p50        p90        p99
                  queue          50 µs      50 µs      50 µs
                  wait          1.5 ms      30 ms      30 ms
                  total         1.5 ms      30 ms      30 ms
                  store          20 µs      20 µs      20 µs

                  transfers by total time
                     1.0 ms –  ████████████████████████████████████████ 8
                     2.0 ms –  0
                     5.0 ms –  0
                      10 ms –  0
                      20 ms –  ████████████████████ 4

                  slowest      received  title
                      30 ms       100 B  Title 9
                      30 ms       100 B  Title 10
                      30 ms       100 B  Title 11
                      30 ms         0 B  Title 12
                     1.5 ms       100 B  Title 1

                  failures   3 of 12 items

                       2  http 404
                          The server has no such file: retried after 1, 7,
                          then every 30 days; --failed retries at once.
                          a.example (2)

                       1  http 503
                          The server is at fault, or overloaded: try again
                          later; lower per_host if it is the load.
                          [2001:db8::1] (1)

                  again      runner papers.yaml --failed

                """)
    }

    @Test("gives way to the tables that were asked for")
    func tables() throws {
        var request = ReportRequest()
        request.collections = true
        let text = try catalog().text(request)
        #expect(text.contains("by total time") && !text.contains("slowest") && !text.contains("again  "))
    }

    @Test("fits the width", arguments: [40, 44, 60, 80, 120])
    func width(columns: Int) throws {
        let catalog = try catalog()
        try catalog.connection.run("UPDATE item SET title = 'ソビエト社会主義共和国連邦 ' || title")
        var everything = ReportRequest.everything
        everything.hosts = true
        everything.news = true
        for request in [ReportRequest(), everything] {
            for line in try catalog.text(request, width: columns).split(separator: "\n") {
                #expect(displayWidth(of: String(line)) <= columns, "\(line)")
            }
        }
    }

    @Test("fewer than ten transfers have no histogram")
    func fewTransfers() throws {
        #expect(try !Catalog.flags().text(ReportRequest()).contains("by total time"))
    }

    @Test("many hosts are counted, not listed")
    func manyHosts() throws {
        let catalog = try catalog()
        for id in 13...32 {
            try catalog.addItem(of: "papers", in: 1, "Title \(id)", position: id)
            try catalog.connection.run("UPDATE item SET url = 'https://host\(id)/' WHERE id = \(id)")
            try catalog.addQuietTransfer(1, Int64(id), "failed", failure: "dns")
        }
        let text = try catalog.text(ReportRequest())
        #expect(text.contains("host13 (1), host14 (1), host15 (1), host16 (1), host17 (1), 15 more hosts\n"))
    }

    @Test("colours only repeat what words say, and are left out where they are not wanted")
    func colours() throws {
        let catalog = try catalog()
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        func text(hasColour: Bool) throws -> String {
            var bytes: [UInt8] = []
            try ReportText(width: nil, hasColour: hasColour, now: 0).write(report, from: catalog.connection) {
                bytes += $0
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let plain = try text(hasColour: false)
        let coloured = try text(hasColour: true)
        #expect(!plain.contains("\u{1B}"))
        #expect(coloured.contains("\u{1B}[33mpartial\u{1B}[0m"))
        #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
    }

    @Test("a job file with a space in its name is quoted for the shell")
    func quoting() throws {
        let catalog = try catalog()
        try catalog.connection.run("UPDATE job SET file = '/srv/my jobs/it''s.yaml'")
        #expect(
            try catalog.text(ReportRequest()).hasSuffix(
                "\n  again      runner '/srv/my jobs/it'\\''s.yaml' --failed\n"))
    }

    @Test("a failure of a newer program is shown by its word alone")
    func unknownWord() throws {
        let catalog = try catalog()
        try catalog.connection.run("UPDATE transfer SET failure = 'moon-phase', status = NULL WHERE item_id = 7")
        #expect(try catalog.text(ReportRequest()).contains("\n       1  moon-phase\n          [2001:db8::1] (1)\n"))
    }
}
