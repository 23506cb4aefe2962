import Model
import Run
import TestSupport
import Testing

@Suite("Runs over manifests", .timeLimit(.minutes(1)))
struct RunTests {
    private static let png = PictureFile.png([UInt8](repeating: 7, count: 90))
    private static let pdf = Array("%PDF-1.7\n1 0 obj\n%%EOF\n".utf8)

    @Test("every kind of item ends in its state, and the second run asks nothing that is fresh or gone for good")
    func everything() async throws {
        let fresh = [("Cache-Control", "max-age=3600")]
        let lists = ZipFile([
            "lists/images0.json": """
            ["URL/a%20b.png", "URL/http://x.example/c.png", "URL/missing.png", "URL/a%20b.png", 7,
             {"url": "URL/page.jpg", "title": "A page"}, {"url": "URL/doc.pdf", "path": "papers/1.pdf"}]
            """,
            "lists/images1.json": #"["URL/a b.png", "URL/pack.zip"]"#, "lists/images2.json": "no list",
        ])
        let run = try ManifestRun(
            "lists.zip",
            [
                "/a%20b.png": .ok(Self.png, headers: fresh), "/http://x.example/c.png": .ok(Self.png, headers: fresh),
                "/page.jpg": .ok("<html><title>Not found</title></html>"), "/doc.pdf": .ok(Self.pdf, headers: fresh),
                "/pack.zip": .ok(ZipFile(["a": "b"]).bytes, headers: fresh),
            ])
        let url = run.server.url("")
        let written = lists.entries.map { entry in
            ZipFile.Entry(
                entry.name, Array(String(decoding: entry.data, as: UTF8.self).replacing("URL", with: url).utf8))
        }
        try run.directory.write(ZipFile(written).bytes, to: "lists.zip")

        let first = try await run.run()
        #expect(
            first.items == [
                "images0.json#\(url)/a%20b.png": "downloaded", "images0.json#\(url)/a%20b.png#2": "downloaded",
                "images0.json#\(url)/http://x.example/c.png": "downloaded", "images0.json#\(url)/missing.png": "http",
                "images0.json#@4": "invalid", "images0.json#\(url)/page.jpg": "wrong-type",
                "images0.json#\(url)/doc.pdf": "downloaded", "images1.json#\(url)/a b.png": "downloaded",
                "images1.json#\(url)/pack.zip": "downloaded", "images2.json#@0": "invalid",
            ])
        #expect(first.finished.outcome == .partial)
        #expect(first.finished.figures.listRequests == 0)
        #expect(run.requests("/a%20b.png").count == 1)
        #expect(run.directory.names(in: "files/images0") == ["a b (2).png", "a b.png", "c.png", "doc.pdf"])
        #expect(run.directory.names(in: "files/images1") == ["a b.png", "pack.zip"])

