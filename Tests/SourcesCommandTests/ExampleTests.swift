import Foundation
import Model
import TestSupport
import Testing

/// The scripts of `examples/sources`, run as jobs against a server on this machine.
@Suite("Example scripts", .timeLimit(.minutes(1)))
struct ExampleTests {
    private static func script(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../examples/sources/\(name)")
        return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
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
