import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Flickr's extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
    @Test("counts, pages, dates and coordinates of any size end the list at most", arguments: extremeNumbers)
    func numbers(_ number: String) async throws {
        for value in [number.isEmpty ? "0" : number, "\"\(number)\""] {
            let point = #""latitude":\#(value),"longitude":\#(value)"#
            let place = #"{"place_id":"a","_content":"Paris, France","photo_count":\#(value),\#(point)}"#
            let photo =
                #"{"id":"1","url_l":"http://127.0.0.1:1/1.jpg","license":\#(value),"views":\#(value),"#
                + #""dateupload":\#(value),\#(point)}"#
            let page = #""page":1,"pages":\#(value),"total":\#(value)"#
            let bench = try FlickrBench(
                "top_places: {from: places}",
                [
                    "places.getTopPlacesList": [.ok(#"{"places":{"place":[\#(place),\#(place)]},"stat":"ok"}"#)],
                    "photos.search": [.ok(#"{"photos":{\#(page),"photo":[\#(photo)]},"stat":"ok"}"#)],
                ], retries: 0)
            // What is no JSON makes no list.
            _ = try? await bench.plan()
            #expect(bench.requests("places.getTopPlacesList").count >= 1)
        }
    }
}
