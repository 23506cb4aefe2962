import Testing

@testable import HTTP
@testable import Model
@testable import Transfer

/// Following redirects, a hop at a time.
@Suite("Routes of requests", .timeLimit(.minutes(1)))
struct RequestRouteTests {
    private func follow(_ start: String, _ locations: String?...) throws -> RequestRoute {
        var route = RequestRoute(try WebURL(start))
        for location in locations {
            let lines = location.map { "Location: \($0)\n" } ?? ""
            try route.follow(HTTPHeaders(block: Array("HTTP/1.1 302 Found\n\(lines)".utf8)), status: 302)
        }
        return route
    }

    @Test(
        "places are resolved against the last one",
        arguments: [
            ("http://h/a/b?c", "d", "http://h/a/d"), ("http://h/a", "/x", "http://h/x"),
            ("http://h/a", "//other/x", "http://other/x"),
            ("http://h/a", "https://h/a", "https://h/a"), ("https://h/a", "HTTPS://H:443/b#c", "https://h/b"),
            ("http://h/a/b", "../ö c", "http://h/%C3%B6%20c"), ("http://h/a?x", "?y", "http://h/a?y"),
        ])
    func resolving(_ start: String, _ location: String, _ end: String) throws {
        #expect(try follow(start, location).url.text == end)
    }

    @Test(
        "what can't be followed",
        arguments: [
            ("https://h/a", "http://h/a", "from https to http"), ("http://h/a", "ftp://h/a", "ftp"),
            ("http://h/a", "file:///etc/passwd", "file"), ("http://h/a", "javascript:alert(1)", "can't be followed"),
            ("http://h/a", "http://", "can't be followed"),
        ])
    func refused(_ start: String, _ location: String, _ reason: String) throws {
        let failure = #expect(throws: TransferFailure.self) { try follow(start, location) }
        #expect(failure?.word == .redirect)
        #expect(failure?.isTransient == false)
        #expect(failure?.detail.contains(reason) == true, "\(failure?.detail ?? "")")
    }

    @Test("a redirect without a place is told so")
    func noPlace() throws {
        let failure = #expect(throws: TransferFailure.self) { try follow("http://h/a", nil) }
        #expect(failure?.detail == "the server answered 302 without a Location")
    }

    @Test("ten hops are followed, the eleventh is not; another attempt begins at home")
    func longest() throws {
        var route = RequestRoute(try WebURL("http://h/0"))
        func headers(_ number: Int) -> HTTPHeaders {
            HTTPHeaders(block: Array("HTTP/1.1 301 M\nLocation: /\(number)\n".utf8))
        }
        for number in 1...10 { try route.follow(headers(number), status: 301) }
        #expect(route.url.text == "http://h/10")
        #expect(throws: TransferFailure.self) { try route.follow(headers(11), status: 301) }
        route.restart()
        #expect(route.url.text == "http://h/0")
        try route.follow(headers(1), status: 301)
    }

    @Test(
        "a redirect may ask to wait, for five minutes at most",
        arguments: [
            (nil, 0), ("7", 7), ("0", 0), ("1000000000", 300), ("soon", 0), ("Sat, 21 Nov 2026 12:00:10 GMT", 10),
            ("Sat, 21 Nov 2026 11:00:00 GMT", 0),
        ])
    func delay(_ field: String?, _ seconds: Int64) {
        let headers = HTTPHeaders(field.map { [HTTPHeader("Retry-After", $0)] } ?? [])
        // 2026-11-21 12:00:00 UTC.
        #expect(RequestRoute.delay(headers, now: 1_795_262_400_000_000) == seconds * 1_000_000)
    }

    @Test("a place may be asked five times more, and again by the next try")
    func repeats() throws {
        var route = RequestRoute(try WebURL("http://h/0"))
        for _ in 0..<2 {
            #expect((0..<7).map { _ in route.mayRepeat() } == [true, true, true, true, true, false, false])
            route.restart()
        }
    }

    @Test("at home is the host that was asked for")
    func home() throws {
        #expect(try follow("http://h/a", "/b").isAtHome)
        #expect(try follow("http://h/a", "https://h/b").isAtHome)
        #expect(try !follow("http://h/a", "http://other/b").isAtHome)
        #expect(try follow("http://h/a", "http://other/b", "http://h/c").isAtHome)
    }

    @Test(
        "which statuses are redirects",
        arguments: [
            (301, true), (302, true), (303, true), (307, true), (308, true), (300, false), (304, false), (305, false),
        ])
    func statuses(_ status: Int, _ isRedirect: Bool) {
        #expect(RequestRoute.isRedirect(status) == isRedirect)
    }
}
