import Foundation
import Model
import Run
import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Recorded replies", .timeLimit(.minutes(1)))
struct RecordedReplyTests {
    @Test("a search of 2020: 30 photos with titles, addresses by size, description as text, owner, licence and page")
    func openverse() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [try Sample.reply("openverse-search.json")]],
            hasLocalPictures: false)
        let (items, warnings) = try await bench.plan()
        #expect(items.count == 30)
        #expect(Set(items.map(\.key)).count == 30)
        #expect(warnings == [])
        let first = try #require(items.first)
        #expect(first.key == "search:All/49514337848")
        #expect(first.title == "Warsy (église) • 7433")
        #expect(first.url == "https://live.staticflickr.com/65535/49514337848_bbdbb5f761_b.jpg")
        #expect(first.path == "Searches/All/Warsy (église) • 7433 49514337848.{extension}")
    }

    @Test("the same photos are downloaded, and what attribution needs is kept")
    func attribution() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [try Sample.reply("openverse-search.json")]])
        let run = try await bench.run()
        #expect(run.finished.outcome == .complete)
        #expect(run.finished.figures.downloaded == 30)
        #expect(run.collections.map(\.expected) == [30])
        let first = try #require(run.items.first)
        #expect(first.url == bench.server.url("/65535/49514337848_bbdbb5f761_b.jpg"))
        #expect(first.path == "Searches/All/Warsy (église) • 7433 49514337848.jpg")
        #expect(
            first.description
                == "Warsy (Somme, France) -\n\nwww.google.com/maps/@49.69839,2.64689,3a,90y,102.98h,114....")
        for part in [
            #""owner":"7478087@N06""#, #""owner_name":"markustrois""#, #""license":1"#,
            #""license_name":"CC BY-NC-SA 2.0""#, #""uploaded_at":1581319011000000"#, #""views":9"#,
            #""page_url":"https://www.flickr.com/photos/7478087@N06/49514337848/""#,
            #""taken_at":"2011-11-05 15:54:37""#,
        ] {
            #expect(first.metadata.contains(part), "\(part) in \(first.metadata)")
        }
        #expect(first.thumbnail == bench.server.url("/65535/49514337848_bbdbb5f761_t.jpg"))
    }

    @Test("a list of 2012 without addresses: 98 photos by server, number and secret")
    func flickrie() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]\nphotos_per_place: 500",
            ["photos.search": [try Sample.reply("flickrie-search.json")]], hasLocalPictures: false)
        let (items, _) = try await bench.plan()
        #expect(items.count == 98)
        #expect(items.first?.title == "IMG_0917")
        #expect(items.first?.url == "https://live.staticflickr.com/7090/7093101501_9337f28800_b.jpg")
    }

    @Test("637 rows with 73 photos that come again and again: 73 items")
    func repeats() async throws {
        let rows = try Sample.text("openverse-rows.tsv").split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows.count == 637)
        let photos = rows.map { ["id": String($0[0]), "url_l": String($0[1]), "title": String($0[2])] }
        let pages = stride(from: 0, to: photos.count, by: 100).map { Array(photos[$0..<min($0 + 100, photos.count)]) }
        let replies = try pages.enumerated().map { index, photos in
            let list: [String: Any] = [
                "page": index + 1, "pages": pages.count, "perpage": 100, "total": "637", "photo": photos,
            ]
            return FaultyServer.Response.ok(
                Array(try JSONSerialization.data(withJSONObject: ["photos": list, "stat": "ok"])))
        }
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]\nphotos_per_place: 4000", ["photos.search": replies],
            hasLocalPictures: false)
        let (items, warnings) = try await bench.plan()
        #expect(items.count == 73)
        #expect(Set(items.map(\.url)).count == 73)
        #expect(warnings == ["Flickr gives 73 of 637 photos for the search 'All', and at most 4000 of any search"])
    }

    @Test("top places: titles, subtitles and countries from names of every form, alphabetical, the most photos chosen")
    func topPlaces() async throws {
        let bench = try FlickrBench(
            "top_places: {limit: 5, from: places}",
            [
                "places.getTopPlacesList": [try Sample.reply("places.getTopPlacesList.json")],
                "photos.search": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(
            run.collections.map { [$0.section, $0.title, $0.subtitle] } == [
                ["France", "Paris", "Ile-de-France"],
                ["Singapore", "Singapore", "Central Singapore"],
                ["United States", "New York", "NY, US"],
                ["United States", "Theater District", "New York, NY, US"],
                ["Vietnam", "Hanoi", "Hà Nội"],
            ])
        #expect(run.collections.first?.key == "place:.xYz12TVr_bbbbbb")
        let asked = try #require(bench.requests("places.getTopPlacesList").first)
        #expect(asked["place_type_id"] == "7")
        #expect(asked["nojsoncallback"] == "1")
        #expect(bench.server.requests.first?["Accept-Language"] == "en")
        #expect(run.finished.figures.items == 5)
        // One photo in five places is fetched once.
        #expect(bench.server.requests.filter { $0.path.hasSuffix(".jpg") }.count == 1)
    }

    @Test("a name of two parts or one")
    func shortNames() {
        #expect(PlaceName("Bonaire, Caribbean Netherlands").subtitle == nil)
        #expect(PlaceName("Bonaire, Caribbean Netherlands").country == "Caribbean Netherlands")
        #expect(PlaceName("United States").title == "United States")
        #expect(PlaceName("United States").country == "United States")
        #expect(PlaceName(" , ").title == "Unknown")
    }
}
