import Run
import SQLite
import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Top places", .timeLimit(.minutes(1)))
struct TopPlacesTests {
    private static let details = """
        {"place":{"place_id":"%","place_type":"neighbourhood","name":"Part of %, Country %",
        "locality":{"_content":"City %, Country %","place_id":"city-%","latitude":"1.5","longitude":2}},"stat":"ok"}
        """

    /// Answers of `getInfo` for places by their identifiers.
    private static func info(_ id: String) -> FaultyServer.Response {
        .ok(details.split(separator: "%", omittingEmptySubsequences: false).joined(separator: id))
    }

    @Test("Flickr's list is empty: the places are those of the day's most interesting photos, and the run says so")
    func fallback() async throws {
        let bench = try FlickrBench(
            "top_places: {}",
            [
                "places.getTopPlacesList": [try Sample.reply("places.getTopPlacesList.empty.json")],
                "interestingness.getList": [try Sample.reply("interestingness.getList.json")],
                // The fourth photo has coordinates only; its place is a neighbourhood.
                "places.findByLatLon": [try Sample.reply("places.findByLatLon.json")],
                "places.getInfo": [try Sample.reply("places.getInfo.json"), Self.info("b"), Self.info("c")],
                "photos.search": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.collections.map(\.title).sorted() == ["City b", "City c", "Paris"])
        #expect(
            run.warnings == [
                "Flickr's list of top places is empty: these are the places of the day's most interesting photos, 4 in all"
            ])
        #expect(bench.requests("interestingness.getList").first?["extras"] == "geo")
        #expect(bench.requests("places.findByLatLon").map { [$0["lat"], $0["lon"]] } == [["48.853", "2.348"]])
        #expect(bench.requests("photos.search").allSatisfy { ($0["min_upload_date"] ?? "") > "0" })
    }

    @Test("the places with the most photos come first into the limit")
    func mostPhotosFirst() async throws {
        let photos = ["a", "b", "b", "c"].enumerated().map { #"{"id":"\#($0)","place_id":"\#($1)"}"# }
        let bench = try FlickrBench(
            "top_places: {limit: 1, from: interestingness}",
            [
                "interestingness.getList": [
                    .ok(#"{"photos":{"photo":[\#(photos.joined(separator: ","))]},"stat":"ok"}"#)
                ],
                "places.getInfo": ["a", "b", "c"].map(Self.info),
                "photos.search": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.collections.map(\.key) == ["place:city-b"])
        #expect(run.warnings == [])
    }

    @Test(
        "a place's name, in the forms of several years",
        arguments: [
            #"{"place":{"place_id":"p","place_type":"locality","name":"Rome, Lazio, Italy"},"stat":"ok"}"#,
            #"{"place":{"place_id":"p","locality":{"place_id":"p","_content":"Rome, Lazio, Italy"}},"stat":"ok"}"#,
            #"{"locality":{"place_id":"p","_content":"Rome, Lazio, Italy"},"stat":"ok"}"#,
            // The names of those that it lies in stand beside it, each by itself.
            #"""
            {"place":{"place_id":"p","place_type":"locality","name":"Rome,","locality":{"place_id":"p","_content":"Rome,"},
            "county":{"place_id":"c","_content":"Roma"},"region":{"place_id":"r","_content":"Lazio"},
            "country":{"place_id":"i","_content":"Italy"}},"stat":"ok"}
            """#,
            #"{"place":{"place_id":"p","place_type":"locality","name":"Rome, Lazio,","place_url":"/Italy/Lazio/Rome"},"stat":"ok"}"#,
            #"{"place":{"place_id":"p","place_type":"locality","name":"Rome","place_url":"/Italy/Lazio/Rome"},"stat":"ok"}"#,
        ])
    func placeNames(reply: String) async throws {
        let bench = try FlickrBench(
            "places: [p]", ["places.getInfo": [.ok(reply)], "photos.search": [Sample.photos(["1"])]])
        let place = try #require(try await bench.run().collections.first)
        #expect([place.key, place.title, place.subtitle, place.section] == ["place:p", "Rome", "Lazio", "Italy"])
    }

    @Test("a city whose country no reply tells is in none, and a country is in itself")
    func unknownCountry() async throws {
        for (reply, section) in [
            (#"{"place":{"place_id":"p","place_type":"locality","name":"San Francisco,"},"stat":"ok"}"#, "Unknown"),
            (
                #"{"place":{"place_id":"p","place_type":"country","name":"New Zealand","place_url":"/New+Zealand"},"stat":"ok"}"#,
                "New Zealand"
            ),
        ] {
            let bench = try FlickrBench(
                "places: [p]", ["places.getInfo": [.ok(reply)], "photos.search": [Sample.photos(["1"])]])
            #expect(try await bench.run().collections.map(\.section) == [section])
        }
    }

    @Test("names are remembered: the next run asks for none")
    func memory() async throws {
        let bench = try FlickrBench(
            "top_places: {from: interestingness}",
            [
                "interestingness.getList": [try Sample.reply("interestingness.getList.json")],
                "places.findByLatLon": [try Sample.reply("places.findByLatLon.json")],
                "places.getInfo": [try Sample.reply("places.getInfo.json"), Self.info("b"), Self.info("c")],
                "photos.search": [Sample.photos(["1"])],
            ])
        let first = try await bench.run()
        let second = try await bench.run()
        #expect(first.collections == second.collections)
        #expect(bench.requests("places.getInfo").count == 3)
        #expect(bench.requests("places.findByLatLon").count == 1)
        #expect(bench.requests("interestingness.getList").count == 2)
    }

    @Test("from: auto with a list that has places says which way it went, and asks for no others")
    func ownList() async throws {
        let bench = try FlickrBench(
            "top_places: {type: locality, date: 2017-01-16}",
            [
                "places.getTopPlacesList": [try Sample.reply("places.getTopPlacesList.json")],
                "photos.search": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.warnings == ["the top places of 2017-01-16 are those of Flickr's own list"])
        #expect(run.collections.count == 6)
        #expect(bench.requests("places.getTopPlacesList").first?["date"] == "2017-01-16")
        #expect(bench.requests("places.getInfo").isEmpty)
    }

    @Test("every request counts in the budget of the key, of which the catalog has only a hash")
    func budget() async throws {
        let bench = try FlickrBench(
            "places: [abc]", ["places.getInfo": [Self.info("abc")], "photos.search": [Sample.photos(["1"])]])
        _ = try await bench.run()
        _ = try await bench.plan()
        let catalog = try Connection(path: bench.options.database, mode: .readOnly)
        defer { catalog.close() }
        // The name was asked for once, the photos by the run and by the plan.
        #expect(try catalog.value("SELECT sum(spent) FROM budget") == 3)
        #expect(try catalog.value("SELECT max(length(key)) FROM budget") == 64)
    }
}
