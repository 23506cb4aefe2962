import Foundation
import TestSupport
import Testing

@Suite("End to end: Flickr", .wholeProgramLimit)
struct FlickrTests {
    static let key = "0123456789abcdef0123456789abcdef"
    private static let picture = PictureFile.jpeg(Array("0123456789".utf8))

    /// A Flickr that answers methods, without `flickr.`, with these in turn, the last for ever; all else is a picture.
    static func server(_ answers: [String: [FaultyServer.Response]]) throws -> FaultyServer {
        let answers = Monitor(answers)
        return try FaultyServer { request in
            guard request.path == "/rest" else { return .ok(picture) }
            let query = URLComponents(string: request.target)?.queryItems ?? []
            let method = query.first { $0.name == "method" }?.value?.dropFirst("flickr.".count) ?? ""
            return answers.withLock { answers in
                guard let list = answers[String(method)], let first = list.first else { return .status(404) }
                if list.count > 1 { answers[String(method)]?.removeFirst() }
                return first
            }
        }
    }

    static func writeJob(
        _ source: String, _ server: FaultyServer, in workplace: Workplace, key: String = "\"${FLICKR_API_KEY}\""
    ) throws {
        let lines = source.split(separator: "\n").map { "  \($0)\n" }.joined()
        try workplace.directory.write(
            """
            name: flickr
            source:
              type: flickr
              api_key: \(key)
              endpoint: \(server.url("/rest"))
              image_host: \(server.url(""))
            \(lines)output: {directory: out}
            transfer: {retries: 0}

            """, to: "job.yaml")
    }

    private static func run(_ workplace: Workplace) throws -> RunningProgram.Result {
        let result = try workplace.run(["job.yaml"], with: .runner, environment: ["FLICKR_API_KEY": key])
        // Whatever happened, the key is nowhere but in the requests.
        #expect(!(result.output + result.errors).contains(key))
        for name in workplace.directory.names() where name.hasPrefix("catalog") {
            #expect(workplace.read(name)?.firstRange(of: Array(key.utf8)) == nil, "\(name)")
        }
        return result
    }

    // MARK: Failures

    /// A reply that was recorded, by a word of its note.
    private static func recorded(_ note: String) throws -> FaultyServer.Response {
        struct Line: Decodable {
            let body: String
            let http: Int
            let note: String
        }
        let lines = try sample("error-and-empty-replies.jsonl").split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        let line = try #require(lines.first { $0.note.contains(note) })
        return .status(line.http, Array(line.body.utf8), headers: [("Content-Type", "text/xml")])
    }

