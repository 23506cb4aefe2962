import Testing

@testable import HTTP
@testable import Model
@testable import Transfer

/// What replies say of asking again, and of resuming.
@Suite("Freshness and validators", .timeLimit(.minutes(1)))
struct FreshnessTests {
    private func headers(_ lines: [String]) -> HTTPHeaders {
        HTTPHeaders(block: Array((["HTTP/1.1 200 OK"] + lines + [""]).joined(separator: "\n").utf8))
    }

    private static let date = "Date: Wed, 21 Oct 2015 07:00:00 GMT"

    @Test(
        "seconds for which nothing needs to be asked",
        arguments: [
            (["Cache-Control: max-age=60"], 60), (["Cache-Control: public, Max-Age=\"60\" , immutable"], 60),
            (["Cache-Control: max-age=60", "Age: 20"], 40), (["Cache-Control: max-age=60", "Age: 60"], nil),
            (["Cache-Control: max-age=60", "Age: soon"], 60), (["Cache-Control: max-age=60", "Age: -5"], 60),
            (["Cache-Control: max-age=0"], nil), (["Cache-Control: max-age=-1"], nil),
            (["Cache-Control: max-age=soon"], nil),
            (["Cache-Control: max-age="], nil), (["Cache-Control: max-age"], nil), (["Cache-Control: immutable"], nil),
            (["Cache-Control: max-age=60, max-age=30"], 30),
            (["Cache-Control: max-age=60", "Cache-Control: no-store"], nil),
            (["Cache-Control: max-age=60, no-cache"], nil), (["Cache-Control: max-age=60, private"], 60),
            (["Cache-Control: s-maxage=60"], nil), (["Cache-Control: max-age=60", "Vary: *"], nil),
            (["Cache-Control: max-age=60", "Vary: Accept-Encoding"], 60),
            (["Cache-Control: max-age=60", date, "Expires: Wed, 21 Oct 2015 07:00:05 GMT"], 60),
            ([date, "Expires: Wed, 21 Oct 2015 07:00:30 GMT"], 30),
            ([date, "Expires: Wed, 21 Oct 2015 07:00:30 GMT", "Age: 10"], 20),
            ([date, "Expires: Wed, 21 Oct 2015 06:00:00 GMT"], nil), ([date, "Expires: 0"], nil),
            (["Expires: Wed, 21 Oct 2015 07:00:30 GMT"], nil), ([], nil),
            (["Cache-Control: max-age=99999999999999999999999"], 316_224_000),
            (["Cache-Control: max-age=9223372036854775807"], 316_224_000),
        ] as [([String], Int64?)])
    func lifetime(_ lines: [String], _ seconds: Int64?) {
        let now: Int64 = 1_700_000_000_000_000
        #expect(Freshness(headers(lines), now: now).expiresAt == seconds.map { now + $0 * 1_000_000 })
    }

    @Test("validators are kept as they came")
    func validators() {
        let freshness = Freshness(headers(["etag: W/\"a b\"", "LAST-MODIFIED: sometime"]), now: 0)
        #expect(freshness.etag == "W/\"a b\"")
        #expect(freshness.lastModified == "sometime")
    }

    @Test(
        "what may stand in If-Range",
        arguments: [
            (["ETag: \"a\""], "\"a\""), (["ETag: W/\"a\""], nil), (["ETag: a"], nil), ([], nil),
            (["Last-Modified: Wed, 21 Oct 2015 06:59:59 GMT", date], "Wed, 21 Oct 2015 06:59:59 GMT"),
            (["Last-Modified: Wed, 21 Oct 2015 07:00:00 GMT", date], nil),
            (["Last-Modified: Wed, 21 Oct 2015 06:59:59 GMT"], nil),
            (["ETag: W/\"a\"", "Last-Modified: Wed, 21 Oct 2015 06:00:00 GMT", date], nil),
        ] as [([String], String?)])
    func strong(_ lines: [String], _ validator: String?) {
        #expect(Freshness.strongValidator(headers(lines)) == validator)
    }

    @Test(
        "both forms of Retry-After",
        arguments: [
            ("120", 120), (" 0 ", 0), ("99999999999999999999", 1 << 53), ("Wed, 21 Oct 2015 07:00:30 GMT", 30),
            ("Wed, 21 Oct 2015 06:00:00 GMT", 0), ("soon", nil), ("-5", nil), ("1.5", nil), ("", nil),
        ] as [(String, Int64?)])
    func retryAfterForms(_ field: String, _ seconds: Int64?) {
        // 2015-10-21 07:00:00 UTC.
        #expect(retryAfter(field, now: 1_445_410_800_999_999) == seconds)
    }

    @Test("a wait that a host asks for is capped, and only failures that may pass have one")
    func cappedWait() {
        let busy = TransferFailure(status: 429, headers: headers(["Retry-After: 999999999999999999999"]), now: 0)
        #expect(busy.retryAfter == TransferFailure.longestRetryAfter)
        #expect(busy.isTransient && !busy.isLasting)
        #expect(TransferFailure(status: 404, headers: headers(["Retry-After: 5"]), now: 0).retryAfter == nil)
    }

    @Test("which statuses may pass, and which stand for a day", arguments: 300...599)
    func statuses(_ status: Int) {
        let failure = TransferFailure(status: status, headers: headers([]), now: 0)
        #expect(failure.word == .http)
        #expect(failure.isTransient == [408, 425, 429, 500, 502, 503, 504].contains(status))
        #expect(failure.isLasting == [404, 410].contains(status))
        #expect(failure.detail.hasPrefix("the server answered \(status)"))
    }

    @Test(
        "Content-Range of one range of bytes",
        arguments: [
            ("bytes 5-9/10", 5, 10), ("BYTES 0-0/*", 0, nil), ("bytes */10", nil, 10), ("bytes 5-9/9", nil, nil),
            ("bytes 9-5/10", nil, nil), ("pages 5-9/10", nil, nil), ("bytes 5-/10", nil, nil),
            ("bytes -5/10", nil, nil),
            ("bytes", nil, nil), ("bytes 5-9", nil, nil), ("", nil, nil), ("bytes 5-9/ten", nil, nil),
            ("bytes +5-9/10", nil, nil), ("bytes 5-9223372036854775807/9223372036854775807", nil, nil),
            ("bytes */99999999999999999999", nil, 1 << 53),
        ] as [(String, Int64?, Int64?)])
    func contentRange(_ field: String, _ first: Int64?, _ total: Int64?) {
        let range = ContentRange(field)
        #expect(range?.bytes?.lowerBound == first)
        #expect(range?.total == total)
        #expect((range == nil) == (first == nil && total == nil))
    }
}
