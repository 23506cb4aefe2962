import Glibc
import Reports
import Testing

@Suite("Numbers and names for people", .timeLimit(.minutes(1)))
struct WordingTests {
    @Test(
        "sizes",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_049, "1.0 kB"), (1_050, "1.1 kB"), (12_400, "12.4 kB"),
            (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_250_000, "1.3 MB"), (4_000_000_000, "4.0 GB"),
            (.max, "9 EB"),
        ] as [(Int64, String)])
    func sizes(bytes: Int64, text: String) {
        #expect(byteText(bytes) == text)
    }

    @Test(
        "durations",
        arguments: [
            (0, "0 µs"), (999, "999 µs"), (1_000, "1.0 ms"), (9_949, "9.9 ms"), (9_950, "10 ms"),
            (310_400, "310 ms"), (999_499, "999 ms"), (999_500, "1.0 s"), (1_249_999, "1.2 s"),
            (59_949_999, "59.9 s"), (59_950_000, "1 m 0 s"), (184_499_999, "3 m 4 s"), (184_500_000, "3 m 5 s"),
            (3_599_499_999, "59 m 59 s"), (3_599_500_000, "1 h 0 m"), (86_400_000_000, "1 d 0 h"),
            (.max, "106751991 d 4 h"),
        ] as [(Int64, String)])
    func durations(microseconds: Int64, text: String) {
        #expect(durationText(microseconds: microseconds) == text)
    }

    @Test(
        "counts",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_002_003, "1,002,003"), (-12_345, "-12,345")]
            as [(Int64, String)])
    func counts(count: Int64, text: String) {
        #expect(countText(count) == text)
    }

    @Test(
        "columns of a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("Việt Nam", 8), ("Vie\u{302}\u{323}t", 4), ("日本", 4), ("한국", 4),
            ("\u{1112}\u{1161}\u{11ab}", 2), ("ﾆｯﾎﾟﾝ", 5), ("ＡＢ", 4), ("مصر", 3), ("ไทย", 3), ("🇻🇳", 2), ("👨‍👩‍👧", 2),
            ("❤️", 2), ("❤", 1), ("\u{301}", 0), ("a\u{200b}b", 2), ("…–é", 3), ("𠀋", 2),
        ])
    func widths(text: String, width: Int) {
        #expect(displayWidth(of: text) == width)
    }

    @Test(
        "texts are cut between characters, to at most the width",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本国", 6, "日本国"), ("日本国", 5, "日本…"), ("日本国", 4, "日…"),
            ("👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("ab", 1, "…"),
        ])
    func cutting(text: String, width: Int, expected: String) {
        #expect(cut(text, toWidth: width) == expected)
    }

    @Test("what would control a terminal or reorder its line is replaced, letters and emoji stay")
    func displaying() {
        let unsafe: [Unicode.Scalar] = [
            "\0", "\n", "\r", "\t", "\u{8}", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}", "\u{61c}", "\u{200e}", "\u{200f}",
            "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{2028}", "\u{2029}",
        ]
        for scalar in unsafe { #expect(displayable("a\(scalar)b") == "a\u{fffd}b", "\(scalar.value)") }
        for text in ["Việt Nam", "العربية", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\u{a0}"] { #expect(displayable(text) == text) }
    }

    @Test("times are those of the time zone")
    func times() async {
        // In a process of its own, whose environment can be set.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "ICT-7", 1)
            #expect(localTimeText(1_767_225_600_000_000) == "2026-01-01 07:00:00 +0700")
            #expect(localTimeText(1_767_225_600_999_999) == "2026-01-01 07:00:00 +0700")
            #expect(localTimeText(-1) == "1970-01-01 06:59:59 +0700")
        }
    }
}
