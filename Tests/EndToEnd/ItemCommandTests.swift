import TestSupport
import Testing

/// `runner search`, `recents`, `favourites`, `remove` and `restore`: what the page does with items, without a browser.
@Suite("End to end: items", .wholeProgramLimit)
struct ItemCommandTests {
    /// Three stored items and one that failed.
    private func stored(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in
            request.path == "/d" ? .status(404) : .ok("the body of \(request.path)")
        }
        let items = [("a", "Hà Nội"), ("b", "Chợ ở Hà Nội"), ("c", "Đà Nẵng"), ("d", "Hanoi")].map { key, title in
            "  - {key: \(key), url: '\(server.url("/\(key)"))', title: \(title)}"
        }
        try workplace.writeJob(source: ["items:"] + items)
        guard try workplace.run(["job.yaml"]).ending == .exit(1) else { throw TestSupportError("the run") }
        return server
    }

    /// The keys of the items that a command lists.
    private func keys(_ workplace: Workplace, _ arguments: String...) throws -> [String] {
        let result = try workplace.run(arguments)
        #expect(result.ending == .exit(0), "\(result.errors)")
        return result.lines.map { String($0.split(separator: "\t", omittingEmptySubsequences: false)[1]) }
    }

    @Test("search finds words of titles without case and accents, and says where the files are")
    func search() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try keys(workplace, "search", "ha noi") == ["a", "b", "d"])
        #expect(try keys(workplace, "search", "NOI", "cho") == ["b"])
        #expect(try keys(workplace, "search", "da", "--job", "list") == ["c"])
        #expect(try keys(workplace, "search", "ha", "--limit", "2") == ["a", "b"])
        #expect(try keys(workplace, "search", "Saigon") == [])
        let all = try workplace.run(["search", "an"]).lines
        #expect(
            all == [
                "list\tc\tĐà Nẵng\tstored\t\(workplace.directory.path("out/list/Đà Nẵng.bin"))",
                "list\td\tHanoi\tfailed\t",
            ])
        let json = try JSONValue(workplace.run(["search", "an", "--format", "json", "--limit", "1"]).output)
        #expect(json["items"]?.elements.first?["title"]?.text == "Đà Nẵng")
        #expect(json["items"]?.elements.first?["state"]?.text == "stored")
        #expect(try workplace.run(["search", "x", "--format", "json"]).output == "{\"items\": []}\n")
        let unknown = try workplace.run(["search", "an", "--job", "lisd"])
        #expect(unknown.ending == .exit(64))
        #expect(unknown.errors.hasPrefix("runner: the catalog has no job 'lisd'; did you mean 'list'?\n"))
        #expect(try workplace.run(["search", "an", "--format", "html"]).ending == .exit(64))
    }

    @Test("favourites are added, listed in the order of the alphabet and removed; recents are what was looked at")
    func marks() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try keys(workplace, "favourites") == [])
        let added = try workplace.run(["favourites", "add", "a", "Đà Nẵng", "a"])
        #expect(added.ending == .exit(0))
        #expect(added.errors == "2 items added to the favourites\n")
        #expect(try keys(workplace, "favourites") == ["c", "a"])
        #expect(try keys(workplace, "favourites", "--job", "job.yaml") == ["c", "a"])
        #expect(try workplace.run(["favourites", "remove", "c"]).errors == "1 item removed from the favourites\n")
        #expect(try keys(workplace, "favourites") == ["a"])
        for (words, line) in [
            (["remove", "c"], "nothing was removed from the favourites; 1 was none\n"),
            (["remove", "c", "b"], "nothing was removed from the favourites; 2 were none\n"),
            (["add", "a"], "nothing was added to the favourites; 1 was one before\n"),
            (["add", "a", "b"], "1 item added to the favourites; 1 was one before\n"),
            (["remove", "b", "c"], "1 item removed from the favourites; 1 was none\n"),
        ] { #expect(try workplace.run(["favourites"] + words).errors == line) }
        let unknown = try workplace.run(["favourites", "add", "a", "e"])
        #expect(unknown.ending == .exit(64))
        #expect(unknown.errors.hasPrefix("runner: list has no item 'e'; runner search WORDS finds titles\n"))
        #expect(try workplace.run(["favourites", "ad", "a"]).ending == .exit(64))

        #expect(try keys(workplace, "recents") == [])
        for key in ["a", "b", "a"] { #expect(try workplace.run(["show", "list", key]).ending == .exit(0)) }
        #expect(try keys(workplace, "recents") == ["a", "b"])
    }

    @Test("a removed item's file goes and no run fetches it; a restored one is fetched by the next run")
    func removal() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        let removed = try workplace.run(["remove", "list", "a", "Đà Nẵng"])
        #expect(removed.ending == .exit(0))
        #expect(removed.errors == "list: 2 items removed; runner restore undoes it\n")
        #expect(workplace.files() == ["list/Chợ ở Hà Nội.bin"])
        let asked = server.requests.count
        _ = try workplace.run(["job.yaml", "--set", "refresh=never"])
        #expect(server.requests.count == asked)
        #expect(try keys(workplace, "search", "ha noi") == ["b", "d"])

        let restored = try workplace.run(["restore", "job.yaml", "a", "b"])
        #expect(
            restored.errors
                == "list: 1 item restored; the next run fetches it if its list has it; 1 had not been removed\n")
        _ = try workplace.run(["job.yaml", "--set", "refresh=never"])
        #expect(workplace.files() == ["list/Chợ ở Hà Nội.bin", "list/Hà Nội.bin"])
        #expect(try workplace.catalog().contradictions() == [])
        #expect(
            try workplace.run(["remove", "list", "b"]).errors.hasSuffix("1 item removed; runner restore undoes it\n"))
        let again = try workplace.run(["remove", "list", "b"])
        #expect(again.ending == .exit(0))
        #expect(again.errors == "list: nothing was removed; 1 had been removed before\n")
    }

    @Test("search folds case as people write: straße is STRASSE, and ﬁ is fi")
    func folding() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("the body of \(request.path)") }
        let titles = ["Straße", "STRASSE", "GROẞ", "ﬁn", "ΣΊΣΥΦΟΣ"]
        try workplace.writeJob(
            source: ["items:"]
                + titles.enumerated().map { "  - {key: '\($0)', url: '\(server.url("/\($0)"))', title: \($1)}" })
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        for (words, found) in [
            ("strasse", ["0", "1"]), ("Straße", ["0", "1"]), ("gross", ["2"]), ("FIN", ["3"]), ("σισυφος", ["4"]),
        ] { #expect(try keys(workplace, "search", words) == found) }
    }

    @Test("a name with characters that no terminal gets can be used as it is shown")
    func shownNames() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("the body of \(request.path)") }
        let items = [("a\\tb", "one"), ("a b", "two"), ("a*\\u202Eb", "three")].map { key, title in
            "  - {key: \"\(key)\", url: '\(server.url("/\(title)"))', title: \(title)}"
        }
        try workplace.writeJob(source: ["items:"] + items)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let shown = try keys(workplace, "search", "e")
        #expect(shown == ["a\u{fffd}b", "a*\u{fffd}b"])
        for key in shown {
            #expect(try workplace.run(["show", "list", key]).ending == .exit(0))
            #expect(try workplace.run(["remove", "list", key]).errors.hasPrefix("list: 1 item removed"))
        }
        #expect(workplace.files() == ["list/two.bin"])
        #expect(try workplace.run(["remove", "list", "x\u{fffd}b"]).ending == .exit(64))
    }

    @Test("what was changed since it was stored stays, and is named")
    func changed() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(
            try workplace.run(["job.yaml", "--set", "output.sidecar=json", "--set", "refresh=never"]).ending == .exit(1)
        )
        try workplace.directory.write("mine", to: "out/list/Hà Nội.bin")
        try workplace.directory.write("mine, too", to: "out/list/Đà Nẵng.bin.json")
        let removed = try workplace.run(["remove", "list", "a", "c", "d"])
        #expect(removed.ending == .exit(0))
        let end = "stays: it was changed since it was stored, and is no longer the job's"
        #expect(
            removed.errors.split(separator: "\n") == [
                "list: \(workplace.directory.path("out/list/Hà Nội.bin")) \(end)",
                "list: \(workplace.directory.path("out/list/Đà Nẵng.bin.json")) \(end)",
                "list: 3 items removed; runner restore undoes it",
            ])
        #expect(
            workplace.files() == [
                "list/Chợ ở Hà Nội.bin", "list/Chợ ở Hà Nội.bin.json", "list/Hà Nội.bin", "list/Đà Nẵng.bin.json",
            ])
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'removed'") == 3)
    }

    @Test("nothing is removed or restored while a run holds the job")
    func held() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        #expect(try workplace.run(["remove", "list", "a"]).ending == .exit(0))
        server.hold("/b")
        let asked = server.requests.count
        let program = try workplace.start(["job.yaml", "--refresh", "--only", "b"])
        try server.waitForRequests(asked + 1)
        for (command, key) in [("restore", "a"), ("remove", "c")] {
            let result = try workplace.run([command, "list", key])
            #expect(result.ending == .exit(75))
            #expect(result.errors.hasPrefix("list: another run (pid \(program.processID), since "))
        }
        server.release("/b")
        #expect(try program.wait().ending == .exit(0))
        #expect(try keys(workplace, "search", "ha noi") == ["b", "d"])
    }
}
