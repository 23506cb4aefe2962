import HTTP
import Testing

@Suite("HTTP dates", .timeLimit(.minutes(1)))
struct DateTests {
    @Test(
        "the three forms of RFC 9110 are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ])
    func reads(_ text: String, _ seconds: Int64) {
        #expect(parseHTTPDate(text) == seconds)
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "0", "-1", "now", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 32 Jan 1994 08:49:37 GMT",
            "Sun, 30 Feb 2000 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT", "1994-11-06T08:49:37Z",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ])
    func refuses(_ text: String) {
        #expect(parseHTTPDate(text) == nil)
    }

    @Test("a year of two digits is at most 50 years ahead")
    func twoDigitYears() {
        let now: Int64 = 1_767_225_600  // 2026
        #expect(parseHTTPDate("Sunday, 06-Nov-76 08:49:37 GMT", now: now).map(formatHTTPDate)?.contains("2076") == true)
        #expect(parseHTTPDate("Sunday, 06-Nov-77 08:49:37 GMT", now: now).map(formatHTTPDate)?.contains("1977") == true)
    }

    @Test("a date is written as it is read, over the whole calendar")
    func roundTrip() {
        #expect(formatHTTPDate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(formatHTTPDate(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        for seconds in stride(from: Int64(-62_000_000_000), through: 253_402_300_799, by: 86_400 * 97 + 3_607) {
            #expect(parseHTTPDate(formatHTTPDate(seconds)) == seconds)
        }
    }
}
