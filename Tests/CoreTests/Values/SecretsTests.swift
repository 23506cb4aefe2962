import TestSupport
import Testing

@testable import Core

/// Hiding values from the environment, and finding them again.
@Suite("Secrets", .timeLimit(.minutes(1)))
struct SecretsTests {
    private let secrets = Secrets([
        ("KEY", "s3cret+/"), ("LONG", "s3cret+/and more"), ("EMPTY", ""), ("DOLLAR", "$x{"), ("BRACE", "{y"),
    ])

    @Test(
        "values, and their percent-encoded forms, are written as ${NAME}",
        arguments: [
            ("key=s3cret+/", "key=${KEY}"), ("key=s3cret%2B%2F&x", "key=${KEY}&x"), ("s3cret+/and more", "${LONG}"),
            ("s3cret+/s3cret+/", "${KEY}${KEY}"), ("nothing", "nothing"), ("", ""), ("ä s3cret+/ ö", "ä ${KEY} ö"),
        ])
    func hide(_ text: String, _ shown: String) {
        #expect(secrets.hide(text) == shown)
    }

    @Test(
        "what is hidden expands to what it was",
        arguments: [
            "a s3cret+/ b", "s3cret+/and more", "${KEY}", "$${KEY}", "$$${KEY}", "$", "$$", "${", "$${", "$s3cret+/",
            "$$s3cret+/", "${s3cret+/", "$x{", "${y", "$${y", "${$}", "{y", "}${}{", "cost: $5 ${NOPE}", "$$x{",
        ])
    func roundTrip(_ text: String) {
        let shown = secrets.hide(text)
        #expect(secrets.expand(shown) == text, "\(shown)")
        #expect(!shown.contains("s3cret"))
    }

    @Test("random texts of the dangerous characters expand to what they were")
    func randomRoundTrip() {
        var generator = SplitMix(3)
        let pieces = ["$", "{", "}", "${", "KEY", "s3cret+/", "$x{", "{y", "a"]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            #expect(secrets.expand(secrets.hide(text)) == text, "\(text)")
        }
    }

    @Test("text of a list that has ${NAME} in it never expands to a value")
    func literal() {
        let shown = secrets.hide("http://evil/?q=${KEY}")
        #expect(secrets.expand(shown) == "http://evil/?q=${KEY}")
        #expect(Secrets().expand(Secrets().hide("${KEY}")) == "${KEY}")
    }

    @Test("a variable that the job does not have any more expands to nothing at all")
    func unknown() {
        #expect(secrets.expand("a ${NOPE}") == nil)
        #expect(Secrets().expand("a ${KEY}") == nil)
    }
}