        let asked = run.server.requests.count
        let second = try await run.run()
        #expect(second.items.values.filter { $0 == "fresh" }.count == 6)
        #expect(run.server.requests.dropFirst(asked).map(\.path) == ["/page.jpg"])
    }

    @Test("of a list that was read whole it is known how many items it has; of one that was not, how many it had")
    func expected() async throws {
        let urls = (0..<3).map { "/\($0).png" }
        let run = try ManifestRun("l.json", Dictionary(uniqueKeysWithValues: urls.map { ($0, .ok(Self.png)) }))
        func write(_ count: Int, _ end: String) throws {
            let list = urls.prefix(count).map { "\"\(run.server.url($0))\"" }.joined(separator: ",")
            try run.write("[\(list)\(end)", to: "l.json")
        }
        func expected() throws -> [[String]] { try run.table("SELECT CAST(expected AS TEXT) FROM collection") }
        try write(3, "]")
        _ = try await run.run()
        #expect(try expected() == [["3"]])
        try write(1, "")
        _ = try await run.run()
        #expect(try expected() == [["3"]])
        try write(2, "]")
        _ = try await run.run()
        #expect(try expected() == [["2"]])
    }

    @Test("a broken element says in the ledger where it stands")
    func broken() async throws {
        let run = try ManifestRun("l.json", [:])
        try run.write(#"["ftp://x/y"]"#, to: "l.json")
        _ = try await run.run()
        let rows = try run.table("SELECT url, detail, state FROM transfer JOIN item ON id = item_id")
        #expect(rows == [["ftp://x/y", "element 1 of l.json: only http and https are fetched, not ftp", "failed"]])
    }

    @Test("a list that can't be read to its end takes nothing of its own for gone; the others are judged")
    func incomplete() async throws {
        let urls = (0..<4).map { "/\($0).png" }
        let run = try ManifestRun("lists.zip", Dictionary(uniqueKeysWithValues: urls.map { ($0, .ok(Self.png)) }))
        func list(_ numbers: Int...) -> String {
            "[\(numbers.map { "\"\(run.server.url(urls[$0]))\"" }.joined(separator: ","))]"
        }
        func states() throws -> [String] {
            try run.table("SELECT state FROM item WHERE key NOT LIKE '%@%' ORDER BY key").map { $0[0] }
        }
        try run.directory.write(ZipFile(["a.json": list(0, 1), "b.json": list(2, 3)]).bytes, to: "lists.zip")
        #expect(try await run.run().finished.outcome == .complete)

        // The bytes of an entry that are not those of its checksum; a list that was cut off; a page in its place.
        var broken = ZipFile(["a.json": list(0), "b.json": list(2)])
        broken.entries[0].checksum = 7
        let cut = ZipFile(["a.json": String(list(0).dropLast()), "b.json": list(2)])
        let page = ZipFile(["a.json": "<html>", "b.json": list(2)])
        for file in [broken, cut, page] {
            try run.directory.write(file.bytes, to: "lists.zip")
            #expect(try await run.run().finished.outcome == .partial)
            #expect(try states() == ["stored", "stored", "stored", "gone"])
        }
        try run.directory.write(ZipFile(["a.json": list(0), "b.json": list(2)]).bytes, to: "lists.zip")
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try states() == ["stored", "gone", "stored", "gone"])
    }

    @Test(
        "a size or digest that is none fails its element and names it; nothing is taken unchecked",
        arguments: [
            (#""size": "12""#, "its size is not a whole number from 0 to 2^53"),
            (#""size": -1"#, "its size is not a whole number from 0 to 2^53"),
            (#""size": 1.5"#, "its size is not a whole number from 0 to 2^53"),
            (#""size": 9007199254740993"#, "its size is not a whole number from 0 to 2^53"),
            (#""size": 9223372036854775808"#, "its size is not a whole number from 0 to 2^53"),
            (#""size": 1e300"#, "its size is not a whole number from 0 to 2^53"),
            (#""sha256": "abc""#, "its sha256 is not of 64 hexadecimal digits"),
            (#""sha256": """#, "its sha256 is not of 64 hexadecimal digits"),
            (#""sha256": 7"#, "its 'sha256' is of another type than it should be"),
        ])
    func promises(member: String, complaint: String) async throws {
        let run = try ManifestRun("l.json", ["/1.png": .ok(Self.png)])
        try run.write(#"[{"url": "\#(run.server.url("/1.png"))", \#(member)}]"#, to: "l.json")
        #expect(try await run.run().finished.outcome == .partial)
        #expect(
            try run.table("SELECT failure, detail FROM transfer") == [["invalid", "element 1 of l.json: \(complaint)"]])
        #expect(try run.table("SELECT url FROM item") == [[run.server.url("/1.png")]])
        #expect(run.server.requests.isEmpty)
    }

    @Test("the list's own paths make folders, each made safe")
    func paths() async throws {
        let run = try ManifestRun("l.json", ["/1.png": .ok(Self.png)])
        try run.write(#"[{"url": "\#(run.server.url("/1.png"))", "path": "../b/./c/one.png"}]"#, to: "l.json")
        #expect(try await run.plan() == ["l.json#\(run.server.url("/1.png")) l/1.{extension}"])
        let own = try ManifestRun("l.json", ["/1.png": .ok(Self.png)], path: "{path}")
        try own.write(#"[{"url": "\#(own.server.url("/1.png"))", "path": "../b/./c/one.png"}]"#, to: "l.json")
        _ = try await own.run()
        #expect(own.directory.names(in: "files/_/b/_/c") == ["one.png"])
    }

    // MARK: Manifests that are downloaded

    private static func list(_ run: ManifestRun, _ path: String = "/1.png") -> [UInt8] {
        Array("[\"\(run.server.url(path))\"]".utf8)
    }

    @Test("a manifest that is fresh is not asked for again; the ledger counts what was asked")
    func fresh() async throws {
        let run = try ManifestRun(
            "SERVER/list.json", ["/1.png": .ok(Self.png, headers: [("Cache-Control", "max-age=9")])])
        run.answer("/list.json", .ok(Self.list(run), headers: [("Cache-Control", "max-age=3600")]))
        let first = try await run.run()
        #expect(first.finished.figures.listRequests == 1)
        #expect(first.finished.figures.listBytes == Int64(Self.list(run).count))
        let second = try await run.run()
        #expect(second.finished.figures.listRequests == 0)
        #expect(second.items.count == 1)
        #expect(run.requests("/list.json").count == 1)
    }

    @Test(
        "one that has not changed costs a request and no body",
        arguments: [("ETag", "\"v1\""), ("Last-Modified", "Sat, 21 Nov 2026 09:00:00 GMT")])
    func unchanged(validator: (String, String)) async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run), headers: [validator]))
        _ = try await run.run()
        run.answer("/list.json", .status(304))
        let second = try await run.run()
        #expect(second.items.count == 1)
        #expect(second.finished.figures.listBytes == 0)
        let request = try #require(run.requests("/list.json").last)
        #expect(request[validator.0 == "ETag" ? "If-None-Match" : "If-Modified-Since"] == validator.1)
        // The validators outlive the 304.
        _ = try await run.run()
        #expect(run.requests("/list.json").count == 3)
        #expect(run.requests("/list.json").last?["If-None-Match"] == (validator.0 == "ETag" ? validator.1 : nil))
    }

    @Test("one that has changed is taken as it is now")
    func changed() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png), "/2.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run), headers: [("ETag", "\"v1\"")]))
        _ = try await run.run()
        run.answer("/list.json", .ok(Self.list(run, "/2.png"), headers: [("ETag", "\"v2\"")]))
        let second = try await run.run()
        #expect(second.items.keys.map { $0 } == ["list.json#\(run.server.url("/2.png"))"])
        #expect(try run.table("SELECT state FROM item ORDER BY id") == [["gone"], ["stored"]])
    }

    @Test("one that can't be had ends the run, and nothing is taken for gone")
    func unreachable() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run)))
        _ = try await run.run()
        run.answer("/list.json", .status(404))
        let second = try await run.run()
        #expect(second.finished.outcome == .failed)
        #expect(
            second.finished.detail
                == "the list failed: \(run.server.url("/list.json")): the server answered 404 Not Found")
        #expect(second.items.isEmpty)
        #expect(try run.table("SELECT state FROM item") == [["stored"]])
    }

    @Test("a page in place of a list ends the run by itself, and nothing is taken for gone")
    func page() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run)))
        _ = try await run.run()
        run.answer("/list.json", .ok("<html>be back soon</html>"))
        let second = try await run.run()
        #expect(second.finished.detail == "the list failed: list.json: it is not JSON")
        #expect(try run.table("SELECT state FROM item") == [["stored"]])
    }

    @Test("transient failures are tried again, redirects followed")
    func detours() async throws {
        let run = try ManifestRun("SERVER/a", ["/1.png": .ok(Self.png), "/a": .redirect(to: "/b/list.json")])
        run.answer("/b/list.json", .ok(Self.list(run)).cut(after: 3, .reset))
        #expect(try await run.run().finished.outcome == .failed)
        #expect(run.requests("/b/list.json").count == 2)
        run.answer("/b/list.json", .ok(Self.list(run)))
        #expect(try await run.run().finished.outcome == .complete)
    }

    @Test("one that is longer than max_total_size is not taken")
    func tooLarge() async throws {
        let run = try ManifestRun("SERVER/list.json\", max_total_size: \"10", [:])
        run.answer("/list.json", .ok(Self.list(run)))
        let report = try await run.run()
        #expect(
            report.finished.detail == "the list failed: \(run.server.url("/list.json")): the reply is over 10 bytes")
        #expect(run.directory.names(in: "files/.runner/kept").isEmpty)
    }

    @Test("--refresh asks for all of it")
    func refresh() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run), headers: [("ETag", "\"v1\""), ("Cache-Control", "max-age=99")]))
        _ = try await run.run()
        let second = try await run.run { $0.selection.isRefreshing = true }
        #expect(second.finished.figures.listRequests == 1)
        #expect(run.requests("/list.json").last?["If-None-Match"] == nil)
    }

    @Test("what is kept is private, and goes when no list is made of it any more")
    func kept() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run)))
        try run.directory.write("old", to: "files/.runner/kept/old")
        _ = try await run.run()
        let names = run.directory.names(in: "files/.runner/kept")
        #expect(names.count == 2 && names[1] == names[0] + ".note")
        #expect(!names[0].contains("127.0.0.1"))
    }

    @Test("a plan reads what a run has kept, and writes nothing beside it")
    func plan() async throws {
        let run = try ManifestRun("SERVER/list.json", ["/1.png": .ok(Self.png)])
        run.answer("/list.json", .ok(Self.list(run), headers: [("Cache-Control", "max-age=3600")]))
        #expect(try await run.plan().count == 1)
        #expect(!run.directory.names().contains("files"))
        _ = try await run.run()
        #expect(run.requests("/list.json").count == 2)
        #expect(try await run.plan().count == 1)
        #expect(run.requests("/list.json").count == 2)
    }
}
