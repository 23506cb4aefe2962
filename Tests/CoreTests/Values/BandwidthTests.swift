import Testing

@testable import Model

@Suite("Bandwidth by the time of day")
struct BandwidthTests {
    @Test(
        "a rate holds until the next time, the last one of the day until the first of the next",
        arguments: [
            ("08:00 2MB/s, 19:00 none", 0, nil, 28_800, "08:00"),
            ("08:00 2MB/s, 19:00 none", 28_799, nil, 1, "08:00"),
            ("08:00 2MB/s, 19:00 none", 28_800, 2_000_000, 39_600, "19:00"),
            ("19:00 none,8:00 2MB/s", 68_399, 2_000_000, 1, "19:00"),
            ("08:00 2MB/s, 19:00 1MB/s", 86_399, 1_000_000, 28_801, "08:00"),
            ("08:00 2MB/s, 19:00 1MB/s", 100, 1_000_000, 28_700, "08:00"),
            ("00:00 none, 12:30 512KiB/s", 0, nil, 45_000, "12:30"),
            ("00:00 none, 23:59 1kB/s", 86_399, 1_000, 1, "00:00"),
        ] as [(String, Int, Int64?, Int, String)])
    func periods(_ text: String, _ second: Int, _ rate: Int64?, _ seconds: Int, _ time: String) throws {
        let period = try Bandwidth(text).period(at: second)
        #expect(period == Bandwidth.Period(bytesPerSecond: rate, next: Bandwidth.Change(seconds: seconds, time: time)))
    }

    @Test("one rate holds all day", arguments: [("10MB/s", 10_000_000), ("none", nil), ("09:15 1kB/s", 1_000)])
    func allDay(_ text: String, _ rate: Int64?) throws {
        let bandwidth = try Bandwidth(text)
        for second in [0, 40_000, 86_399] {
            #expect(bandwidth.period(at: second) == Bandwidth.Period(bytesPerSecond: rate, next: nil))
        }
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ",", "08:00", "08:00 ", "8 2MB/s", "08:00 2MB/s,", "24:00 none", "08:60 none", "-1:00 none",
            "08:00 none, 8:00 1MB/s", "08:00 0/s", "08:00 none 19:00 none", "08:00\u{0} none", "٠٨:٠٠ none",
            "99999999999999999999:00 none",
        ])
    func refused(_ text: String) {
        #expect(throws: BandwidthFault.self) { try Bandwidth(text) }
    }
}
