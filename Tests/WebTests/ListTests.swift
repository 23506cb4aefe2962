import Catalog
import Glibc
import JSON
import SQLite
import TestSupport
import Testing
import Web

@Suite("Lists of the page", .timeLimit(.minutes(1)))
struct ListTests {
    @Test("items come in the order of the list, page by page, without those that are gone")
    func listOrder() throws {
        let page = try TestPage { catalog, rows in
            try catalog.run(
                "INSERT INTO collection (id, job, key, title, position) VALUES (2, 'pics', 'first', 'First', -1)")
            for number in 1...5 { try rows.item("b\(number)", position: Int64(10 - number)) }
            try rows.item("gone", position: 7, state: "gone")
            for number in 1...3 { try rows.item("a\(number)", collection: 2) }
        }
        let all = ["a1", "a2", "a3", "b5", "b4", "b3", "b2", "b1"]
        #expect(try page.titles("/api/jobs/pics/items") == all)
        var seen: [String] = []
        var cursor: String?
        repeat {
            let path = "/api/jobs/pics/items?limit=3" + (cursor.map { "&after=\($0)" } ?? "")
            seen += try page.titles(path)
            cursor = try page.next(path)
        } while cursor != nil
        #expect(seen == all)
        #expect(try page.titles("/api/jobs/pics/items?collection=first") == ["a1", "a2", "a3"])
        #expect(try page.titles("/api/jobs/pics/items?state=gone") == ["gone"])
        #expect(try page.titles("/api/jobs/pics/items?ids=3,1,999") == ["b3", "b1"])
    }

    @Test("an index says where each block begins, how long the list is, and where an item is")
    func index() throws {
        let page = try TestPage { _, rows in
            for number in 1...25 { try rows.item("n\(number)", section: number % 2 == 0 ? "even" : "odd") }
        }
        let path = "/api/jobs/pics/items/index?every=10&item=12"
        guard case .object(let index) = try page.json(path), case .list(let after)? = index["after"] else {
            Issue.record("no index")
            return
        }
        #expect(index["total"] == .integer(25) && index["index"] == .integer(11) && after.count == 3)
        guard case .text(let third) = after[2] else {
            Issue.record("no cursor")
            return
        }
        #expect(try page.titles("/api/jobs/pics/items?limit=2&after=\(third)") == ["n21", "n22"])
        guard case .object(let even) = try page.json(path + "&section=even") else { return }
        #expect(even["total"] == .integer(12) && even["index"] == .integer(5))
    }

    @Test("a search finds words without case and accents, in every script")
    func search() throws {
        let page = try TestPage { _, rows in
            for title in ["Hồ Hoàn Kiếm, Hà Nội", "Đà Nẵng beach", "Łódź Żabieniec", "東京タワー", "straße", "plain"] {
                try rows.item(title)
            }
        }
        func found(_ words: String) throws -> [String] { try page.titles("/api/jobs/pics/items?search=\(words)") }
        #expect(try found("ha+noi") == ["Hồ Hoàn Kiếm, Hà Nội"])
        #expect(try found("H%E1%BB%93") == ["Hồ Hoàn Kiếm, Hà Nội"])
        #expect(try found("da+NANG") == ["Đà Nẵng beach"])
        #expect(try found("lodz") == ["Łódź Żabieniec"])
        #expect(try found("%E6%9D%B1%E4%BA%AC") == ["東京タワー"])
        #expect(try found("beach+da") == ["Đà Nẵng beach"])
        #expect(try found("nothing") == [])
    }

    @Test("other orders page as well, each from its own end")
    func orders() throws {
        let page = try TestPage { catalog, rows in
            try rows.item("Über", bytes: "1", storedAt: 3)
            try rows.item("apple", bytes: "4444", storedAt: 9)
            try rows.item("Zebra", bytes: "22", storedAt: 1)
            try rows.item("mango", bytes: "333", storedAt: 5)
            for (item, elapsed) in [(1, 50), (2, 10), (3, 70), (4, 20)] {
                try catalog.run(
                    "INSERT INTO download (item_id, run_id, elapsed_us) VALUES (?, 1, ?)", item, elapsed)
            }
        }
        func all(_ sort: String) throws -> [String] {
            var titles: [String] = []
            var cursor: String?
            repeat {
                let path = "/api/jobs/pics/items?limit=2&sort=\(sort)" + (cursor.map { "&after=\($0)" } ?? "")
                titles += try page.titles(path)
                cursor = try page.next(path)
            } while cursor != nil
            return titles
        }
        #expect(try all("title") == ["apple", "mango", "Über", "Zebra"])
        #expect(try all("size") == ["apple", "mango", "Zebra", "Über"])
        #expect(try all("newest") == ["apple", "mango", "Über", "Zebra"])
        #expect(try all("elapsed") == ["Zebra", "Über", "mango", "apple"])
    }

