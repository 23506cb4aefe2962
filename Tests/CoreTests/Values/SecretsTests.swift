import TestSupport
import Testing

@testable import Model

/// Hiding secrets in text for people, and masking them in text that is used again.
@Suite("Secrets", .timeLimit(.minutes(1)))
struct SecretsTests {
    private let secrets = Secrets(
        [
            ("KEY", "s3cret+/"), ("LONG", "s3cret+/and more"), ("EMPTY", ""), ("DOLLAR", "$x{"), ("BRACE", "{y"),
            ("PERCENT", "50%41"),
        ], ordinary: [("N", "8")])

    @Test(
        "a value is hidden in whatever spelling",
        arguments: [
            ("key=s3cret+/", "key=${KEY}"), ("key=s3cret%2B%2F&x", "key=${KEY}&x"), ("s3cret+/and more", "${LONG}"),
            ("s3cret+/s3cret+/", "${KEY}${KEY}"), ("nothing", "nothing"), ("", ""), ("ä s3cret+/ ö", "ä ${KEY} ö"),
            ("key=s3cret%2b%2f", "key=${KEY}"), ("key=%73%33cret%2B/", "key=${KEY}"), ("S3CRET+/", "${KEY}"),
            ("s3cret%2B%2Fand+more", "${LONG}"), ("s3cret+/and%20more", "${LONG}"), ("50%41", "${PERCENT}"),
            ("50%2541", "${PERCENT}"), ("photo8.png", "photo8.png"),
        ])
    func hide(_ text: String, _ shown: String) {
        #expect(secrets.hide(text) == shown)
        #expect(secrets.hide(shown) == shown)
        #expect(secrets.occur(in: text) == (text != shown))
    }

    @Test(
        "the user information of URLs is hidden, and nothing else that has an at sign",
        arguments: [
            ("to http://user:pass@host/a", "to http://${userinfo}@host/a"),
            ("'https://token@host' and http://a:b@c", "'https://${userinfo}@host' and http://${userinfo}@c"),
            ("http://host/a@b", "http://host/a@b"), ("mail me@example.org", "mail me@example.org"),
            ("http://host?m=me@example.org", "http://host?m=me@example.org"),
        ])
    func userinfo(_ text: String, _ shown: String) {
        for secrets in [secrets, Secrets()] {
            #expect(secrets.hide(text) == shown)
            #expect(secrets.hide(shown) == shown)
        }
    }

    @Test("what is cut shows no part of a value")
    func cut() {
        #expect(secrets.excerpt("12345 s3cret+/", 10) == "12345 ${KE")
        #expect(secrets.excerpt("http://user:password@host", 16) == "http://${userinf")
    }

    @Test(
        "what is masked expands to what it was",
        arguments: [
            "a s3cret+/ b", "s3cret+/and more", "${KEY}", "$${KEY}", "$$${KEY}", "$", "$$", "${", "$${", "$s3cret+/",
            "$$s3cret+/", "${s3cret+/", "$x{", "${y", "$${y", "${$}", "{y", "}${}{", "cost: $5 ${NOPE}", "$$x{",
            "s3cret%2B%2F", "8",
        ])
    func roundTrip(_ text: String) {
        let shown = secrets.mask(text)
        #expect(secrets.expand(shown) == text, "\(shown)")
        #expect(!shown.contains("s3cret"))
    }

    @Test("random texts of the dangerous characters expand to what they were")
    func randomRoundTrip() {
        var generator = SplitMix(3)
        let pieces = ["$", "{", "}", "${", "KEY", "s3cret+/", "s3cret%2B%2F", "$x{", "{y", "a", "?", "%"]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            #expect(secrets.expand(secrets.mask(text)) == text, "\(text)")
            let url = "http://host/\(text)"
            #expect(secrets.expand(secrets.mask(url: url)) == url, "\(url)")
        }
    }

    @Test("a URL keeps its path, and neither its user information nor a value in its query")
    func url() {
        let url = "http://me:pw@host/s3cret+/?a=s3cret%2B%2F&b=s3cret+/"
        let shown = secrets.mask(url: url)
        #expect(shown == "http://${userinfo}@host/s3cret+/?a=${KEY%}&b=${KEY}")
        #expect(secrets.expand(shown, userinfo: "me:pw") == url)
        #expect(secrets.expand(shown) == nil)
        #expect(secrets.expand(secrets.mask(url: "http://host/?k=S3CRET+/")) == nil)
    }

    @Test("text of a list that has ${NAME} in it never expands to a value")
    func literal() {
        for text in ["http://evil/?q=${KEY}", "http://evil/${KEY}", "http://${userinfo}@evil/"] {
            for isAddress in [true, false] {
                let expanded = secrets.expand(secrets.mask(url: text, isAddress: isAddress), userinfo: "${userinfo}")
                #expect(expanded == text)
            }
        }
        #expect(Secrets().expand(Secrets().mask("${KEY}")) == "${KEY}")
    }

    @Test("a variable that the job does not have any more expands to nothing at all")
    func unknown() {
        #expect(secrets.expand("a ${NOPE}") == nil)
        #expect(Secrets().expand("a ${KEY}") == nil)
        #expect(secrets.expand("a ${N}") == "a 8")
    }
}
