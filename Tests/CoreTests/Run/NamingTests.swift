import Files
import FoundationEssentials
import Jobs
import Run
import TestSupport
import Testing

@testable import Model
@testable import SourceKit

/// Where files go, and whose files are left alone.
@Suite("Names of stored files", .timeLimit(.minutes(1)))
struct NamingTests {
    private func bench(_ template: String = "{title}.{extension}", _ responses: [String: [FaultyServer.Response]])
        throws -> Bench
    {
        var bench = try Bench(responses)
        bench.job.output.template = try PathTemplate(template, fields: [TemplateField(name: "code", help: "")])
        return bench
    }

    @Test("a file of somebody else's is never overwritten: the item takes a number")
    func foreignFile() async throws {
        var bench = try Bench(["/a": [.ok(picture(), headers: [("ETag", "\"v1\"")]), .ok(picture(seed: 2))]])
        try bench.directory.write("mine", to: "\(bench.outputFolder)/a.png")
        try bench.directory.write("mine too", to: "\(bench.outputFolder)/a (2).png")
        bench.foreignFiles = ["a.png", "a (2).png"]
        #expect(try await bench.run("/a")["a"].path == "a (3).png")
        #expect(bench.file("a.png") == Array("mine".utf8))
        // Later runs keep the number.
        #expect(try await bench.run("/a")["a"].path == "a (3).png")
        #expect(bench.file("a (3).png") == picture(seed: 2))
        #expect(bench.file("a (2).png") == Array("mine too".utf8))
    }

