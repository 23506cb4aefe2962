import Files
import FoundationEssentials
import TestSupport
import Testing

@testable import Core

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

    @Test("titles that are equal but for case get numbers in list order, and keep them")
    func caseFolding() async throws {
        let bench = try Bench([
            "/1": [.ok(picture(seed: 1))], "/2": [.ok(picture(seed: 2))], "/3": [.ok(picture(seed: 3))],
        ])
        let items = [
            bench.item("/1", title: "Straße"), bench.item("/2", title: "STRASSE"), bench.item("/3", title: "strasse"),
        ]
        let report = try await bench.run(items)
        #expect(try report["1"].path == "Straße.png")
        #expect(try report["2"].path == "STRASSE (2).png")
        #expect(try report["3"].path == "strasse (3).png")
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

    @Test("a title that changes keeps its path")
    func changedTitle() async throws {
        let bench = try Bench(["/a": [.ok(picture(seed: 1)), .ok(picture(seed: 2))]])
        _ = try await bench.run([bench.item("/a", title: "Old")])
        let row = try await bench.run([bench.item("/a", title: "New")])["a"]
        #expect(row.path == "Old.png")
        #expect(row.item["title"] == "New")
        #expect(bench.files == ["Old.png"])
    }

    @Test("the file's time is Last-Modified")
    func modificationTime() async throws {
        let bench = try Bench(["/a": [.ok(picture(), headers: [("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")])]])
        _ = try await bench.run("/a")
        let output = try OutputDirectory(path: bench.directory.path(bench.outputFolder), create: false)
        #expect(output.information(try RelativePath(validating: "a.png"))?.modified == 1_445_412_480)
    }
}
