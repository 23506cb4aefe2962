import Files
import Testing

@Suite("Names from the network become safe components", .timeLimit(.minutes(1)))
struct SafeComponentTests {
    @Test(
        "each name becomes one component",
        arguments: [
            ("Germany.png", "Germany.png"),
            ("Côte d'Ivoire", "Côte d'Ivoire"),
            ("a/b\\c", "a_b_c"),
            ("../../etc/passwd", "_._.._etc_passwd"),
            (".", "_"),
            ("..", "_"),
            (".hidden", "_hidden"),
            ("", "_"),
            ("   ", "_"),
            (" . . ", "_"),
            ("name. . ", "name"),
            ("CON", "CON"),
            ("tab\tnew\nline\u{0}nul\u{7F}", "tab_new_line_nul_"),
            ("C1\u{85}\u{9F}", "C1__"),
            ("gpj.\u{202E}exe", "gpj._exe"),
            ("\u{2066}x\u{2069}\u{200E}\u{200F}\u{061C}", "_x____"),
            ("one\u{2028}two\u{2029}three", "one_two_three"),
            ("ideographic space\u{3000}", "ideographic space"),
            ("العربية", "العربية"),
            ("👨‍👩‍👧‍👦 family", "👨‍👩‍👧‍👦 family"),
        ])
    func component(text: String, expected: String) {
        #expect(Array(safeComponent(text).utf8) == Array(expected.utf8))
    }

    @Test("one title has one name: Vietnamese in decomposed form is composed")
    func composed() {
        let decomposed = "Vie\u{323}\u{302}t Nam \u{2014} Ho\u{302}\u{300} Ti\u{301}nh"
        #expect(Array(safeComponent(decomposed).utf8) == Array("Vi\u{1EC7}t Nam \u{2014} H\u{1ED3} T\u{ED}nh".utf8))
    }

    @Test("a long name is cut to the limit, between characters")
    func cut() {
        #expect(safeComponent(String(repeating: "x", count: 300)) == String(repeating: "x", count: 200))
        // 3 bytes each: 66 fit.
        #expect(safeComponent(String(repeating: "国", count: 100)) == String(repeating: "国", count: 66))
        // 25 bytes each, though seven scalars: 8 fit exactly, and none is cut apart.
        let family = "👨‍👩‍👧‍👦"
        #expect(safeComponent(String(repeating: family, count: 9)) == String(repeating: family, count: 8))
        #expect(safeComponent("a" + String(repeating: family, count: 8)) == "a" + String(repeating: family, count: 7))
    }

    @Test("a cut leaves no space or dot at the end")
    func cutAtSpace() {
        #expect(safeComponent("abcde. fgh", maximumBytes: 7) == "abcde")
    }

    @Test("a character longer than the limit is cut between scalars")
    func endlessCharacter() {
        let text = "a" + String(repeating: "\u{332}", count: 500)
        #expect(Array(safeComponent(text).utf8) == Array(("a" + String(repeating: "\u{332}", count: 99)).utf8))
    }

    @Test("a component is its own component, fits, and is accepted as a path")
    func closed() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet: [Unicode.Scalar] = [
            "a", ".", " ", "/", "\\", "e", "\u{301}", "\u{323}", "\u{200D}", "👩", "🏽", "\u{202E}", "\n", "ệ",
            "\u{1100}",
            "\u{1161}", "\u{3000}", "=", "\u{338}", "\u{1F1E9}",
        ]
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...60, using: &generator) {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            let component = safeComponent(String(text), maximumBytes: 64)
            #expect(Array(safeComponent(component, maximumBytes: 64).utf8) == Array(component.utf8), "\(text)")
            #expect(component.utf8.count <= 64)
            #expect(try RelativePath(validating: component).components.count == 1)
        }
    }
}
