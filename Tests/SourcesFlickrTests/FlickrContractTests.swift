import SourceKit
import SourcesFlickr
import TestSupport
import Testing

@Suite("The contract of sources: flickr", .timeLimit(.minutes(1)))
struct FlickrContractTests {
    @Test(
        "the list keeps to the contract, and faults have their places",
        arguments: [
            "search: [{name: All, text: a}]", "places: [p, gone]", "top_places: {}",
            "pins: [{name: Office, latitude: 48.137, longitude: 11.575}]\nsize: original\nphotos_per_place: 4000",
        ])
    func contract(_ options: String) async throws {
        let replies = [
            "flickr.photos.search": try Sample.text("openverse-search.json"),
            "flickr.places.getTopPlacesList": try Sample.text("places.getTopPlacesList.empty.json"),
            "flickr.interestingness.getList": try Sample.text("interestingness.getList.json"),
            "flickr.places.findByLatLon": try Sample.text("places.findByLatLon.json"),
            "flickr.places.getInfo": try Sample.text("places.getInfo.json"),
        ]
        let faults = [
            "places: [p]", "api_key: k", "api_key: k\nplaces: p", "api_key: k\nsearch: [{name: a}]",
            "api_key: k\npins: [{name: a, latitude: 91, longitude: 0}]", "api_key: k\ntop_places: {from: nowhere}",
        ]
        let contract = SourceContract(FlickrSource.self, options: "api_key: k\n\(options)", faults: faults) { url in
            let fault = #"{"stat":"fail","code":3,"message":"Place not found"}"#
            let reply = replies.first { url.contains("method=\($0.key)&") }?.value ?? fault
            return FetchedReply(status: 200, url: url, body: Array((url.contains("=gone") ? fault : reply).utf8))
        }
        #expect(try await contract.violations() == [])
    }
}
