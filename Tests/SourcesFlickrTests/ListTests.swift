import Run
import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Users, albums, groups, favorites and single photos", .timeLimit(.minutes(1)))
struct ListTests {
    private static let user = #"{"user":{"id":"34427469121@N01","username":{"_content":"George"}},"stat":"ok"}"#

    @Test("a photostream by name, number or page: looked up once and remembered, all photos, 500 a page")
    func users() async throws {
        let bench = try FlickrBench(
            "users: [george, 'https://www.flickr.com/photos/george/with/1', 67131352@N04]",
            [
                "urls.lookupUser": [.ok(Self.user)],
                "people.getInfo": [
                    .ok(
                        #"{"person":{"id":"67131352@N04","nsid":"67131352@N04","username":{"_content":"Janko"}},"stat":"ok"}"#
                    )
                ],
                "people.getPublicPhotos": [
                    Sample.photos(["1", "2"], pages: 2, total: "\"4\""), Sample.photos(["3", "2"], page: 2, pages: 2),
                    Sample.photos(["7"]),
                ],
            ])
        let run = try await bench.run()
        #expect(
            run.items.map(\.key) == [
                "user:34427469121@N01/1", "user:34427469121@N01/2", "user:34427469121@N01/3", "user:67131352@N04/7",
            ])
        #expect(run.collections.map(\.title) == ["George", "Janko"])
        #expect(run.collections.map(\.section) == ["Users", "Users"])
        #expect(run.items.first?.path == "Users/George/Photo 1 1.jpg")
        let asked = bench.requests("people.getPublicPhotos")
        #expect(asked.map { $0["user_id"] } == ["34427469121@N01", "34427469121@N01", "67131352@N04"])
        #expect(asked.map { $0["per_page"] } == ["500", "500", "500"])
        #expect(asked.allSatisfy { $0["media"] == nil && $0["extras"]?.contains("machine_tags") == true })
        #expect(
            bench.requests("urls.lookupUser").map { $0["url"] } == ["https://www.flickr.com/photos/george/"])
        _ = try await bench.run()
        #expect(bench.requests("urls.lookupUser").count == 1)
        #expect(bench.requests("people.getInfo").count == 1)
    }

    @Test("an album has its title and its owner from its list; videos are passed over, and told")
    func album() async throws {
        let bench = try FlickrBench(
            "albums: ['https://www.flickr.com/photos/george/sets/72157629487842968/']\nphotos_per_list: 10",
            [
                "photosets.getPhotos": [
                    .ok(
                        """
                        {"photoset":{"id":"72157629487842968","primary":"1","owner":"1@N00","ownername":"George",
                        "photo":[{"id":"1","secret":"a","server":"5","title":"One","media":"photo"},
                        {"id":"2","secret":"b","server":"5","title":"Two","media":"video"}],
                        "page":1,"per_page":10,"perpage":10,"pages":1,"title":" Garden ","total":"2"},"stat":"ok"}
                        """)
                ]
            ])
        let run = try await bench.run()
        #expect(run.collections.map(\.title) == ["Garden"])
        #expect(run.items.map(\.key) == ["album:72157629487842968/1"])
        #expect(run.items[0].metadata.contains(#""page_url":"https://www.flickr.com/photos/1@N00/1/""#))
        #expect(run.warnings == ["the album 72157629487842968 has 1 video, which is skipped"])
        let asked = try #require(bench.requests("photosets.getPhotos").first)
        #expect([asked["photoset_id"], asked["per_page"]] == ["72157629487842968", "10"])
    }

    @Test("all albums of a user, by name or by the page that has them, each once")
    func albums() async throws {
        let bench = try FlickrBench(
            "albums: ['https://www.flickr.com/photos/george/albums', 2, george, nobody]",
            [
                "urls.lookupUser": [.ok(Self.user), Sample.fault(1, "User not found")],
                "photosets.getList": [
                    .ok(
                        #"{"photosets":{"page":1,"pages":2,"perpage":1,"total":"2","photoset":[{"id":"1","title":{"_content":"A"}}]},"stat":"ok"}"#
                    ),
                    .ok(#"{"photosets":{"page":2,"pages":2,"photoset":[{"id":2},{}]},"stat":"ok"}"#),
                    .ok(#"{"photosets":{"page":1,"pages":1,"photoset":[]},"stat":"ok"}"#),
                ],
                "photosets.getPhotos": [Sample.album("A", "10"), Sample.album("B", "20")],
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["album:1/10", "album:2/20", "albums:nobody/@"])
        #expect(run.collections.map(\.title) == ["A", "B", "nobody"])
        #expect(bench.requests("photosets.getList").map { $0["page"] } == ["1", "2", "1"])
        #expect(bench.requests("photosets.getPhotos").map { $0["photoset_id"] } == ["1", "2"])
    }

    @Test("the pool of a group and somebody's favorites")
    func groupAndFavorites() async throws {
        let bench = try FlickrBench(
            "groups: [lighthouses]\nfavorites: [george]",
            [
                "urls.lookupUser": [.ok(Self.user)],
                "urls.lookupGroup": [
                    .ok(#"{"group":{"id":"51035612836@N01","groupname":{"_content":"Lighthouses"}},"stat":"ok"}"#)
                ],
                "groups.pools.getPhotos": [Sample.photos(["1"])], "favorites.getPublicList": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["group:51035612836@N01/1", "favorites:34427469121@N01/1"])
        #expect(run.collections.map(\.title) == ["Lighthouses", "George"])
        #expect(bench.requests("groups.pools.getPhotos").first?["group_id"] == "51035612836@N01")
        #expect(bench.requests("favorites.getPublicList").first?["user_id"] == "34427469121@N01")
    }

    @Test("single photos by number, page or short address, with what getInfo and getSizes tell")
    func photos() async throws {
        let bench = try FlickrBench(
            "photos: [6946979188, 'https://www.flickr.com/photos/x/6946979188/in/album-1/', 'https://flic.kr/p/2', 404]",
            [
                "photos.getInfo": [
                    try Sample.reply("flickrie-getInfo.json"),
                    .ok(#"{"photo":{"id":"1","secret":"a","server":"5","title":{"_content":"One"}},"stat":"ok"}"#),
                    Sample.fault(1, "Photo not found"),
                ],
                "photos.getSizes": [
                    try Sample.reply("flickrie-getSizes.json"), .ok(#"{"sizes":{"size":[]},"stat":"ok"}"#),
                ],
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["photos/6946979188", "photos/1", "photos/404"])
        #expect(bench.requests("photos.getInfo").map { $0["photo_id"] } == ["6946979188", "1", "404"])
        #expect(run.collections.map(\.expected) == [3])
        let photo = run.items[0]
        #expect(photo.title == "IMG_0796")
        for member in [
            #""owner":"67131352@N04""#, #""owner_name":"Janko Marohnić""#, #""taken_at":"2011-03-20 17:00:05""#,
            #""updated_at":1338374853000000"#, #""tags":["luka"]"#, #""latitude":45.807258"#,
            #""place_id":"00j4IylZV7scWik""#, #""size":"large""#, #""width":"#, #""height":"#, #""views":5"#,
        ] {
            #expect(photo.metadata.contains(member), "\(member) in \(photo.metadata)")
        }
        #expect(photo.url.hasSuffix("/6946979188_25bb44852b_b.jpg"))
        #expect(run.items[1].url.hasSuffix("/5/1_a_b.jpg"))
        #expect(run.items[2].failure == "invalid")
        #expect(run.items[2].detail?.contains("Photo not found") == true)
    }

    @Test("a user that Flickr does not have is an item that failed, and the others are listed")
    func unknown() async throws {
        let bench = try FlickrBench(
            "users: [nobody, 1@N00]",
            [
                "urls.lookupUser": [Sample.fault(1, "User not found")],
                "people.getInfo": [.ok(#"{"person":{"nsid":"1@N00","username":{"_content":"A"}},"stat":"ok"}"#)],
                "people.getPublicPhotos": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["user:nobody/@", "user:1@N00/1"])
        #expect(run.items[0].failure == "invalid")
        #expect(run.items[0].detail?.contains("'User not found'") == true)
    }

    @Test("the metadata of a list: sizes, original, tags of machines, alias, last change")
    func metadata() async throws {
        let more = """
            ,"url_l":"https://live.staticflickr.com/1/1_s1_b.jpg","width_l":660,"height_l":"1024","o_width":"3178",
            "o_height":"4932","originalformat":"png","machine_tags":"geo:lat=48 geo:lon=11","pathalias":"george",
            "lastupdate":"1581319011","datetaken":"2011-11-05 15:54:37","dateupload":"1581319011"
            """
        let bench = try FlickrBench(
            "search: [{name: All, text: a}]", ["photos.search": [Sample.photos(["1"], more: more)]])
        let metadata = try #require(try await bench.run().items.first).metadata
        for member in [
            #""size":"large""#, #""width":660"#, #""height":1024"#, #""original_width":3178"#,
            #""original_height":4932"#, #""original_format":"png""#, #""machine_tags":["geo:lat=48","geo:lon=11"]"#,
            #""path_alias":"george""#, #""updated_at":1581319011000000"#,
        ] {
            #expect(metadata.contains(member), "\(member) in \(metadata)")
        }
    }

    @Test("a country that getInfo does not tell is that of the point on the map")
    func country() async throws {
        let bench = try FlickrBench(
            "places: [p]",
            [
                "places.getInfo": [
                    .ok(
                        """
                        {"place":{"place_id":"p","place_type":"locality","name":"Huế","latitude":"16.46",
                        "longitude":107.59},"stat":"ok"}
                        """)
                ],
                "places.findByLatLon": [
                    .ok(
                        """
                        {"places":{"place":[{"place_id":"v","place_type":"country","name":"Vietnam"}],"total":1},
                        "stat":"ok"}
                        """)
                ],
                "photos.search": [Sample.photos(["1"])],
            ])
        let run = try await bench.run()
        #expect(run.collections.map(\.title) == ["Huế"])
        #expect(run.collections.map(\.section) == ["Vietnam"])
        #expect(bench.requests("places.findByLatLon").map { $0["accuracy"] } == ["3"])
    }

    @Test(
        "what is no user, album, group or photo",
        arguments: [
            "", "a b", "https://example.org/photos/george/", "https://www.flickr.com/explore", "../x", "a\u{0}",
            "https://www.flickr.com.example.org/photos/george", "٣", String(repeating: "9", count: 200),
        ])
    func refused(_ text: String) {
        #expect(PageReference<UserPage>(text) == nil)
        #expect(PageReference<AlbumPage>(text) == nil)
        #expect(PageReference<GroupPage>(text) == nil)
        #expect(PageReference<PhotoPage>(text) == nil)
    }

    @Test(
        "short addresses are numbers in base 58",
        arguments: [
            ("https://flic.kr/p/2", "1"), ("flic.kr/p/21", "58"), ("https://flic.kr/p/Z", "57"),
            ("https://flic.kr/p/0", nil), ("https://flic.kr/p/ZZZZZZZZZZZZZZZZZZZZ", nil),
            ("http://m.flickr.com/photos/a/12?x#y", "12"),
        ] as [(String, String?)])
    func short(_ address: String, _ number: String?) {
        #expect(PageReference<PhotoPage>(address)?.text == number)
    }
}
