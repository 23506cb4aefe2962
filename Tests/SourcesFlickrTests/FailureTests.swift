import Catalog
import Foundation
import Model
import Run
import SQLite
import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Failures", .timeLimit(.minutes(1)))
struct FailureTests {
    /// The reply of a recorded line.
    private static func recorded(_ note: String) throws -> FaultyServer.Response {
        struct Line: Decodable {
            let body: String
            let http: Int
            let note: String
        }
        let lines = try Sample.text("error-and-empty-replies.jsonl").split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        let line = try #require(lines.first { $0.note.contains(note) })
        return .status(line.http, Array(line.body.utf8))
    }

    @Test(
        "each failure of Flickr's has its own message, and the list failed",
        arguments: [
            (
                "no nojsoncallback",
                "Flickr does not know the key in api_key (Invalid API Key (Key has invalid format)); "
                    + "keys are at https://www.flickr.com/services/apps/"
            ),
            (
                "2023-11-05",
                "Flickr does not know the key in api_key (Invalid API Key (Key has invalid format)); "
                    + "keys are at https://www.flickr.com/services/apps/"
            ),
            ("CI script", "the key in api_key has expired; keys are at https://www.flickr.com/services/apps/"),
            (
                "transient; client retries",
                "Flickr is not available just now: Sorry, the Flickr API service is not currently available."
            ),
            ("HTML body", "Flickr is not available just now: the server answered 429 Too Many Requests"),
        ])
    func fatal(note: String, message: String) async throws {
        let bench = try FlickrBench("search: [{name: All, text: a}]", ["photos.search": [try Self.recorded(note)]])
        let run = try await bench.run()
        #expect(run.finished.outcome == .failed)
        #expect(run.finished.detail == "the list failed: \(message)")
        #expect(run.items == [])
    }