    private static func sample(_ name: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: tests.appending(path: "SourcesFlickrTests/Samples/\(name)"), encoding: .utf8)
    }

    private static let keys = "keys are at https://www.flickr.com/services/apps/"
    private static let refusal = "a search takes at most 20 tags"

    @Test(
        "each recorded error reply has its own exit code and message",
        arguments: [
            (
                "no nojsoncallback", 2,
                "does not know the key in api_key (Invalid API Key (Key has invalid format)); \(keys)"
            ),
            ("2023-11-05", 2, "does not know the key in api_key (Invalid API Key (Key has invalid format)); \(keys)"),
            ("CI script", 2, "the key in api_key has expired; \(keys)"),
            ("gallery-dl issue 280", 1, "Flickr says 'Photo not found' (flickr.photos.search, code 1); \(refusal)"),
            ("2025-05-07", 1, "Flickr says 'Photo not found' (flickr.photos.search, code 1); \(refusal)"),
            ("2024-05-01", 1, "Flickr says 'Required parameter missing' (flickr.photos.search, code 1); \(refusal)"),
            (
                "transient; client retries", 2,
                "Flickr is not available just now: Sorry, the Flickr API service is not currently available."
            ),
            (
                "trailing comma", 2,
                "Flickr is not available just now: Sorry, the Flickr API service is not currently available."
            ),
            ("HTML body", 2, "Flickr is not available just now: the server answered 429 Too Many Requests"),
            ("total is a STRING", 0, "warning  flickr: Flickr has no photos for the search 'All'\n"),
            ("EMPTY string", 2, "Flickr answered flickr.photos.search with what is not its JSON: <rsp stat=\"ok\">"),
        ])
    func recordedErrors(_ note: String, _ code: Int32, _ message: String) throws {
        let workplace = try Workplace()
        let server = try Self.server(["photos.search": [try Self.recorded(note)]])
        try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(code))
        #expect(result.errors.contains(message), "\(result.errors)")
        let outcome = [0: "complete", 1: "partial", 2: "failed"][code]
        #expect(try workplace.catalog().value("SELECT outcome FROM run") == outcome)
    }

    @Test(
        "codes of all methods alike end the list",
        arguments: [
            (105, "Flickr is not available just now: a reason"),
            (112, "flickr.photos.search failed: a reason (code 112)"),
            (116, "flickr.photos.search failed: a reason (code 116)"),
        ])
    func codes(_ code: Int, _ message: String) throws {
        let workplace = try Workplace()
        let server = try Self.server([
            "photos.search": [.ok(#"{"stat":"fail","code":\#(code),"message":"a reason"}"#)]
        ])
        try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("the list failed: \(message)"), "\(result.errors)")
    }

    @Test(
        "a reply that is none is told with its beginning",
        arguments: [
            ("<html>\n<body>Maintenance", "with what is not its JSON: <html> <body>Maintenance"), ("", "with nothing"),
            (#"{"stat":"#, #"with what is not its JSON: {"stat":"#),
        ])
    func noJSON(_ body: String, _ message: String) throws {
        let workplace = try Workplace()
        let server = try Self.server(["photos.search": [.ok(body)]])
        try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("Flickr answered flickr.photos.search \(message)"), "\(result.errors)")
    }

    @Test("no key, an empty one, or a variable that is not set: the job file is at fault, and nothing is asked")
    func noKey() throws {
        let workplace = try Workplace()
        let server = try Self.server([:])
        for (key, message) in [
            ("\"\"", "api_key is empty; keys are at https://www.flickr.com/services/apps/create/"),
            ("\"${NO_SUCH_KEY}\"", "NO_SUCH_KEY"),
        ] {
            try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace, key: key)
            let result = try Self.run(workplace)
            #expect(result.ending == .exit(78))
            #expect(result.errors.contains("job.yaml:4:") && result.errors.contains(message), "\(result.errors)")
        }
        let text = String(decoding: try #require(workplace.read("job.yaml")), as: UTF8.self)
        try workplace.directory.write(
            text.split(separator: "\n").filter { !$0.contains("api_key") }.joined(separator: "\n"), to: "job.yaml")
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(78))
        #expect(result.errors.contains("the key 'api_key' is missing in source"), "\(result.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test("no such place: its collection fails, the others go on, exit 1")
    func noSuchPlace() throws {
        let workplace = try Workplace()
        let server = try Self.server([
            "places.getInfo": [.ok(#"{"stat":"fail","code":3,"message":"Place not found"}"#)],
            "photos.search": [try Self.recorded("total is a STRING")],
        ])
        try Self.writeJob("places: [nowhere]\nsearch: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(1))
        #expect(
            result.errors.contains(
                "there is no place 'nowhere': Flickr says 'Place not found' (flickr.places.getInfo, code 3); check places"
            ),
            "\(result.errors)")
        #expect(result.errors.contains("Flickr has no photos for the search 'All'"))
    }

    @Test("offline: Flickr can't be reached, exit 2")
    func offline() throws {
        let workplace = try Workplace()
        let server = try Self.server([:])
        server.stop()
        try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("the list failed: Flickr can't be reached: "), "\(result.errors)")
    }

    // MARK: Recorded lists

    @Test("a recorded search: titles, addresses, pictures and counts")
    func recordedSearch() throws {
        let workplace = try Workplace()
        let server = try Self.server(["photos.search": [.ok(try Self.sample("openverse-search.json"))]])
        try Self.writeJob("search: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(result.errors.contains("flickr: 30 downloaded, "))
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.value("SELECT title || ' ' || section || ' ' || expected FROM collection") == "All Searches 30")
        let first: [String] = try catalog.values(
            "SELECT title || ' ' || url || ' ' || path FROM item WHERE key = 'search:All/49514337848'")
        #expect(
            first == [
                "Warsy (église) • 7433 \(server.url("/65535/49514337848_bbdbb5f761_b.jpg")) "
                    + "Searches/All/Warsy (église) • 7433 49514337848.jpg"
            ])
        #expect(workplace.files().count == 30)
    }

    @Test("637 recorded rows with 73 photos: 73 items, 73 pictures, and a warning")
    func repeats() throws {
        let rows = try Self.sample("openverse-rows.tsv").split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows.count == 637)
        let photos = rows.map { ["id": String($0[0]), "url_l": String($0[1]), "title": String($0[2])] }
        let pages = stride(from: 0, to: photos.count, by: 100).map { Array(photos[$0..<min($0 + 100, photos.count)]) }
        let replies = try pages.enumerated().map { index, photos in
            let list: [String: Any] = [
                "page": index + 1, "pages": pages.count, "perpage": 100, "total": "637", "photo": photos,
            ]
            let reply = try JSONSerialization.data(withJSONObject: ["photos": list, "stat": "ok"])
            return FaultyServer.Response.ok(Array(reply))
        }
        let workplace = try Workplace()
        let server = try Self.server(["photos.search": replies])
        try Self.writeJob("photos_per_place: 4000\nsearch: [{name: All, text: a}]", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(result.errors.contains("flickr: 73 downloaded, "))
        #expect(
            result.errors.contains("Flickr gives 73 of 637 photos for the search 'All', and at most 4000 of any search")
        )
        #expect(try workplace.catalog().number("SELECT count(*) FROM item") == 73)
        #expect(workplace.files().count == 73)
    }

    @Test("recorded top places: titles, subtitles and countries, in alphabetical order")
    func topPlaces() throws {
        let workplace = try Workplace()
        let photo = #"{"id":"1","secret":"s","server":"1","owner":"1@N00","title":" "}"#
        let server = try Self.server([
            "places.getTopPlacesList": [.ok(try Self.sample("places.getTopPlacesList.json"))],
            "photos.search": [.ok(#"{"photos":{"page":1,"pages":1,"total":1,"photo":[\#(photo)]},"stat":"ok"}"#)],
        ])
        try Self.writeJob("top_places: {limit: 5, from: places}", server, in: workplace)
        #expect(try Self.run(workplace).ending == .exit(0))
        let catalog = try workplace.catalog()
        #expect(
            try catalog.values(
                "SELECT section || ' / ' || title || ' / ' || coalesce(subtitle, '') FROM collection ORDER BY position")
                == [
                    "France / Paris / Ile-de-France", "Singapore / Singapore / Central Singapore",
                    "United States / New York / NY, US", "United States / Theater District / New York, NY, US",
                    "Vietnam / Hanoi / Hà Nội",
                ])
        #expect(try catalog.values("SELECT DISTINCT title FROM item") == ["Unknown"])
        #expect(workplace.files().first == "France/Paris/Unknown 1.jpg")
    }

    @Test(
        "a list of top places that is empty, as it has been since 2018: the day's photos tell the places, and the run says so"
    )
    func interestingness() throws {
        let workplace = try Workplace()
        let server = try Self.server([
            "places.getTopPlacesList": [.ok(try Self.sample("places.getTopPlacesList.empty.json"))],
            "interestingness.getList": [.ok(try Self.sample("interestingness.getList.json"))],
            "places.findByLatLon": [.ok(try Self.sample("places.findByLatLon.json"))],
            "places.getInfo": [.ok(try Self.sample("places.getInfo.json"))],
            "photos.search": [try Self.recorded("total is a STRING")],
        ])
        try Self.writeJob("top_places: {limit: 5}", server, in: workplace)
        let result = try Self.run(workplace)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(
            result.errors.contains(
                "Flickr's list of top places is empty: these are the places of the day's most interesting photos, "),
            "\(result.errors)")
        #expect(try workplace.catalog().number("SELECT count(*) FROM collection") > 0)
    }
}
