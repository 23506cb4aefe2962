import TestSupport
import Testing

@Suite("End to end: what a run shows", .wholeProgramLimit)
struct ProgressTests {
    /// Clears a screen, sets a window's title, rings, and writes from right to left.
    private static let hostileTitle = #""\e[2J\e]0;owned\a\u202Etitle""#
    private static let hostileKey = #""\e[31mkey""#

    private func events(_ result: RunningProgram.Result) throws -> [JSONValue] {
        try result.lines.map { try JSONValue($0) }
    }

    @Test("--progress json: a valid object a line, in the order of the contract, every item finished once")
    func json() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.path == "/c" ? .status(410) : .ok("body", headers: [("Cache-Control", "max-age=3600")])
        }
        try workplace.writeJob(
            source: [
                "page: 1", "items:",
                "  - {key: a, url: '\(server.url("/a"))', title: \"Hà Nội, Việt Nam\", collection: one}",
                "  - {key: \(Self.hostileKey), url: '\(server.url("/b"))', title: \(Self.hostileTitle), collection: two}",
                "  - {key: c, url: '\(server.url("/c"))', collection: two}",
                "  - {key: d, invalid: an element that is no URL, collection: two}",
            ])
        let result = try workplace.run(["job.yaml", "--progress", "json"])
        #expect(result.ending == .exit(1))
        let events = try events(result)
        let names = events.map { $0["event"]?.text ?? "" }
        #expect(names.first == "run-started" && names.last == "run-finished")
        #expect(
            Set(names) == ["run-started", "collection", "item-started", "item-finished", "run-finished"])
        #expect(names.count { $0 == "collection" } == 2 && names.count { $0 == "item-finished" } == 4)
        #expect(events.allSatisfy { $0["job"]?.text == "list" && $0["at"]?.number ?? 0 > 1_600_000_000_000_000 })

        // A collection is told before its items, and an item's start before its end.
        var collections: Set<String?> = []
        var started: Set<String?> = []
        var finished: Set<String?> = []
        for event in events {
            switch event["event"]?.text {
            case "collection": collections.insert(event["key"]?.text)
            case "item-started":
                #expect(collections.contains(event["collection"]?.text))
                started.insert(event["key"]?.text)
            case "item-finished":
                let isFirst = finished.insert(event["key"]?.text).inserted
                #expect(isFirst)
                #expect(event["attempts"]?.number == 0 || started.contains(event["key"]?.text))
            default: break
            }
        }
        #expect(finished == ["a", "\u{1B}[31mkey", "c", "d"])
        #expect(started == finished.subtracting(["d"]))

        func item(_ key: String) -> JSONValue? {
            events.first { $0["event"]?.text == "item-finished" && $0["key"]?.text == key }
        }
        #expect(item("a")?["title"]?.text == "Hà Nội, Việt Nam")
        #expect(item("a")?["outcome"]?.text == "downloaded" && item("a")?["size"]?.number == 4)
        let hostile = item("\u{1B}[31mkey")
        #expect(hostile?["title"]?.text == "\u{1B}[2J\u{1B}]0;owned\u{7}\u{202E}title")
        #expect(hostile?["path"]?.text.map { path in workplace.read("out/\(path)") } == Array("body".utf8))
        #expect(item("c")?["failure"]?.text == "http" && item("c")?["status"]?.number == 410)
        #expect(item("d")?["failure"]?.text == "invalid" && item("d")?["detail"]?.text == "an element that is no URL")
        let last = try #require(events.last)
        #expect(last["outcome"]?.text == "partial" && last["downloaded"]?.number == 2 && last["failed"]?.number == 2)

        // The members have the names of the catalog's columns; the shard is known where shards are merged.
        let catalog = try workplace.catalog()
        let columns: [String] = try catalog.values(
            "SELECT name FROM pragma_table_info('transfer') WHERE name <> 'shard'")
        #expect(item("a")?.keys.isSuperset(of: columns) == true)
        let sums: [String] = [
            "downloaded", "unchanged", "fresh", "failed", "cancelled", "wire_bytes", "body_bytes", "list_requests",
            "list_bytes", "outcome", "started_at", "finished_at",
        ]
        #expect(last.keys.isSuperset(of: sums))
        #expect(try catalog.contradictions() == [])

        // Not one control character or bidi override left the program raw, but line feeds.
        for stream in [result.output, result.errors] {
            #expect(stream.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" || $0 == "\n" })
        }
        #expect(result.errors.unicodeScalars.contains("\u{202E}") == false)
    }

    @Test("names of the network reach neither terminal nor file system as they are", arguments: ["-v", "-q"])
    func hostileNames(_ flag: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/b" ? .status(404) : .ok("body") }
        try workplace.writeJob(
            source: [
                "items:", "  - {key: \(Self.hostileKey), url: '\(server.url("/a"))', title: \(Self.hostileTitle)}",
                "  - {key: \"../../b\", url: '\(server.url("/b"))', title: \(Self.hostileTitle)}",
                "  - {key: c, url: '\(server.url("/c"))', title: ../../../c}",
            ])
        let result = try workplace.run(["job.yaml", flag])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("owned"))
        for report in [result, try workplace.run(["report", "--items", "--failures"])] {
            for stream in [report.output, report.errors] {
                #expect(
                    stream.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "\u{202E}" || $0 == "\n"
                    })
            }
        }
        let files = workplace.files()
        #expect(files.count == 2)
        #expect(files.allSatisfy { $0.hasPrefix("list/") && $0.split(separator: "/").count == 2 })
        #expect(files.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" } })
        #expect(
            Set(workplace.directory.names()).subtracting(["job.yaml", "out"]).allSatisfy { $0.hasPrefix("catalog") })
    }

    @Test("--quiet prints nothing when all is well")
    func quiet() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        for _ in 0..<2 {
            let result = try workplace.run(["-q", "job.yaml"])
            #expect(result.ending == .exit(0))
            #expect(result.output.isEmpty && result.errors.isEmpty)
        }
    }

    @Test("--verbose prints a line for each item")
    func verbose() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body", headers: [("Cache-Control", "max-age=3600")]) }
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))', title: First}]"])
        #expect(try workplace.run(["-v", "job.yaml"]).errors.hasPrefix("downloaded  list First (4 B, "))
        #expect(try workplace.run(["-v", "job.yaml"]).errors.hasPrefix("fresh  list First (4 B) list/First.bin\n"))
    }

    @Test("a reader of the events that goes away does not end the run")
    func closedPipe() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/a")
        try workplace.writeJob(source: ["items: [{key: a, url: '\(server.url("/a"))'}]"])
        let shell = try RunningProgram(
            [
                "/bin/bash", "-c",
                "\(Workplace.Program.testRunner.path) job.yaml --progress json | head -n 1; echo ${PIPESTATUS[0]}",
            ], environment: workplace.environment, directory: workplace.directory.path)
        try server.waitForRequests(1)
        try shell.waitForOutput { $0.contains("run-started") }
        server.release("/a")
        let result = try shell.wait()
        #expect(result.lines.last == "0")
        #expect(result.errors.hasPrefix("list: 1 downloaded"))
        #expect(try workplace.catalog().outcomes() == ["a downloaded"])
    }
}
