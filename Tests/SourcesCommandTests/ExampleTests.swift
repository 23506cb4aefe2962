import Foundation
import Jobs
import Model
import SourceKit
import SourcesCommand
import TestSupport
import Testing
import YAML

/// The scripts of `examples/sources`, run as jobs against a server on this machine.
@Suite("Example scripts", .timeLimit(.minutes(1)))
struct ExampleTests {
    static func script(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../examples/sources/\(name)")
        return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    }

    @Test("the job of each script is sound", arguments: ["feed", "albums", "gallery-dl"])
    func job(name: String) {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../examples/sources")
        let loader = JobLoader(registry: SourceRegistry([SourceModule(CommandSource.self)]), environment: [:])
        let loaded = loader.load(["\(folder.standardizedFileURL.path)/\(name).yaml"], questions: .everything)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(loaded.jobs.map(\.name) == [name])
    }

    @Test("the script that docs/add-a-source.md begins with, and its job, are as it says")
    func numbers() async throws {
        let guide = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Guide").standardizedFileURL
        let script = try String(contentsOf: guide.appending(path: "numbers.sh"), encoding: .utf8)
        #expect(script.split(separator: "\n").count <= 10)
        let run = try CommandRun(script.replacing("https://example.org", with: "SERVER"))
        #expect(try await run.run().finished.figures.downloaded == 10)
        let registry = SourceRegistry([SourceModule(CommandSource.self)])
        let loaded = JobLoader(registry: registry, environment: [:]).load([guide.appending(path: "numbers.yaml").path])
        #expect(loaded.diagnostics.map(\.description) == [])
    }

    @Test("feed.sh lists what an RSS feed carries")
    func feed() async throws {
        let run = try CommandRun(
            try Self.script("feed.sh"), source: ["options: {url: \"SERVER/feed.xml\"}"],
            replies: [
                "/feed.xml": """
                <?xml version="1.0"?><rss><channel><title>Tin &amp; nhạc</title>
                <item><title><![CDATA[Tập <1>]]></title><enclosure url="SERVER/1.mp3?a=1&amp;b=2" length="5"/></item>
                <item><title>Two</title>
                 <enclosure length="7" url="SERVER/2.mp3"/></item><item><title>no file</title></item></channel></rss>
                """
            ])
        let finished = try await run.run().finished
        #expect(finished.outcome == .complete, "\(finished.detail ?? "")")
        let url = run.server.url("")
        #expect(try run.items("title") == ["\(url)/1.mp3?a=1&b=2": "Tập <1>", "\(url)/2.mp3": "Two"])
    }

    @Test("albums.py lists page after page, and only what is new the next time")
    func albums() async throws {
        func page(_ ids: ClosedRange<Int>, next: Int?) -> String {
            let photos = ids.map { #"{"id": \#($0), "url": "SERVER/\#($0).png", "title": "Ảnh \#($0)"}"# }
            return
                #"{"title": "Hè", "photos": [\#(photos.joined(separator: ", "))], "next": \#(next.map(String.init) ?? "null")}"#
        }
        let run = try CommandRun(
            try Self.script("albums.py"), source: ["options: {api: SERVER/api, album: summer}"],
            replies: [
                "/api/albums/summer?after=0": page(1...3, next: 3),
                "/api/albums/summer?after=3": page(4...4, next: nil),
                "/api/albums/summer?after=4": page(5...6, next: nil),
            ])
        let first = try await run.run().finished
        #expect(first.outcome == .complete, "\(first.detail ?? "")")
        #expect(try run.items("title").count == 4)
        #expect(first.figures.listRequests == 2)
        let second = try await run.run().finished
        #expect(second.outcome == .complete, "\(second.detail ?? "")")
        #expect(second.figures.listRequests == 1)
        #expect(second.figures.downloaded == 2)
        #expect(try run.items("state") == Dictionary(uniqueKeysWithValues: (1...6).map { ("summer/\($0)", "stored") }))
    }

    @Test("albums.py says that an album is not there")
    func missing() async throws {
        let run = try CommandRun(try Self.script("albums.py"), source: ["options: {api: SERVER/missing, album: none}"])
        #expect(try await run.run().finished.detail == "the list failed: there is no such album")
    }
}

/// `gallery-dl.py` with what gallery-dl 1.25.3 wrote, recorded against a server on this machine.
@Suite("The example of gallery-dl", .timeLimit(.minutes(1)))
struct GalleryExampleTests {
    /// A job whose gallery-dl answers each URL with a recorded file; what it names is on the server.
    private func run(_ url: String, _ samples: [(url: String, file: String)]) throws -> CommandRun {
        let run = try CommandRun(
            try ExampleTests.script("gallery-dl.py"), source: ["options: {url: \"\(url)\", program: ./recorded.sh}"])
        var cases = ""
        for (url, file) in samples {
            let sample = try #require(
                FileManager.default.contents(
                    atPath: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/\(file)").path
                ))
            let text = String(decoding: sample, as: UTF8.self)
            for origin in ["http://127.0.0.1:18099", "https://example.org"] where text.contains(origin) {
                try run.directory.write(text.replacing(origin, with: run.server.url("")), to: file)
            }
            cases += "*\(url)) cat \(file);;\n"
        }
        try run.directory.write("#!/bin/sh\ncase $3 in\n\(cases)esac\n", to: "recorded.sh")
        try Subprocess.run(["chmod", "+x", run.directory.path("recorded.sh")])
        return run
    }

    @Test("a gallery is a collection, its files are items with their metadata")
    func gallery() async throws {
        let run = try run("SERVER/art/res/42.html", [("/art/res/42.html", "vichan-thread.json")])
        let finished = try await run.run().finished
        #expect(finished.outcome == .complete, "\(finished.detail ?? "")")
        let url = run.server.url("")
        #expect(
            try run.items("title") == [
                "\(url)/art/src/1700000000001.jpg": "lotus", "\(url)/art/src/1700000000002.png": "rain",
                "\(url)/art/src/1700000200001.png": "Hoa sen",
            ])
        #expect(try run.items("metadata").values.allSatisfy { $0.contains(#""title":"Lotus & rain""#) })
    }

    @Test("pages that list pages are followed")
    func board() async throws {
        let run = try run(
            "SERVER/art/",
            [("/art/", "vichan-board.json"), ("42.html", "vichan-thread.json"), ("50.html", "vichan-thread.json")])
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try run.items("state").count == 3)
    }

    @Test("one file is a gallery of its own")
    func single() async throws {
        let run = try run("SERVER/photos/lotus.jpg", [("/photos/lotus.jpg", "directlink.json")])
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try run.items("state") == ["\(run.server.url(""))/photos/lotus.jpg": "stored"])
    }

    @Test("an error of gallery-dl's, which exits with 0, fails the run")
    func error() async throws {
        let run = try run("SERVER/art/res/99.html", [("/art/res/99.html", "error.json")])
        let finished = try await run.run().finished
        #expect(finished.outcome == .failed)
        #expect(finished.detail?.contains("HttpError: '404 File not found'") == true, "\(finished.detail ?? "")")
    }
}
