import Glibc
import Reports
import SQLite
import TestSupport
import Testing

@Suite("Reports as text", .timeLimit(.minutes(1)))
struct ReportTextTests {
    @Test("a run with all its tables")
    func everything() throws {
        #expect(
            try Catalog.flags().text(.everything) == """
                flags  run 2  partial
                  started    +86400 s, took 3 m 4 s
                  items      5: 1 downloaded, 1 unchanged, 1 fresh, 2 failed
                  new        3 items, 1 failure since run 1
                  received   1.3 MB, 6.8 kB a second
                  listing    2 requests, 81.9 kB
                  transfers  3, 2 on a reused connection (67 %), HTTP/1.1 2, HTTP/2 1

                  time             p50        p90        p99
                  queue          50 µs      50 µs      50 µs
                  dns             0 µs     900 µs     900 µs
                  connect         0 µs     1.1 ms     1.1 ms
                  wait           40 ms    3 m 4 s    3 m 4 s
                  receive         0 µs      1.2 s      1.2 s
                  total          1.2 s    3 m 4 s    3 m 4 s
                  store          20 µs      20 µs      20 µs

                  downloaded  unchanged      fresh     failed   received  collection
                           1          1          1          2     1.3 MB  Flags

                  outcome          size       time   title

                  Flags / Africa
                  downloaded     1.3 MB      1.2 s   مصر
                  failed              –          –   �[2J�gnp.exe

                  Flags / Antarctica
                  failed              –          –   Bouvet Island

                  Flags / Asia
                  unchanged     12.4 kB     346 ms*  Vietnam – Việt Nam
                  fresh           512 B     9.2 ms*  日本

                  * not downloaded by this run: the time of its last download

                  failures   2 of 5 items

                       1  http 503
                          The server is at fault, or overloaded: try again later; lower per_host if it is the load.

                          host (1)
                            �[2J�gnp.exe
                              https://host/1/4.png
                              Service Unavailable; 5 attempts

                       1  invalid
                          Known, next attempt �[31mtomorrow; --failed retries at once.

                          host (1)
                            Bouvet Island
                              https://host/1/5.png
                              not asked again before �[31mtomorrow

                  again      runner flags.yaml --failed

                       total       dns   connect       tls      wait   receive  received  slowest
                     3 m 4 s      0 µs      0 µs      0 µs   3 m 4 s      0 µs       0 B  �[2J�gnp.exe
                       1.2 s      0 µs      0 µs      0 µs     40 ms     1.2 s    1.3 MB  مصر

                """)
    }

    @Test("several runs with tables, one after the other")
    func severalRuns() throws {
        var request = ReportRequest()
        request.run = .all
        request.collections = true
        let text = try Catalog.flags().text(request)
        #expect(
            text.hasPrefix(
                """
                flags  run 1  complete
                  started    +0 s, took 2.9 s
                  items      2: 2 downloaded
                  received   12.9 kB, 4.5 kB a second
                  listing    1 request, 41.0 kB
                  transfers  2, 1 on a reused connection (50 %), HTTP/1.1 2

                  time             p50        p90        p99

                """))
        #expect(text.contains("\n\nflags  run 2  partial\n"))
        #expect(!text.contains("outcome"))
    }

    @Test("a report of all jobs is a line each, what failed first, with what is new and what is kept")
    func jobs() throws {
        let catalog = try Catalog.flags()
        for (job, outcome) in [("atlas", "complete"), ("zoo", "failed")] {
            try catalog.addJob(job)
            try catalog.addRun(of: job, at: 60)
            try catalog.finish(job == "atlas" ? 3 : 4, outcome, after: 1_000_000)
        }
        try catalog.addJob("never")
        var request = ReportRequest()
        request.isBrief = true
        #expect(
            try catalog.text(request) == """
                    run  outcome      began                  took    items     new   received       kept  failed (new)  job
                      4  failed       +60 s                 1.0 s        0       –        0 B        0 B             0  zoo
                      2  partial      +86400 s            3 m 4 s        5       3     1.3 MB     1.3 MB         2 (1)  flags
                      3  complete     +60 s                 1.0 s        0       –        0 B        0 B             0  atlas
                  no run  never

                  more       runner report zoo

                """)
        for width in [60, 80, 100, 120] {
            for line in try catalog.text(request, width: width).split(separator: "\n") {
                #expect(displayWidth(of: String(line)) <= width, "\(line)")
            }
        }
    }

    @Test("all runs are a line each, in their order, with what came a second")
    func runs() throws {
        var request = ReportRequest()
        request.isBrief = true
        request.run = .all
        #expect(
            try Catalog.flags().text(request) == """
                    run  outcome      began                  took    items     new   received   a second  failed (new)  job
                      1  complete     +0 s                  2.9 s        2       –    12.9 kB     4.5 kB             0  flags
                      2  partial      +86400 s            3 m 4 s        5       3     1.3 MB     6.8 kB         2 (1)  flags

                  more       runner report --run 1

                """)
    }

    @Test("a remark that all failed items of a host share comes once")
    func sharedRemark() throws {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addCollection(of: "j", "c")
        try catalog.addRun(of: "j")
        for position in 1...2 {
            try catalog.addItem(of: "j", in: 1, "Title \(position)", position: position)
            try catalog.addTransfer(1, Int64(position), "failed", status: nil, failure: "dns", detail: "no such host")
        }
        try catalog.finish(1, "partial", after: 1_000)
        var request = ReportRequest()
        request.failures = true
        let text = try catalog.text(request)
        #expect(
            text.contains(
                "          host (2): no such host\n            Title 1\n              https://host/1/1.png\n"))
        #expect(text.components(of: "no such host") == 1)
    }

    @Test(
        "what was selected is told in words",
        arguments: [
            (#"{"only":["a*","b"],"limit":1000}"#, "only a*, b, the first 1,000"),
            (#"{"failed":true}"#, "what had failed or was not tried"),
            (#"{"refresh":true}"#, "everything, in full"),
            (#"{"source":true}"#, "the list of a source that --set changed"),
        ])
    func selection(json: String, words: String) throws {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addRun(of: "j", selection: json)
        try catalog.finish(1, "complete", after: 1)
        #expect(try catalog.text(ReportRequest()).contains("  selection  \(words)\n"))
    }

    @Test("titles are cut to the width, the columns before them are not")
    func width() throws {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addCollection(of: "j", "A collection with a long name")
        try catalog.addItem(of: "j", in: 1, "The flag of a country", position: 1, size: 10)
        try catalog.addItem(of: "j", in: 1, "ソビエト社会主義共和国連邦", position: 2, size: 10)
        try catalog.addRun(of: "j")
        for item in 1...2 { try catalog.addQuietTransfer(1, Int64(item)) }
        try catalog.finish(1, "complete", after: 1_000)
        var request = ReportRequest()
        request.items = true
        #expect(
            try catalog.text(request, width: 53) == """
                j  run 1  complete
                  started    +0 s, took 1.0 ms
                  items      2: 2 fresh

                  outcome          size       time   title
                  fresh            10 B          –   The flag of a c…
                  fresh            10 B          –   ソビエト社会主…

                """)
        #expect(try catalog.text(request, width: 1).contains("–   The f…\n"))
    }

    @Test("an empty catalog has no runs")
    func emptyCatalog() throws {
        #expect(try Catalog().text(.everything) == "no runs\n")
    }

    @Test("a job that never ran is named")
    func jobWithoutRun() throws {
        let catalog = try Catalog.flags()
        try catalog.addJob("photos")
        var request = ReportRequest()
        request.jobs = ["photos"]
        #expect(try catalog.text(request) == "photos  no run\n")
        request.jobs = []
        #expect(try catalog.text(request).hasSuffix("\n\nphotos  no run\n"))
    }

    @Test("a run without items says so in each table")
    func noItems() throws {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addRun(of: "j", selection: #"{"only":["x*"]}"#)
        try catalog.finish(1, "failed", after: 90_061_000_000, listRequests: 3, detail: "the list ended\nearly")
        #expect(
            try catalog.text(.everything) == """
                j  run 1  failed
                  started    +0 s, took 1 d 1 h
                  selection  only x*
                  reason     the list ended�early
                  items      none
                  listing    3 requests, 0 B

                  collections  none

                  outcome          size       time   title
                  none

                  failures   none

                       total       dns   connect       tls      wait   receive  received  slowest
                  none

                """)
    }

    @Test("a running run has its time up to now and the figures of the rows that are there")
    func running() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("catalog.sqlite")
        // As the run has it that is at work.
        let lock = open("\(path).flags.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let holder = Array("\(getpid()) 0 \(hostName())\n".utf8)
        #expect(write(lock, holder, holder.count) == holder.count)
        let catalog = try Catalog(at: path)
        try catalog.addFlags()
        try catalog.addRun(of: "flags", at: 100)
        try catalog.connection.run("UPDATE run SET pid = ?, host = ? WHERE id = 3", Int64(getpid()), hostName())
        try catalog.addTransfer(3, 1, bytes: 700)
        let text = try catalog.text(ReportRequest(), now: Catalog.start + 103_500_000)
        #expect(
            text.hasPrefix(
                """
                flags  run 3  running
                  started    +100 s, running for 3.5 s
                  items      1: 1 downloaded
                  received   700 B, 200 B a second

                """))
    }

    private func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @Test("a row that says running while nobody has the lock is one of an interrupted run, as text and as JSON")
    func killed() throws {
        let catalog = try Catalog.flags()
        try catalog.addRun(of: "flags", at: 100)
        try catalog.addTransfer(3, 1, bytes: 700)
        let text = try catalog.text(ReportRequest(), now: Catalog.start + 103_500_000)
        #expect(
            text.hasPrefix(
                "flags  run 3  interrupted\n  started    +100 s\n  items      1: 1 downloaded\n  received   700 B\n"))
        #expect(try catalog.json(ReportRequest()).contains(#""outcome": "interrupted""#))
    }

    @Test("an interrupted run has no time that nobody saw, and the figures of the rows that are there")
    func interrupted() throws {
        let catalog = try Catalog.flags()
        try catalog.addRun(of: "flags", at: 100)
        try catalog.finish(3, "interrupted", after: nil)
        try catalog.addTransfer(3, 1, bytes: 700)
        #expect(
            try catalog.text(ReportRequest()).hasPrefix(
                """
                flags  run 3  interrupted
                  started    +100 s
                  items      1: 1 downloaded
                  received   700 B

                """))
    }

    @Test("a clock that was set back gives no duration")
    func clockSetBack() throws {
        let catalog = try Catalog.flags()
        try catalog.finish(2, "complete", after: -5)
        #expect(try catalog.text(ReportRequest()).contains("  started    +86400 s\n"))
    }

    @Test("items stand under their collections, in the order of the source")
    func collections() throws {
        let catalog = try Catalog()
        try catalog.addJob("photos")
        try catalog.addCollection(of: "photos", "Huế", section: "Vietnam", position: 2)
        try catalog.addCollection(of: "photos", "القاهرة", section: "Egypt", position: 1)
        try catalog.addItem(of: "photos", in: 1, "b", position: 2)
        try catalog.addItem(of: "photos", in: 2, "c", position: 1)
        try catalog.addItem(of: "photos", in: 1, "a", position: 1)
        try catalog.addRun(of: "photos")
        for item in 1...3 { try catalog.addTransfer(1, Int64(item), bytes: 1_000) }
        try catalog.finish(1, "complete", after: 1)
        var request = ReportRequest()
        request.items = true
        request.collections = true
        #expect(
            try catalog.text(request).hasSuffix(
                """

                  downloaded   received  collection
                           1     1.0 kB  Egypt / القاهرة
                           2     2.0 kB  Vietnam / Huế

                  outcome          size       time   title

                  Egypt / القاهرة
                  downloaded     1.0 kB     1.0 ms   c

                  Vietnam / Huế
                  downloaded     1.0 kB     1.0 ms   a
                  downloaded     1.0 kB     1.0 ms   b

                """))
    }

    @Test("what was evicted is counted, and what the run freed is told")
    func evicted() throws {
        let catalog = try Catalog.flags()
        try catalog.addRun(of: "flags", at: 172_800)
        try catalog.addQuietTransfer(3, 1)
        for item in 2...4 { try catalog.addQuietTransfer(3, Int64(item), "evicted") }
        try catalog.finish(3, "complete", after: 1_000)
        try catalog.connection.execute("UPDATE run SET freed_files = 2, freed_bytes = 1250512 WHERE id = 3")
        var request = ReportRequest()
        request.collections = true
        let text = try catalog.text(request)
        #expect(text.contains("  items      4: 1 fresh, 3 evicted\n"))
        #expect(text.contains("  evicted    2 files to keep within output.max_bytes, which freed 1.3 MB\n"))
        #expect(text.contains("      fresh    evicted   received  collection\n"))
    }
}

extension String {
    /// How often `text` is in it.
    fileprivate func components(of text: String) -> Int {
        indices.count { self[$0...].hasPrefix(text) }
    }
}
