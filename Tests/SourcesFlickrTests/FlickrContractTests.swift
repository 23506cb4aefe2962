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
            "users: [1@N00, gone]", "albums: [1]", "groups: [1@N00]", "favorites: [1@N00]\nphotos_per_list: 3",
            "photos: [6946979188]",
        ])
    func contract(_ options: String) async throws {
        let replies = [
            "flickr.photos.search": try Sample.text("openverse-search.json"),
            "flickr.places.getTopPlacesList": try Sample.text("places.getTopPlacesList.empty.json"),
            "flickr.interestingness.getList": try Sample.text("interestingness.getList.json"),
            "flickr.places.findByLatLon": try Sample.text("places.findByLatLon.json"),
            "flickr.places.getInfo": try Sample.text("places.getInfo.json"),
            "flickr.people.getInfo": #"{"person":{"id":"1@N00","username":{"_content":"A"}},"stat":"ok"}"#,
            "flickr.groups.getInfo": #"{"group":{"id":"1@N00","name":{"_content":"G"}},"stat":"ok"}"#,
            "flickr.photos.getInfo": try Sample.text("flickrie-getInfo.json"),
            "flickr.photos.getSizes": try Sample.text("flickrie-getSizes.json"),
            "flickr.people.getPublicPhotos": try Sample.text("flickrie-search.json"),
            "flickr.groups.pools.getPhotos": try Sample.text("flickrie-search.json"),
            "flickr.favorites.getPublicList": try Sample.text("flickrie-search.json"),
            "flickr.photosets.getPhotos": try Sample.text("flickrie-search.json"),
        ]
        let faults = [
            "places: [p]", "api_key: k", "api_key: k\nplaces: p", "api_key: k\nsearch: [{name: a}]",
            "api_key: k\npins: [{name: a, latitude: 91, longitude: 0}]", "api_key: k\ntop_places: {from: nowhere}",
            "api_key: k\nusers: [a b]", "api_key: k\nalbums: [x/y]", "api_key: k\ngroups: g",
            "api_key: k\nphotos: [1.5]",
        ]
        let contract = SourceContract(FlickrSource.self, options: "api_key: k\n\(options)", faults: faults) { url in
            let fault = #"{"stat":"fail","code":3,"message":"Place not found"}"#
            let reply = replies.first { url.contains("method=\($0.key)&") }?.value ?? fault
            return FetchedReply(status: 200, url: url, body: Array((url.contains("=gone") ? fault : reply).utf8))
        }
        #expect(try await contract.violations() == [])
    }
}