    @Test(
        "a parameter that is none, or of no use, is said",
        arguments: [
            "limit=0", "limit=1001", "limit=9223372036854775808", "limit=x", "after=x", "after=1", "sort=x", "state=x",
            "srch=x", "ids=1,x", "ids=" + String(repeating: "1,", count: 501) + "1",
        ])
    func badParameters(query: String) throws {
        let page = try TestPage { _, rows in try rows.item("a") }
        let response = try page.ask("GET /api/jobs/pics/items?\(query)")
        #expect(response.status == 400 && response["content-type"] == "application/problem+json")
    }

    @Test("what is not there is not found; a cursor whose item went says to begin again")
    func missing() throws {
        let page = try TestPage { _, rows in try rows.item("a") }
        for path in [
            "/api/jobs/none/items", "/api/jobs/none/runs", "/api/jobs/pics/items?collection=x", "/api/items/9",
            "/api/runs/9", "/api/runs/9/report", "/api/runs/9/transfers",
        ] {
            #expect(try page.ask("GET \(path)").status == 404, "\(path)")
        }
        #expect(try page.ask("GET /api/jobs/pics/items?after=0.99").status == 410)
    }

    @Test("titles are text, whatever they are")
    func titles() throws {
        let titles = [
            "<img src=x onerror=alert(1)>", "\u{202E}RTL", "👩‍👩‍👧", String(repeating: "ä", count: 300), "a\"b\\c\u{7}",
        ]
        let page = try TestPage { _, rows in for title in titles { try rows.item(title) } }
        #expect(try page.titles("/api/jobs/pics/items") == titles)
        #expect(try page.ask("GET /api/jobs/pics/items")["content-type"] == "application/json")
    }

    @Test("jobs are counted, also after a change")
    func jobs() throws {
        let page = try TestPage { _, rows in
            try rows.item("a", bytes: "12345")
            try rows.item("b", state: "failed")
            try rows.item("c")
            try rows.item("d", state: "gone")
        }
        func job() throws -> [String: JSONValue] {
            guard case .list(let jobs) = try page.json("/api/jobs"), case .object(let job)? = jobs.first else {
                return [:]
            }
            return job
        }
        let first = try job()
        #expect(first["items"] == .integer(3) && first["stored"] == .integer(1) && first["bytes"] == .integer(5))
        #expect(first["runnable"] == .flag(false) && first["live"] == .null)
        try CatalogLocation.write(page.database) {
            try $0.run("UPDATE item SET state = 'stored', size = 7 WHERE id = 3")
        }
        #expect(try job()["bytes"] == .integer(12))
    }

    @Test("favourites stand in the alphabet, recents in the order of looking")
    func marks() throws {
        let page = try TestPage { _, rows in
            for title in ["über", "Ärger", "banana", "42", "東"] { try rows.item(title) }
            for number in 6...30 { try rows.item("n\(number)") }
        }
        for id in 1...5 {
            #expect(try page.ask("POST /api/favourites", body: #"{"item": \#(id), "on": true}"#).status == 204)
        }
        #expect(try page.titles("/api/favourites") == ["42", "Ärger", "banana", "über", "東"])
        #expect(try page.column("section", "/api/favourites") == ["#", "A", "B", "U", "東"].map { .text($0) })
        #expect(try page.titles("/api/favourites?section=U") == ["über"])
        let next = try #require(try page.next("/api/favourites?limit=2"))
        #expect(try page.titles("/api/favourites?limit=2&after=\(next)") == ["banana", "über"])
        #expect(try page.ask("POST /api/favourites", body: #"{"item": 3, "on": false}"#).status == 204)
        #expect(try page.titles("/api/favourites") == ["42", "Ärger", "über", "東"])
        #expect(try page.ask("POST /api/favourites", body: #"{"item": 99, "on": true}"#).status == 404)
        for id in Array(1...30) + [2] {
            #expect(try page.ask("POST /api/viewed", body: #"{"item": \#(id)}"#).status == 204)
        }
        guard case .object(let recents) = try page.json("/api/recents"), case .object(let items)? = recents["items"],
            case .list(let titles)? = items["title"]
        else {
            Issue.record("no recents")
            return
        }
        #expect(titles.count == 20 && titles.first == .text("Ärger") && titles[1] == .text("n30"))
    }