    @Test("a file that already has the bytes is adopted")
    func adopted() async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        try bench.directory.write(picture(), to: "\(bench.outputFolder)/a.png")
        let row = try await bench.run("/a")["a"]
        #expect(row.path == "a.png")
        #expect(row.outcome == "downloaded")
        #expect(bench.files == ["a.png"])
    }

    @Test("a file of an unfinished run is replaced")
    func leftover() async throws {
        let bench = try Bench(["/a": [.ok(picture(seed: 2))]])
        var hasher = SHA256()
        picture(seed: 1).withUnsafeBytes { hasher.update($0) }
        try bench.directory.write(picture(seed: 1), to: "\(bench.outputFolder)/a.png")
        try bench.directory.write("\n108 \(hasher.finalize().hex) a.png\n", to: "\(bench.outputFolder)/.runner/journal")
        #expect(try await bench.run("/a")["a"].path == "a.png")
        #expect(bench.file("a.png") == picture(seed: 2))
    }

    @Test("a file of an unfinished run that no item takes up goes with the next run of the whole list")
    func leftoverOfOtherName() async throws {
        let bench = try Bench(["/a": [.ok(picture(seed: 2))], "/b": [.ok(picture(seed: 3))]])
        var hasher = SHA256()
        picture(seed: 1).withUnsafeBytes { hasher.update($0) }
        try bench.directory.write(picture(seed: 1), to: "\(bench.outputFolder)/old/a.png")
        try bench.directory.write(
            "\n108 \(hasher.finalize().hex) old/a.png\n", to: "\(bench.outputFolder)/.runner/journal")
        var partial = bench
        partial.foreignFiles = ["old/a.png"]
        partial.keepsJournal = true
        _ = try await partial.run([bench.item("/a"), bench.item("/b")]) { $0.selection.limit = 1 }
        #expect(bench.files == ["old/a.png", "a.png"])
        _ = try await bench.run("/a", "/b")
        #expect(bench.files == ["a.png", "b.png"])
        #expect(bench.directory.names(in: bench.outputFolder).sorted() == [".runner", "a.png", "b.png"])
    }

    @Test("titles that are equal but for case get numbers in list order, and keep them")
    func caseFolding() async throws {
        let bench = try Bench([
            "/1": [.ok(picture(seed: 1))], "/2": [.ok(picture(seed: 2))], "/3": [.ok(picture(seed: 3))],
            "/4": [.ok(picture(seed: 4))],
        ])
        let items = [
            bench.item("/1", title: "Straße"), bench.item("/2", title: "STRASSE"), bench.item("/3", title: "strasse"),
            bench.item("/4", title: "STRAẞE"),
        ]
        let report = try await bench.run(items)
        #expect(try report["1"].path == "Straße.png")
        #expect(try report["2"].path == "STRASSE (2).png")
        #expect(try report["3"].path == "strasse (3).png")
        #expect(try report["4"].path == "STRAẞE (4).png")
        let again = try await bench.run(items.reversed())
        #expect(try again["3"].path == "strasse (3).png")
        #expect(try again["1"].path == "Straße.png")
    }

    @Test("composed and decomposed spellings are one name, written composed")
    func normalisation() async throws {
        let bench = try Bench(["/1": [.ok(picture(seed: 1))], "/2": [.ok(picture(seed: 2))]])
        let decomposed = "Ha\u{300} No\u{323}\u{302}i"
        let report = try await bench.run([bench.item("/1", title: decomposed), bench.item("/2", title: "Hà Nội")])
        let paths = try [report["1"].path?.text, report["2"].path?.text].map { $0.map { Array($0.utf8) } }
        #expect(paths == [Array("H\u{E0} N\u{1ED9}i.png".utf8), Array("H\u{E0} N\u{1ED9}i (2).png".utf8)])
        #expect(
            bench.directory.names(in: bench.outputFolder).contains {
                Array($0.utf8) == Array("H\u{E0} N\u{1ED9}i.png".utf8)
            })
    }

    @Test(
        "every field of a template",
        arguments: [
            ("{key}", "k:1"), ("{title}", "A_B"), ("{collection}/x", "All/x"), ("{section}", "North"),
            ("{position}", "0001"), ("{name}", "ö.JPEG"), ("{stem}.{extension}", "ö.png"), ("{host}", "127.0.0.1"),
            ("{code}-{extension}", "de-png"), ("a{title}/{position} {stem}.{extension}", "aA_B/0001 ö.png"),
        ])
    func fields(_ template: String, _ path: String) async throws {
        let bench = try bench(template, ["/x/%C3%B6.JPEG": [.ok(picture())]])
        let item = bench.item("/x/%C3%B6.JPEG", key: "k:1", title: "A/B").with(section: "North", fields: ["code": "de"])
        #expect(try await bench.run([item])["k:1"].path == .text(path))
    }

    @Test(
        "a name from the network can't lead out of the directory",
        arguments: [
            ("../../etc/passwd", "_._.._etc_passwd.png"), ("..", "_.png"), ("", "_.png"),
            ("a\nb\u{202E}c", "a_b_c.png"),
        ])
    func hostile(_ title: String, _ path: String) async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        #expect(try await bench.run([bench.item("/a", title: title)])["a"].path?.text?.contains("/") == false)
        #expect(bench.files.count == 1)
    }

    @Test("a link below the directory is not followed")
    func link() async throws {
        var bench = try bench("{collection}/{title}.{extension}", ["/a": [.ok(picture())]])
        let elsewhere = try TemporaryDirectory()
        try bench.directory.write("", to: "\(bench.outputFolder)/keep")
        bench.foreignFiles = ["keep"]
        try FileManager.default.createSymbolicLink(
            atPath: bench.directory.path("\(bench.outputFolder)/All"), withDestinationPath: elsewhere.path)
        let report = try await bench.run("/a")
        #expect(try report["a"].failure == "disk")
        #expect(report.outcome == .failed)
        #expect(elsewhere.names() == [])
    }

    @Test(
        "the extension comes from the bytes, else the URL, else the type, else it is bin",
        arguments: [
            ("/a.jpg", picture(), "text/plain", "png"), ("/a.jpg", Array("hello".utf8), "text/csv", "jpg"),
            ("/a", Array("hello".utf8), "text/csv; charset=utf-8", "csv"), ("/a", Array("hello".utf8), "x/y", "bin"),
        ] as [(String, [UInt8], String, String)])
    func extensions(_ path: String, _ body: [UInt8], _ type: String, _ expected: String) async throws {
        let bench = try Bench([path: [.ok(body, headers: [("Content-Type", type)])]])
        #expect(try await bench.run([bench.item(path, key: "k")])["k"].path == .text("k.\(expected)"))
    }

    @Test("an item that becomes another type leaves no file of the old one")
    func changedExtension() async throws {
        let bench = try Bench(["/a": [.ok(picture()), .ok("GIF89a..."), .ok(picture())]])
        #expect(try await bench.run("/a")["a"].path == "a.png")
        #expect(try await bench.run("/a")["a"].path == "a.gif")
        #expect(bench.files == ["a.gif"])
        #expect(try await bench.run("/a")["a"].path == "a.png")
        #expect(bench.files == ["a.png"])
    }

    @Test(
        "an extension that the URL is written with stays, once, where the bytes don't contradict it",
        arguments: [
            ("x.bin", Self.text, "application/octet-stream", "x.bin"), ("k.md", Self.text, "text/plain", "k.md"),
            ("K.MD", Self.text, "text/plain", "K.MD"), ("f.docx", Self.archive, "application/zip", "f.docx"),
            ("f.zip", Self.archive, "application/zip", "f.zip"),
            ("map.geojson", Self.json, "application/json", "map.geojson"),
            ("list.txt", Self.json, "text/plain", "list.txt"), ("a.tar.gz", Self.text, "x/y", "a.tar.gz"),
            ("J.R.Tolkien", picture(), "image/png", "J.R.Tolkien.png"), ("get.php", Self.archive, "x/y", "get.php.zip"),
            ("v1.2", Self.text, "text/plain", "v1.2.txt"), ("a.jpeg", picture(), "image/png", "a.png"),
            ("README", Self.text, "text/plain", "README.txt"), (".profile", Self.text, "x/y", "_profile.bin"),
        ] as [(String, [UInt8], String, String)])
    func keptExtension(_ name: String, _ body: [UInt8], _ type: String, _ expected: String) async throws {
        let bench = try bench("{stem}.{extension}", ["/\(name)": [.ok(body, headers: [("Content-Type", type)])]])
        #expect(try await bench.run([bench.item("/\(name)", key: "k")])["k"].path == .text(expected))
    }

    private static let text = Array("some words".utf8)
    private static let json = Array(#"[{"a": 1}]"#.utf8)
    private static let archive: [UInt8] = [0x50, 0x4B, 3, 4] + Array("and so on".utf8)

    @Test("an item has the extension of its bytes in every template and every place, and that of no title")
    func ownExtension() async throws {
        var bench = try bench("{extension}/{title}", ["/a": [.ok(picture())]])
        let items = [
            bench.item("/a", key: "1", title: "first photo"), bench.item("/a", key: "2", title: "v1.2 photo"),
            bench.item("/a", key: "3", title: "Mr. Foo"),
        ]
        _ = try await bench.run(items)
        #expect(bench.files == ["png/first photo", "png/v1.2 photo", "png/Mr. Foo"])
        bench.job.output.template = try PathTemplate("second {title}.{extension}", fields: [])
        _ = try await bench.run(items)
        #expect(bench.files == ["second first photo.png", "second v1.2 photo.png", "second Mr. Foo.png"])
    }

    @Test("names as long as they may be take extensions and numbers")
    func longest() async throws {
        let bench = try bench(
            "{title}{extension}{title} {extension} {title}.{extension}",
            ["/1": [.ok(picture())], "/2": [.ok(picture())]])
        let title = String(repeating: "x", count: 300)
        let report = try await bench.run([bench.item("/1", title: title), bench.item("/2", title: title)])
        #expect(report.outcome == .complete)
        #expect(bench.files.count == 2)
    }

    @Test("a path of more folders than a path may have is stored with fewer")
    func deepest() async throws {
        let bench = try benchOfPaths(["/a": [.ok(picture())]])
        let path = String(repeating: "folder/", count: 1_000) + "photo.png"
        let row = try await bench.run([bench.item("/a").with(fields: ["path": path])])["a"]
        #expect(row.state == "stored")
        #expect(row.path?.text?.hasSuffix("/photo.png") == true)
    }

    private func benchOfPaths(_ responses: [String: [FaultyServer.Response]]) throws -> Bench {
        var bench = try Bench(responses)
        bench.job.output.template = try PathTemplate(
            "{path}", fields: [TemplateField(name: "path", help: "", isPath: true)])
        return bench
    }

    @Test(
        "a file and a folder of one name: the later of them takes a number",
        arguments: [
            (["a", "a/b", "a/b/c"], ["a", "a (2)/b", "a (2)/b (2)/c"]),
            (["a/b/c", "a/b", "a"], ["a/b/c", "a/b (2)", "a (2)"]),
            (["x/a", "X/A/b", "x/a/c"], ["x/a", "X/A (2)/b", "x/a (2)/c"]),
            (["a/b", "a", "a"], ["a/b", "a (2)", "a (3)"]),
        ])
    func folders(_ wanted: [String], _ expected: [String]) async throws {
        let keys = wanted.indices.map { "\($0)" }
        let bench = try benchOfPaths(Dictionary(uniqueKeysWithValues: keys.map { ("/\($0)", [.ok("of \($0)")]) }))
        let items = zip(keys, wanted).map { bench.item("/\($0)").with(fields: ["path": $1]) }
        let first = try await bench.run(items)
        #expect(first.outcome == .complete)
        #expect(try keys.map { try first[$0].path?.text } == expected)
        // They stay when the list turns round.
        let again = try await bench.run(items.reversed())
        #expect(try keys.map { try again[$0].path?.text } == expected)
    }

    @Test("somebody else's file in place of a folder stays, and the folder takes a number")
    func fileForFolder() async throws {
        var bench = try bench(
            "{collection}/x/{title}.{extension}", ["/a": [.ok(picture())], "/b": [.ok(picture(seed: 2))]])
        try bench.directory.write("mine", to: "\(bench.outputFolder)/All")
        bench.foreignFiles = ["All"]
        let report = try await bench.run("/a", "/b")
        #expect(report.outcome == .complete)
        #expect(bench.files == ["All", "All (2)/x/a.png", "All (2)/x/b.png"])
        #expect(try report["b"].path == "All (2)/x/b.png")
    }

    @Test("a file that an extension makes a folder of another's path gives way to a number")
    func extensionAndFolder() async throws {
        let bench = try benchOfPaths(["/a": [.ok("of a")], "/b": [.ok("of b")]])
        let items = [
            bench.item("/a").with(fields: ["path": "dir.txt"]), bench.item("/b").with(fields: ["path": "DIR.TXT/b"]),
        ]
        _ = try await bench.run(items)
        #expect(bench.files == ["dir.txt", "DIR (2).TXT/b"])
    }

    @Test(
        "a title that changes renames the file and fetches nothing; a run of a part leaves that to the next whole one")
    func changedTitle() async throws {
        let bench = try Bench([
            "/a": [.ok(picture(seed: 1), headers: [("Cache-Control", "max-age=999")])],
            "/b": [.ok(picture(seed: 2), headers: [("Cache-Control", "max-age=999")])],
        ])
        func items(_ a: String, _ b: String) -> [ListedItem] {
            [bench.item("/a", title: a), bench.item("/b", title: b)]
        }
        _ = try await bench.run(items("Germany", "Spain"))
        let row = try await bench.run(items("Deutschland", "Spain"))["a"]
        #expect(row.path == "Deutschland.png")
        #expect(row.item["title"] == "Deutschland")
        #expect(bench.files == ["Deutschland.png", "Spain.png"])
        _ = try await bench.run(items("Deutschland", "Spanien")) { $0.selection.only = ["b"] }
        #expect(bench.files == ["Deutschland.png", "Spain.png"])
        _ = try await bench.run(items("Deutschland", "Spanien"))
        #expect(bench.files == ["Deutschland.png", "Spanien.png"])
        // A number that an item has is no change of its title.
        _ = try await bench.run(items("Deutschland", "Deutschland"))
        _ = try await bench.run(items("Deutschland", "Deutschland"))
        #expect(bench.files == ["Deutschland.png", "Deutschland (2).png"])
        #expect(bench.server.requests.count == 2)
    }

    @Test("a collection of another title renames the files below it")
    func changedCollection() async throws {
        let bench = try bench(
            "{collection}/{title}.{extension}", ["/a": [.ok(picture(), headers: [("Cache-Control", "max-age=999")])]])
        func page(_ title: String) -> SourcePlan {
            .fixed([Page(collections: [ListedCollection(key: "all", title: title)], items: [bench.item("/a")])])
        }
        _ = try await bench.run(page("Flags"))
        _ = try await bench.run(page("Fahnen"))
        #expect(bench.files == ["Fahnen/a.png"])
    }

    @Test("an element that can't be fetched has no path, and gets one when it can")
    func pathless() async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        let broken = bench.item("/a", key: "k").with(invalid: "it is no URL")
        let row = try await bench.run([broken, bench.item("/b", key: "l").with(url: "")])["k"]
        #expect(row.item["stem"] == "")
        #expect(row.state == "failed")
        let items = [bench.item("/a", key: "k"), bench.item("/a", key: "l")]
        _ = try await bench.run(items) {
            $0.selection.isFailedOnly = false; $0.selection.isRefreshing = true
        }
        #expect(bench.files == ["k.png", "l.png"])
    }

    @Test("the file's time is Last-Modified")
    func modificationTime() async throws {
        let bench = try Bench(["/a": [.ok(picture(), headers: [("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")])]])
        _ = try await bench.run("/a")
        let output = try OutputDirectory(path: bench.directory.path(bench.outputFolder), create: false)
        #expect(output.information(try RelativePath(validating: "a.png"))?.modified == 1_445_412_480)
    }
}
