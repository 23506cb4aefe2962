import Run
import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Searches", .timeLimit(.minutes(1)))
struct SearchTests {
    @Test("a pin: its point, radius and time are asked for, 250 photos a page")
    func pin() async throws {
        let bench = try FlickrBench(
            "pins: [{name: Office, latitude: 48.137, longitude: 11.575, radius: 2, since: 2020-02-29}]\nphotos_per_place: 300",
            [
                "photos.search": [
                    Sample.photos(["1"], pages: 2, total: "\"2\""), Sample.photos(["2"], page: 2, pages: 2),
                ]
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["pin:Office/1", "pin:Office/2"])
        let asked = bench.requests("photos.search")
        #expect(asked.map { $0["page"] } == ["1", "2"])
        let first = try #require(asked.first)
        #expect(
            [first["lat"], first["lon"], first["radius"], first["radius_units"]] == ["48.137", "11.575", "2.0", "km"])
        #expect(first["min_upload_date"] == "1582934400")
        #expect(first["per_page"] == "250")
        #expect(run.collections.first?.section == "Pins")
    }

    @Test("a search by words and tags has 500 photos a page and no time unless it is given")
    func words() async throws {
        let bench = try FlickrBench(
            "search: [{name: Red, text: \"red & blue\", tags: [a, b]}]\nphotos_per_place: 4000",
            ["photos.search": [Sample.photos(["1"])]])
        _ = try await bench.run()
        let asked = try #require(bench.requests("photos.search").first)
        #expect([asked["text"], asked["tags"], asked["per_page"]] == ["red & blue", "a,b", "500"])
        #expect(asked["min_upload_date"] == nil)
        #expect(asked["api_key"] == FlickrBench.key)
    }

    @Test("no more photos than asked for, and no more pages")
    func limit() async throws {
        let ids = (1...60).map(String.init)
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]",
            ["photos.search": [Sample.photos(Array(ids.prefix(50)), pages: 16, total: "799")]])
        let run = try await bench.run()
        #expect(run.items.count == 50)
        #expect(run.collections.first?.expected == 50)
        #expect(run.warnings == [])
        #expect(bench.requests("photos.search").count == 1)
    }

    @Test("a page that comes back for another ends the list")
    func clamped() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]\nphotos_per_place: 1000",
            [
                "photos.search": [
                    Sample.photos(["1", "2"], pages: 9, total: "9"),
                    Sample.photos(["2", "1"], page: 1, pages: 9, total: "9"),
                ]
            ])
        let run = try await bench.run()
        #expect(run.items.count == 2)
        #expect(bench.requests("photos.search").count == 2)
        #expect(run.warnings == ["Flickr gives 2 of 9 photos for the search 'All', and at most 4000 of any search"])
    }

    @Test("the list ends at 4,000 photos, and the run says that there are more")
    func cut() async throws {
        let pages = (0..<16).map { page in
            Sample.photos((0..<250).map { "\(page * 250 + $0)" }, page: page + 1, pages: 50, total: "12345")
        }
        let bench = try FlickrBench(
            "places: [p]\nphotos_per_place: 4000",
            [
                "places.getInfo": [.ok(#"{"place":{"place_id":"p","name":"Rome, Italy"},"stat":"ok"}"#)],
                "photos.search": pages,
            ], hasLocalPictures: false)
        let (items, warnings) = try await bench.plan()
        #expect(items.count == 4_000)
        #expect(
            warnings == ["Flickr gives 4000 of 12345 photos for the place Rome, Italy, and at most 4000 of any search"])
    }

    @Test(
        "fields that are now numbers, now texts, now objects, and elements that are none",
        arguments: [
            #"{"id":12,"secret":"a","server":1,"title":7,"license":"4","views":3}"#,
            #"{"id":"12","secret":"a","server":"1","title":{"_content":"7"},"license":4,"views":"3"}"#,
            #"{"id":"12","secret":"a","server":"1","title":" 7 ","license":4,"views":3,"latitude":{},"tags":[]}"#,
        ])
    func looseFields(photo: String) async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]",
            [
                "photos.search": [
                    .ok(#"{"photos":{"page":"1","pages":"1","total":"","photo":[\#(photo),null,{},"x"]},"stat":"ok"}"#)
                ]
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.title) == ["7"])
        #expect(run.items.map(\.url) == [bench.server.url("/1/12_a_b.jpg")])
        #expect(run.items.first?.metadata.contains(#""license_name":"CC BY 2.0""#) == true)
        #expect(run.items.first?.metadata.contains(#""views":3"#) == true)
    }

    @Test(
        "a title: the photo's, else its description on one line, else Unknown",
        arguments: [
            (#""title":" Harbour ""#, "Harbour"),
            (
                #""title":" ","description":{"_content":"By <a href=\"x\">the river</a>\n&quot;early&quot;"}"#,
                "By the river \"early\""
            ),
            (#""title":"","description":{"_content":"   "}"#, "Unknown"),
            (#""views":1"#, "Unknown"),
        ])
    func titles(fields: String, title: String) async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]",
            [
                "photos.search": [
                    .ok(#"{"photos":{"photo":[{"id":"1","secret":"a","server":"1",\#(fields)}]},"stat":"ok"}"#)
                ]
            ])
        #expect(try await bench.plan().items.map(\.title) == [title])
    }

    @Test("a photo without an address is an item that failed, the others go on")
    func noAddress() async throws {
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]",
            [
                "photos.search": [
                    .ok(#"{"photos":{"photo":[{"id":"1"},{"id":"2","secret":"a","server":"1"}]},"stat":"ok"}"#)
                ]
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.failure) == ["invalid", nil])
    }
}
