import Files
import HTTP
import System
import TestSupport
import Testing

@testable import Jobs
@testable import Model
@testable import Transfer

/// No number from outside ends the process, whatever reads it.
@Suite("Extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
    private static let old = "Thu, 01 Jan 1970 00:00:00 GMT"
    private static let late = "Fri, 31 Dec 9999 23:59:59 GMT"

    @Test("whole numbers are digits, and none is greater than 2^53", arguments: extremeNumbers)
    func wholeNumbers(_ text: String) {
        let number = wholeNumber(text)
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        #expect((number != nil) == isNumber)
        if let number { #expect(number >= 0 && number <= largestWholeNumber) }
        if let exact = Int64(text), isNumber, exact < largestWholeNumber { #expect(number == exact) }
    }

    @Test("what a header says of freshness", arguments: extremeNumbers)
    func freshness(_ number: String) {
        let now: Int64 = 1_700_000_000_000_000
        for fields in [
            [("Age", number), ("Expires", Self.old)], [("Age", number), ("Cache-Control", "max-age=\(number)")],
            [("Cache-Control", "max-age=\(number)"), ("Expires", number), ("Date", number)],
            [("Expires", Self.late), ("Date", Self.old), ("Age", number)],
            [("Expires", Self.old), ("Date", Self.late), ("Age", number)],
        ] {
            let freshness = Freshness(HTTPHeaders(fields.map { HTTPHeader($0.0, $0.1) }), now: now)
            if let end = freshness.expiresAt { #expect(end > now && end <= now + 10 * 366 * 86_400_000_000) }
            _ = freshness.isFresh(.max)
            _ = freshness.isFresh(0)
        }
        for end in [Int64.min, 0, .max] { _ = Freshness(expiresAt: end).isFresh(now) }
    }

    @Test("what a reply asks to wait", arguments: extremeNumbers)
    func waits(_ number: String) {
        let headers = HTTPHeaders([HTTPHeader("Retry-After", number)])
        for status in [301, 429, 503] {
            let failure = TransferFailure(status: status, headers: headers, now: 0)
            #expect((0...TransferFailure.longestRetryAfter).contains(failure.retryAfter ?? 0))
        }
        #expect((0...TransferFailure.longestRetryAfter).contains(RequestRoute.delay(headers, now: 0)))
    }

    @Test("what a Content-Range says", arguments: extremeNumbers)
    func ranges(_ number: String) {
        for field in [
            "bytes \(number)-\(number)/\(number)", "bytes 0-\(number)/\(number)", "bytes 0-\(number)/*",
            "bytes */\(number)",
            "bytes 5-9/\(number)", "bytes \(number)-9223372036854775807/*",
        ] {
            if let bytes = ContentRange(field)?.bytes { #expect(bytes.lowerBound >= 0 && !bytes.isEmpty) }
        }
    }

    @Test("a size that a list promises, now and when it is read again", arguments: extremeNumbers)
    func promises(_ number: String) {
        guard let size = Int64(number) else { return }
        let expectedContent = ExpectedContent(size: size, sha256: nil, headers: [])
        #expect(expectedContent.size ?? 0 <= largestWholeNumber)
        #expect(ExpectedContent(text: "{\"size\":\(size)}")?.size == expectedContent.size)
    }

    @Test("times, sizes and rates of a job file", arguments: extremeNumbers)
    func units(_ number: String) {
        for unit in ["ms", "s", "d"] {
            if let span = TimeSpan(number + unit) {
                _ = Monotonic.now().advanced(byMicroseconds: span.microseconds)
                #expect(span.microseconds >= 0)
            }
        }
        _ = ByteCount(number + "TiB")
        _ = RequestRate(number + "/d")
    }

    @Test("an attempt's time is never less than nothing")
    func attemptTime() throws {
        var configuration = HTTPProfile.Configuration(userAgent: "")
        configuration.totalTimeout = 10
        var time = AttemptTime(try HTTPProfile(configuration))
        #expect(time.spend(4) == 4)
        #expect(time.left == 6)
        #expect(time.spend(.max) == 6)
        #expect(time.left == 1)
        #expect(time.spend(5) == 0)
    }

    @Test("a server's headers of extreme numbers fail their item at most", arguments: extremeNumbers)
    func headers(_ number: String) async throws {
        let raw = { (status: Int, fields: String) -> FaultyServer.Response in
            .raw("HTTP/1.1 \(status) Status\r\n\(fields)Connection: close\r\n\r\nbody")
        }
        let bench = try Bench(
            [
                "/age": [raw(200, "Expires: \(Self.old)\r\nAge: \(number)\r\nContent-Length: 4\r\n")],
                "/max-age": [raw(200, "Cache-Control: max-age=\(number)\r\nAge: \(number)\r\nContent-Length: 4\r\n")],
                "/length": [raw(200, "Content-Length: \(number)\r\n")],
                "/range": [raw(206, "Content-Range: bytes \(number)-\(number)/\(number)\r\n")],
                "/wait": [raw(429, "Retry-After: -\(number)\r\nContent-Length: 4\r\n")],
            ], transfer: "retries: 0\nmax_size: 8TiB")
        let size = Int64(number)
        let items = ["/age", "/max-age", "/length", "/range", "/wait"].map { bench.item($0).with(size: size) }
        for _ in 1...2 {
            let report = try await bench.run(items)
            #expect(report.items.count == 5)
        }
    }
}
