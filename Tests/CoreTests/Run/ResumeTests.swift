import Files
import Model
import Run
import TestSupport
import Testing

/// Going on with a body that broke off, in the same run and in the next.
@Suite("Resuming", .timeLimit(.minutes(1)))
struct ResumeTests {
    private static let whole = picture(299_992)
    private static let other = picture(250_000, seed: 9)
    private static let strong = [("ETag", "\"v1\"")]

    private static func broken(_ headers: [(String, String)], at count: Int = 200_000) -> FaultyServer.Response {
        .ok(whole, headers: headers).cut(after: count, .close)
    }

    /// Answers requests for a part with the rest.
    private static let rest: Script.Answer = { request in
        guard let range = request["Range"], let start = Int(range.dropFirst("bytes=".count).dropLast()) else {
            return nil
        }
        let tag = request["If-Range"].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        return .partial(of: whole, from: start, headers: tag.map { [("ETag", $0)] } ?? [])
    }

    @Test("a body with a strong entity tag goes on where it broke off")
    func strongTag() async throws {
        let bench = try Bench(["/a": [Self.broken(Self.strong)]], answering: Self.rest)
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 2)
        #expect(row.status == 206)
        #expect(row.transfer["wire_bytes"] == 300_000)
        #expect(row.transfer["body_bytes"] == 300_000)
        #expect(bench.file("a.png") == Self.whole)
        let request = try #require(bench.requests("/a").last)
        #expect(request["Range"] == "bytes=200000-")
        #expect(request["If-Range"] == "\"v1\"")
    }

    @Test("a short body goes on where it broke off, too")
    func short() async throws {
        let whole = picture(40_000)
        let bench = try Bench(["/a": [.ok(whole, headers: Self.strong).cut(after: 20_000, .close)]]) { request in
            request["Range"] == "bytes=20000-" ? .partial(of: whole, from: 20_000, headers: Self.strong) : nil
        }
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.status == 206)
        #expect(bench.file("a.png") == whole)
    }

    @Test("a reset loses nothing that had come")
    func reset() async throws {
        let bench = try Bench(
            ["/a": [.ok(Self.whole, headers: Self.strong).cut(after: 200_000, .reset)]], answering: Self.rest)
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a date resumes where it is strong: older than the reply")
    func strongDate() async throws {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        let headers = [("Last-Modified", date), ("Date", "Wed, 21 Oct 2015 07:29:00 GMT")]
        let bench = try Bench(["/a": [Self.broken(headers)]], answering: Self.rest)
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.requests("/a").last?["If-Range"] == date)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test(
        "without a strong validator the body starts over",
        arguments: [
            [], [("ETag", "W/\"v1\"")], [("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")],
            [
                ("ETag", "W/\"v1\""), ("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"),
                ("Date", "Thu, 22 Oct 2015 07:28:00 GMT"),
            ],
        ] as [[(String, String)]])
    func weak(_ headers: [(String, String)]) async throws {
        let bench = try Bench(["/a": [Self.broken(headers), .ok(Self.whole)]])
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.requests("/a").count == 2)
        #expect(bench.requests("/a").allSatisfy { $0["Range"] == nil && $0["If-Range"] == nil })
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a file that changed meanwhile is never spliced")
    func changed() async throws {
        let bench = try Bench(["/a": [Self.broken(Self.strong), .ok(Self.other, headers: [("ETag", "\"v2\"")])]])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.item["etag"] == "\"v2\"")
        #expect(bench.file("a.png") == Self.other)
    }

    @Test("a file that changed meanwhile may have all of max_size")
    func changedNearLimit() async throws {
        let bench = try Bench(
            ["/a": [Self.broken(Self.strong), .ok(Self.other, headers: [("ETag", "\"v2\"")])]],
            transfer: "max_size: 300000")
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
    }

    @Test("what is resumed counts against max_size as a whole")
    func resumedOverLimit() async throws {
        let bench = try Bench(
            ["/a": [.brokenChunks(prefix: 200_000, of: Self.whole)]], transfer: "max_size: 250000",
            answering: { request in
                request["Range"] == nil ? nil : Self.rest(request)
            })
        #expect(try await bench.run("/a")["a"].failure == "too-large")
    }

    @Test(
        "a 206 that does not fit is not taken, and the body starts over",
        arguments: [
            "bytes 199999-299999/300000", "bytes 200000-299999/300001", "pages 1-2/3", "bytes 200000-300000/300000",
        ])
    func wrongRange(_ range: String) async throws {
        let bench = try Bench([
            "/a": [
                Self.broken(Self.strong),
                .partial(of: Self.whole, from: 200_000, contentRange: range, headers: Self.strong),
                .ok(Self.whole, headers: Self.strong),
            ]
        ])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 3)
        #expect(bench.requests("/a").last?["Range"] == nil)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("416 to a part that has everything ends it")
    func nothingMissing() async throws {
        let bench = try Bench([
            "/a": [
                .brokenChunks(prefix: 300_000, of: Self.whole),
                .status(416, headers: [("Content-Range", "bytes */300000"), ("ETag", "\"v1\"")]),
            ]
        ])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.requests("/a").last?["Range"] == "bytes=300000-")
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test(
        "416 that proves nothing starts the body over",
        arguments: [
            [("Content-Range", "bytes */300000")], [("Content-Range", "bytes */300000"), ("ETag", "\"v2\"")],
            [("ETag", "\"v1\"")], [("Content-Range", "bytes */299999"), ("ETag", "\"v1\"")],
        ] as [[(String, String)]])
    func unsatisfiable(_ headers: [(String, String)]) async throws {
        let bench = try Bench([
            "/a": [
                .brokenChunks(prefix: 300_000, of: Self.whole), .status(416, headers: headers),
                .ok(Self.whole),
            ]
        ])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        // The first that broke off and one more: asking for the whole at once is no try of its own.
        #expect(row.attempts == 2)
        #expect(bench.requests("/a").last?["Range"] == nil)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("the next run goes on with what a failed one left")
    func nextRun() async throws {
        var bench = try Bench(["/a": [Self.broken(Self.strong)]], transfer: "retries: 0", answering: Self.rest)
        bench.keepsParts = true
        #expect(try await bench.run("/a")["a"].failure == "truncated")
        #expect(bench.parts == ["item-1", "item-1.note"])
        bench.keepsParts = false
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.transfer["wire_bytes"] == 100_000)
        #expect(row.transfer["body_bytes"] == 300_000)
        #expect(bench.requests("/a").last?["Range"] == "bytes=200000-")
        #expect(bench.file("a.png") == Self.whole)
    }

    /// Leaves what a process does that is killed when it has all of a body and has not published it.
    private func leaveAll(of bytes: [UInt8], _ bench: Bench) throws {
        let path = bench.directory.path(bench.outputFolder)
        let part = PartFile(in: try OutputDirectory(path: path, create: true), name: "item-1", hasher: HashWorker())
        part.note = PartNote(url: bench.server.url("/a"), validator: .etag("\"v1\""), totalLength: Int64(bytes.count))
        try bytes.withUnsafeBytes { try part.append($0) }
        try part.keep()
    }

    @Test("of a part that has everything one byte is asked for, which shows that the server still has this version")
    func completePart() async throws {
        let bench = try Bench(answering: Self.rest)
        try leaveAll(of: Self.whole, bench)
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 1)
        #expect(row.transfer["wire_bytes"] == 1)
        #expect(row.transfer["body_bytes"] == 300_000)
        #expect(bench.requests("/a").map { $0["Range"] } == ["bytes=299999-"])
        #expect(bench.requests("/a").map { $0["If-Range"] } == ["\"v1\""])
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a part that has everything of a version that is gone gives way")
    func completePartOfAnotherVersion() async throws {
        let bench = try Bench(["/a": [.ok(Self.other, headers: [("ETag", "\"v2\"")])]])
        try leaveAll(of: Self.whole, bench)
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 1)
        #expect(bench.file("a.png") == Self.other)
    }

    @Test("--refresh and another URL begin anew", arguments: [true, false])
    func notResumed(_ isRefreshing: Bool) async throws {
        var bench = try Bench(
            ["/a": [Self.broken(Self.strong), .ok(Self.other)], "/b": [.ok(Self.other)]], transfer: "retries: 0")
        bench.keepsParts = true
        _ = try await bench.run("/a")
        bench.keepsParts = false
        let item = bench.item(isRefreshing ? "/a" : "/b", key: "a")
        let row = try await bench.run([item]) { $0.selection.isRefreshing = isRefreshing }["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.server.requests.allSatisfy { $0["Range"] == nil })
        #expect(bench.file("a.png") == Self.other)
    }

    @Test("little is not kept for the next run")
    func shortPart() async throws {
        let bench = try Bench(["/a": [Self.broken(Self.strong, at: 1_000)]], transfer: "retries: 0")
        #expect(try await bench.run("/a")["a"].failure == "truncated")
        #expect(bench.parts == [])
    }

    /// The head and the first bytes of a reply without a length.
    private static let openEnded = FaultyServer.Response.brokenChunks(prefix: 200_000, of: whole)

    /// Some bytes of the whole, with a Content-Range of them or another one.
    private static func range(_ range: Range<Int>, total: String = "300000", says said: String? = nil)
        -> FaultyServer.Response
    {
        .status(
            206, Array(whole[range]),
            headers: strong + [("Content-Range", said ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")])
    }

    @Test("a range that ends before the file does is asked on from there, without another try")
    func shorterRange() async throws {
        let bench = try Bench(["/a": [Self.openEnded, Self.range(200_000..<250_000), Self.range(250_000..<300_000)]])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 2)
        #expect(bench.requests("/a").map { $0["Range"] } == [nil, "bytes=200000-", "bytes=250000-"])
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a range of a file whose length the server does not tell is asked on until nothing is left")
    func unknownTotal() async throws {
        let end = FaultyServer.Response.status(416, headers: Self.strong + [("Content-Range", "bytes */300000")])
        let bench = try Bench([
            "/a": [Self.openEnded, Self.range(200_000..<300_000, total: "*"), end]
        ])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.requests("/a").last?["Range"] == "bytes=300000-")
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("the total that a range tells is kept for the next run")
    func keptTotal() async throws {
        var bench = try Bench(
            [
                "/a": [
                    Self.openEnded, Self.range(200_000..<280_000), Self.range(280_000..<300_000).cut(after: 0, .close),
                ]
            ],
            transfer: "retries: 1")
        bench.keepsParts = true
        #expect(try await bench.run("/a")["a"].outcome == "failed")
        let note = bench.directory.read("\(bench.outputFolder)/.runner/parts/item-1.note") ?? []
        #expect(String(decoding: note, as: UTF8.self).contains("\nlength 300000\n"))
        bench.keepsParts = false
        bench.script.set("/a", Self.range(280_000..<300_000))
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test(
        "a body that is not as long as its range is not taken for it",
        arguments: [
            // Chunked, so that no length says it.
            FaultyServer.Response.steps([
                .send(
                    Array(
                        ("HTTP/1.1 206 Part\r\nETag: \"v1\"\r\nContent-Range: bytes 200000-299999/300000\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n").utf8))
            ]),
            range(200_000..<250_000, says: "bytes 200000-299999/300000"),
            range(200_000..<300_000, says: "bytes 200000-249999/300000"),
            range(200_000..<250_000, says: "bytes 200000-249999/250000"),
        ])
    func notTheRange(_ part: FaultyServer.Response) async throws {
        let bench = try Bench(["/a": [Self.broken(Self.strong), part, .ok(Self.whole, headers: Self.strong)]])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(row.attempts == 3)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("more bytes than the range says are not the file")
    func overfullRange() async throws {
        let rest = Array(Self.whole[200_000...])
        let head =
            "HTTP/1.1 206 Part\r\nETag: \"v1\"\r\nContent-Range: bytes 200000-249999/300000\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n\(String(rest.count, radix: 16))\r\n"
        let overfull = FaultyServer.Response.steps([.send(Array(head.utf8) + rest + Array("\r\n0\r\n\r\n".utf8))])
        let bench = try Bench(["/a": [Self.openEnded, overfull, .ok(Self.whole, headers: Self.strong)]])
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.requests("/a").last?["Range"] == nil)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a total that changes between two ranges starts the body over")
    func changedTotal() async throws {
        let bench = try Bench([
            "/a": [
                Self.openEnded, Self.range(200_000..<280_000), Self.range(280_000..<290_000, total: "290000"),
                .ok(Self.whole, headers: Self.strong),
            ]
        ])
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.requests("/a").last?["Range"] == nil)
        #expect(bench.file("a.png") == Self.whole)
    }

    @Test("a server that gives a file away by crumbs is not asked for ever")
    func crumbs() async throws {
        var bench = try Bench(["/a": [Self.openEnded]], transfer: "retries: 1") { request in
            guard let range = request["Range"], let start = Int(range.dropFirst("bytes=".count).dropLast()) else {
                return nil
            }
            return Self.range(start..<start + 1)
        }
        bench.keepsParts = true
        #expect(try await bench.run("/a")["a"].failure == "truncated")
        #expect(bench.requests("/a").count < 20)
    }
}
