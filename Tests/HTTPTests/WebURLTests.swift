import HTTP
import Testing

@Suite("URLs", .timeLimit(.minutes(1)))
struct WebURLTests {
    @Test(
        "a URL is sent in one ASCII form",
        arguments: [
            ("http://example.com", "http://example.com/"),
            ("HTTP://EXAMPLE.com/Path", "http://example.com/Path"),
            ("http://example.com?q=1", "http://example.com/?q=1"),
            ("  https://example.com/a b/c  ", "https://example.com/a%20b/c"),
            ("https://example.com/a%20b", "https://example.com/a%20b"),
            ("https://example.com/a?b c=d e", "https://example.com/a?b%20c=d%20e"),
            ("https://example.com/ü?q=日本", "https://example.com/%C3%BC?q=%E6%97%A5%E6%9C%AC"),
            ("https://example.com/100%.jpg", "https://example.com/100%25.jpg"),
            ("https://example.com/%zz%4", "https://example.com/%25zz%254"),
            ("https://example.com/%c3%BC", "https://example.com/%c3%BC"),
            ("https://example.com/a\"<>\\^`{}|[]", "https://example.com/a%22%3C%3E%5C%5E%60%7B%7D|[]"),
            ("https://example.com/a#b?c", "https://example.com/a"),
            ("https://example.com/#", "https://example.com/"),
            ("https://example.com/a/./b/../c", "https://example.com/a/c"),
            ("https://example.com/../../a", "https://example.com/a"),
            ("https://example.com/a?b/../c", "https://example.com/a?b/../c"),
            ("https://example.com//a//b", "https://example.com//a//b"),
            ("http://mrcdn.info/http://h.mfcdn.net/store/x.jpg", "http://mrcdn.info/http://h.mfcdn.net/store/x.jpg"),
            ("http://example.com:80/", "http://example.com/"),
            ("http://example.com:/", "http://example.com/"),
            ("https://example.com:443/", "https://example.com/"),
            ("http://example.com:443/", "http://example.com:443/"),
            ("http://user:p%40ss@example.com/", "http://user:p%40ss@example.com/"),
            ("http://@@@@@@h/", "http://%40%40%40%40%40@h/"),
            ("http://user@host:pass word@example.com/", "http://user%40host:pass%20word@example.com/"),
            ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4"),
            ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
            ("http://日本語.jp:8080/", "http://xn--wgv71a119e.jp:8080/"),
            ("http://user@bücher.example/", "http://user@xn--bcher-kva.example/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://2130706433/", "http://127.0.0.1/"),
            ("http://１２７.0.0.1/", "http://127.0.0.1/"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
            ("http://ex%61mple.com/", "http://example.com/"),
        ])
    func text(_ written: String, _ sent: String) throws {
        let url = try WebURL(written)
        #expect(url.text == sent)
        #expect(try WebURL(url.text) == url, "reading it again changes nothing")
    }

    @Test(
        "a URL read near another is the one that it is read alone",
        arguments: ["http://h.example/", "https://h.example:8443/x", "http://user@h.example/"],
        [
            "a/b.jpg", "a b", "ü", "..", "../a", "a/./b", "a/../b", ".a", "%2e%2e/a", "a/%2E./b", "a?b/../c", "//a", "",
            "http://h.example/b", "a#b", "100%",
        ])
    func near(_ base: String, _ path: String) throws {
        let other = try WebURL(base)
        for written in [base + path, base + "/" + path, base.dropLast() + ":80/" + path, base + "x/" + path] {
            let alone = try? WebURL(String(written))
            let near = try? WebURL(String(written), reusingOriginOf: other)
            #expect(near?.text == alone?.text)
            #expect(near?.origin == alone?.origin)
            #expect(near?.path == alone?.path)
            #expect(near?.lastPathSegment == alone?.lastPathSegment)
        }
    }

    @Test(
        "a URL near one of another host, port or user keeps its own",
        arguments: [
            "http://h.example.org/a", "http://h.examples/a", "https://h.example/a", "http://h.example:81/a",
            "http://u@h.example/a",
        ])
    func notNear(_ written: String) throws {
        let near = try WebURL(written, reusingOriginOf: try WebURL("http://h.example/b"))
        #expect(near.text == written)
        #expect(near.origin == (try WebURL(written)).origin)
    }

    @Test("the parts of a URL")
    func parts() throws {
        let url = try WebURL("https://User:Secret@Example.COM:8443/a/b%20c.JPG?x=1&y=a/b?c#f")
        #expect(url.scheme == "https")
        #expect(url.host == "example.com")
        #expect(url.port == 8_443)
        #expect(url.path == "/a/b%20c.JPG")
        #expect(url.query == "x=1&y=a/b?c")
        #expect(url.lastPathSegment == "b c.JPG")
        #expect(url.origin == HTTPOrigin(scheme: "https", host: "example.com", port: 8_443))
        let plain = try WebURL("http://[fe80::1%25eth0]")
        #expect(plain.host == "fe80::1")
        #expect(plain.port == 80)
        #expect(plain.path == "/")
        #expect(plain.query == nil)
        #expect(plain.lastPathSegment == "")
        #expect(try WebURL("http://h/a/?q").query == "q")
        #expect(try WebURL("http://h/a/").lastPathSegment == "")
        #expect(try WebURL("http://h/%C3%BC%2F%00").lastPathSegment == "ü/\0")
        #expect(try WebURL("http://h/%FF").lastPathSegment == "\u{FFFD}")
        #expect(try WebURL("http://h/a?").query == nil || WebURL("http://h/a?").query == "")
    }

    @Test(
        "what is no URL to fetch is refused, and the reason says why",
        arguments: [
            ("", "empty"), ("   ", "empty"), ("example.com/a", "http://"), ("/a/b", "http://"),
            ("//example.com", "http://"),
            ("http:/example.com", "http://"), ("http:example.com", "http://"), ("ftp://example.com/", "not ftp"),
            ("file:///etc/passwd", "not file"), ("javascript:alert(1)", "http://"), ("http://", "no host"),
            ("http:///a", "no host"), ("http://:80/", "no host"), ("http://user@/", "no host"),
            ("http://?q", "no host"),
            ("http://h:99999/", "port"), ("http://h:x/", "port"), ("http://h:0/", "port"), ("http://h\n/", "control"),
            ("http://h/a\u{0}b", "control"), ("http://h/a\tb", "control"), ("http://a b/", "host"),
            ("http://h\\@evil/", "host"), ("http://x%00y/", "host"), ("http://[::1", "IPv6"), ("http://[::g]/", "IPv6"),
            ("http://" + String(repeating: "a", count: 9_000), "longer"),
            ("http://h/" + String(repeating: "ü", count: 2_800), "longer"),
        ])
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: WebURLError.self) { try WebURL(text) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(
        "a reference means what RFC 3986, 5.4, says",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://h/x", "https://h/x"),
            (" /with space ", "http://a/with%20space"),
            ("/ü", "http://a/%C3%BC"), ("g:h/a", ""), ("mailto:x", ""), ("/a:b", "http://a/a:b"),
        ])
    func resolving(_ reference: String, _ meant: String) throws {
        let base = try WebURL("http://a/b/c/d;p?q")
        if meant.isEmpty {
            #expect(throws: WebURLError.self) { try base.resolving(reference) }
        } else {
            #expect(try base.resolving(reference).text == meant)
        }
    }

    @Test("a reference in a URL whose query has slashes is resolved against its path")
    func resolvingQuery() throws {
        #expect(try WebURL("https://h:8443/a/b?x=/y/z").resolving("c").text == "https://h:8443/a/c")
        #expect(try WebURL("https://u:p@h/a").resolving("//other/b").text == "https://other/b")
    }
}
