import Glibc
import TestSupport
import Testing

/// Pins that are set on the page's map, and photos around them.
@Suite("End to end: pins of the page", .wholeProgramLimit)
struct PinTests {
    private static func photos(_ ids: String..., page: Int) -> FaultyServer.Response {
        let photos = ids.map { #"{"id":"\#($0)","secret":"s","server":"1","owner":"1@N00","title":"Photo \#($0)"}"# }
        return .ok(
            #"{"photos":{"page":\#(page),"pages":2,"total":4,"photo":[\#(photos.joined(separator: ","))]},"stat":"ok"}"#
        )
    }

    @Test("a pin that is set before the first run gets its photos; a new collection takes their place, favourites stay")
    func newCollection() throws {
        let workplace = try Workplace()
        let server = try FlickrTests.server([
            "photos.search": [Self.photos("1", "2", page: 1), Self.photos("3", "4", page: 2)]
        ])
        try FlickrTests.writeJob("pins: catalog\nphotos_per_place: 2", server, in: workplace)
        let page = try PageTests.Page(
            workplace, ["job.yaml"], with: .runner, environment: ["FLICKR_API_KEY": FlickrTests.key])
        #expect(try page.ask("GET /api/jobs").body.contains("\"pins\": true"))
        let place = #"{"job": "flickr", "name": "Office", "latitude": 48.1, "longitude": 11.5, "radius": 5}"#
        #expect(try page.ask("POST /api/pins", place).status == 201)
        #expect(try page.ask("POST /api/jobs/flickr/run", #"{"pin": 9}"#).status == 404)

        #expect(try page.ask("POST /api/jobs/flickr/run", #"{"pin": 1}"#).status == 202)
        #expect(try waitFor("1 2", workplace))
        let first = try workplace.catalog().number("SELECT id FROM item WHERE title = 'Photo 1'")
        #expect(try page.ask("POST /api/favourites", "{\"item\": \(first), \"on\": true}").status == 204)
        #expect(try page.ask("POST /api/jobs/flickr/run", #"{"pin": 1}"#).status == 202)
        // Photo 1 is a favourite, and stays.
        #expect(try waitFor("1 3 4", workplace))
        #expect(try workplace.catalog().contradictions() == [])
        page.program.send(SIGTERM)
        _ = try page.program.wait()
    }

    /// Whether the titles of what is stored become these, and every other file is gone: the page removes files after the
    /// rows that say so.
    private func waitFor(_ ids: String, _ workplace: Workplace) throws -> Bool {
        for _ in 0..<1_000 {
            let catalog = try workplace.catalog()
            let isOver = try catalog.number("SELECT count(*) FROM run WHERE outcome = 'running'") == 0
            let stored: [String] = try catalog.values(
                "SELECT replace(title, 'Photo ', '') FROM item WHERE state = 'stored' ORDER BY 1")
            if isOver, stored.joined(separator: " ") == ids, workplace.files().count == stored.count { return true }
            poll(nil, 0, 20)
        }
        return false
    }
}
