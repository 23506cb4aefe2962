import Reports
import Testing

@testable import Commands

@Suite("Names on a screen", .timeLimit(.minutes(1)))
struct DisplayNameTests {
    @Test("a name is cut by the columns it takes, in its middle: the end tells files apart")
    func widths() {
        #expect(DisplayName("Hà Nội").width == 6)
        #expect(DisplayName("東京タワー").fitted(to: 7) == "東京タ…")
        #expect(DisplayName("IMG_2024_0001 (copy).jpg").fitted(to: 16) == "IMG_2024…py).jpg")
        #expect(DisplayName("東京タワーと富士山.png").fitted(to: 14) == "東京タ…山.png")
        #expect(DisplayName("👨‍👩‍👧‍👦 family").fitted(to: 6) == "👨‍👩‍👧‍👦 fa…")
        #expect(DisplayName("Vietnam").fitted(to: 7) == "Vietnam")
    }

    @Test("a name that is written from right to left does not turn its row")
    func rightToLeft() {
        #expect(DisplayName("القاهرة").fitted(to: 20) == "\u{200e}القاهرة\u{200e}")
        #expect(DisplayName("القاهرة").width == 7)
        #expect(DisplayName("Cairo").fitted(to: 20) == "Cairo")
    }

    @Test("nothing of a name controls the terminal, and no character is made of thousands of marks")
    func hostile() {
        #expect(DisplayName("\u{1B}[2Ja\u{202E}b\n").text == "\u{FFFD}[2Ja\u{FFFD}b\u{FFFD}")
        let zalgo = DisplayName("a" + String(repeating: "\u{301}", count: 5_000))
        #expect(zalgo.width == 1 && zalgo.text.unicodeScalars.count == 16)
        #expect(DisplayName(String(repeating: "é", count: 10_000)).width == 300)
    }
}