    @Test("a list that takes long to sort says so, and when to ask again; then it is there, page by page")
    func slowSort() throws {
        let page = try TestPage(sortPatience: 0) { _, rows in
            for number in 0..<30 { try rows.item("n\(number)", bytes: String(repeating: "x", count: number)) }
        }
        let first = try page.ask("GET /api/jobs/pics/items?sort=size&limit=10")
        var response = first
        for _ in 0..<500 where response.status == 503 {
            #expect(response["retry-after"] == "1" && response.body.contains("Being sorted"))
            poll(nil, 0, 10)
            response = try page.ask("GET /api/jobs/pics/items?sort=size&limit=10")
        }
        #expect(response.status == 200)
        var titles: [String] = []
        var path: String? = "/api/jobs/pics/items?sort=size&limit=10"
        while let next = path {
            titles += try page.titles(next)
            guard case .object(let answer) = try page.json(next) else { break }
            path =
                if case .text(let after)? = answer["next"] {
                    "/api/jobs/pics/items?sort=size&limit=10&after=\(after)"
                } else { nil }
        }
        #expect(titles == (0..<30).reversed().map { "n\($0)" })
    }

    @Test("pins are set, moved, renamed and removed")
    func pins() throws {
        let page = try TestPage()
        func add(_ body: String) throws -> Int { try page.ask("POST /api/pins", body: body).status }
        let pin = #"{"job": "pics", "name": "Home", "latitude": 21.03, "longitude": 105.85, "radius": 5}"#
        #expect(try add(pin) == 201)
        #expect(try add(pin) == 409)
        #expect(try add(#"{"job": "none", "name": "x", "latitude": 0, "longitude": 0}"#) == 404)
        for bad in [
            #"{"job": "pics", "name": "x", "latitude": 91, "longitude": 0}"#,
            #"{"job": "pics", "name": "x", "latitude": 1e999, "longitude": 0}"#,
            #"{"job": "pics", "name": "x", "latitude": "1", "longitude": 0}"#,
            #"{"job": "pics", "name": "", "latitude": 1, "longitude": 0}"#,
            #"{"job": "pics", "name": "a\nb", "latitude": 1, "longitude": 0}"#,
            #"{"job": "pics", "name": "x", "latitude": 1}"#,
        ] {
            #expect(try add(bad) == 400, "\(bad)")
        }
        #expect(try page.ask("POST /api/pins/1", body: #"{"name": "Work", "latitude": 10}"#).status == 204)
        guard case .object(let answer) = try page.json("/api/pins?job=pics"), case .list(let pins)? = answer["pins"],
            case .object(let first)? = pins.first
        else {
            Issue.record("no pins")
            return
        }
        #expect(pins.count == 1 && first["name"] == .text("Work") && first["longitude"] == .number(105.85))
        #expect(first["latitude"] == .integer(10) || first["latitude"] == .number(10))
        #expect(try page.ask("POST /api/pins/9", body: "{}").status == 404)
        #expect(try page.ask("DELETE /api/pins/1").status == 204)
        #expect(try page.ask("DELETE /api/pins/1").status == 404)
    }

    @Test("the map has collections and items with coordinates")
    func map() throws {
        let page = try TestPage { catalog, rows in
            try catalog.run("UPDATE collection SET latitude = 1.5, longitude = 2.5, section = 'Land'")
            try rows.item("here", metadata: #"{"latitude": 21.03, "longitude": 105.85}"#)
            try rows.item("words", metadata: #"{"latitude": "far", "longitude": "away"}"#)
            try rows.item("nowhere")
        }
        guard case .object(let map) = try page.json("/api/map"), case .object(let items)? = map["items"],
            case .list(let collections)? = map["collections"]
        else {
            Issue.record("no map")
            return
        }
        #expect(items["id"] == .list([.integer(1)]) && items["latitude"] == .list([.number(21.03)]))
        #expect(collections.count == 1 && map["truncated"] == .flag(false))
        guard case .list(let places) = try page.json("/api/places") else { return }
        #expect(places.count == 1)
    }
}