    @Test("what passes is tried again, and the run is whole", arguments: ["client retries", "trailing comma"])
    func passing(note: String) async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [try Self.recorded(note), Sample.photos(["1"])]])
        let run = try await bench.run()
        #expect(run.finished.outcome == .complete)
        #expect(bench.requests("photos.search").count == 2)
    }

    @Test("a body that is not Flickr's is tried again, then told with its beginning")
    func noJSON() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [.ok("<html>\n<body>Maintenance")]])
        let run = try await bench.run()
        #expect(bench.requests("photos.search").count == 3)
        #expect(run.finished.outcome == .failed)
        #expect(run.finished.detail?.hasSuffix("with what is not its JSON: <html> <body>Maintenance") == true)
    }

    @Test("nobody answers: Flickr can't be reached")
    func offline() async throws {
        let gone = try FaultyServer { _ in .ok("") }
        gone.stop()
        let bench = try FlickrBench("search: [{name: All, text: a}]", [:], endpoint: gone.url("/rest"), retries: 0)
        let run = try await bench.run()
        #expect(run.finished.outcome == .failed)
        #expect(run.finished.detail?.hasPrefix("the list failed: Flickr can't be reached: ") == true)
    }

    @Test("no photos there: the run is whole and says so")
    func nothingThere() async throws {
        let bench = try FlickrBench(
            "pins: [{name: Sea, latitude: 0.5, longitude: -30}]",
            ["photos.search": [try Self.recorded("total is a STRING")]])
        let run = try await bench.run()
        #expect(run.finished.outcome == .complete)
        #expect(run.warnings.first == "Flickr has no photos for the pin 'Sea'")
        #expect(run.collections.map(\.expected) == [0])
    }

    @Test("no such place: its collection failed, the others go on")
    func noSuchPlace() async throws {
        let bench = try FlickrBench(
            "places: [nowhere]\nsearch: [{name: All, text: a}]",
            ["places.getInfo": [Sample.fault(3, "Place not found")], "photos.search": [Sample.photos(["1"])]])
        let run = try await bench.run()
        #expect(run.finished.outcome == .partial)
        #expect(run.items.map(\.failure) == ["invalid", nil])
        #expect(
            run.items.first?.detail
                == "there is no place 'nowhere': Flickr says 'Place not found' (flickr.places.getInfo, code 3); check places"
        )
    }

    @Test("a place that Flickr refuses for once loses none of its photos; what others no longer have is gone")
    func refusedForOnce() async throws {
        let place = FaultyServer.Response.ok(#"{"place":{"place_id":"p","name":"Here, There"},"stat":"ok"}"#)
        let bench = try FlickrBench(
            "places: [p]\nsearch: [{name: All, text: a}]",
            [
                "places.getInfo": [place],
                "photos.search": [
                    Sample.photos(["1", "2"]), Sample.photos(["3", "4"]),
                    Sample.fault(2, "Unknown place"), Sample.photos(["3"]),
                ],
            ])
        #expect(try await bench.run().finished.outcome == .complete)
        let second = try await bench.run()
        #expect(second.finished.outcome == .partial)
        let catalog = try CatalogLocation.openForReading(bench.options.database)
        defer { catalog.close() }
        let states = try catalog.rows("SELECT key || ' ' || state FROM item WHERE url <> '' ORDER BY key") {
            try $0[0] as String
        }
        #expect(states == ["place:p/1 stored", "place:p/2 stored", "search:All/3 stored", "search:All/4 gone"])
    }

    @Test("a code means what it means with its method")
    func codesByMethod() async throws {
        let search = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [Sample.fault(1, "Too many tags in ALL query")]])
        #expect(
            try await search.run().items.first?.detail
                == "Flickr says 'Too many tags in ALL query' (flickr.photos.search, code 1); a search takes at most 20 tags"
        )
        let places = try FlickrBench(
            "top_places: {date: 2001-01-01}",
            ["places.getTopPlacesList": [Sample.fault(3, "Not a valid date.")]])
        let run = try await places.run()
        #expect(run.finished.outcome == .failed)
        #expect(run.finished.detail?.hasSuffix("code 3); check top_places.date") == true)
    }

    @Test("a photo that is gone leads to a picture that says so: unavailable, and not asked again")
    func unavailable() async throws {
        let bench = try FlickrBench("search: [{name: All, text: a}]", ["photos.search": [Sample.photos(["1"])]])
        bench.api.redirectPictures(to: "http://s.yimg.com/pw/images/en-us/photo_unavailable_l.png")
        let first = try await bench.run()
        #expect(first.items.map(\.failure) == ["unavailable"])
        #expect(first.finished.outcome == .partial)
        let asked = bench.server.requests.count
        let second = try await bench.run()
        #expect(second.items.first?.detail?.hasPrefix("not asked again before ") == true)
        #expect(bench.server.requests.count == asked + 1)
    }

    @Test(
        "the key is nowhere in the catalog, the events or the plan", arguments: ["${FLICKR_API_KEY}", FlickrBench.key])
    func secrecy(key: String) async throws {
        // A server that repeats the key in whatever it says.
        let echo = #","description":{"_content":"\#(FlickrBench.key)"},"ownername":"\#(FlickrBench.key)""#
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]",
            [
                "photos.search": [
                    Sample.photos(["1"], more: echo), Sample.photos(["1"], more: echo),
                    Sample.fault(100, "Invalid API Key \(FlickrBench.key)"),
                ]
            ], key: key)
        _ = try await bench.run()
        let planned = try await bench.plan()
        #expect(!"\(planned)".contains(FlickrBench.key))
        let failed = try await bench.run()
        #expect(failed.finished.outcome == .failed)
        #expect(!"\(failed)".contains(FlickrBench.key))
        for name in bench.directory.names() where name.hasPrefix("runner.sqlite") {
            let bytes = try #require(bench.directory.read(name))
            #expect(bytes.firstRange(of: Array(FlickrBench.key.utf8)) == nil, "\(name)")
        }
    }
}
