import Foundation
import Testing

@testable import SourcesFlickr

@Suite("Photos", .timeLimit(.minutes(1)))
struct PhotoTests {
    private func address(_ fields: String) throws -> PhotoAddress {
        try JSONDecoder().decode(Photo.self, from: Data(#"{"id":"9",\#(fields)}"#.utf8)).address
    }

    @Test(
        "a size that there is not: the next smaller one",
        arguments: [
            (PhotoSize.large, ["l", "c", "m"], "l"), (.large, ["c", "z", "m"], "c"), (.large, ["m", "s", "t"], "m"),
            (.large, ["h", "k", "o", "t"], "t"), (.original, ["k", "l"], "k"), (.original, ["o", "k"], "o"),
            (.medium, ["l", "s"], "s"), (.small, ["m", "s", "t"], "s"), (.thumbnail, ["t", "sq"], "t"),
            (.square, ["q", "t"], "q"),
        ])
    func fallback(size: PhotoSize, given: [String], chosen: String) throws {
        let fields = given.map { #""url_\#($0)":"https://live.staticflickr.com/1/\#($0).jpg""# }
        let address = try address(fields.joined(separator: ","))
        #expect(
            address.url(size, host: "https://live.staticflickr.com") == "https://live.staticflickr.com/1/\(chosen).jpg")
    }

    @Test(
        "without addresses in the list they are made of server, number and secret",
        arguments: [
            (PhotoSize.square, "/5/9_abc_s.jpg"), (.thumbnail, "/5/9_abc_t.jpg"), (.small, "/5/9_abc_m.jpg"),
            (.medium, "/5/9_abc.jpg"), (.large, "/5/9_abc_b.jpg"), (.original, "/5/9_xyz_o.png"),
        ])
    func made(size: PhotoSize, path: String) throws {
        let address = try address(#""server":"5","secret":"abc","originalsecret":"xyz","originalformat":"png""#)
        #expect(address.url(size, host: "https://pictures.example/") == "https://pictures.example\(path)")
    }

    @Test("the original has a secret of its own: without it the largest that has the usual one")
    func original() throws {
        #expect(
            try address(#""server":"5","secret":"abc""#).url(.original, host: "https://h/") == "https://h/5/9_abc_b.jpg"
        )
        #expect(try address(#""server":"0","secret":"abc""#).url(.large, host: "https://h/") == nil)
    }

    @Test(
        "addresses of Flickr's hosts, old ones too, are asked of image_host; others are left alone",
        arguments: [
            ("http://farm8.staticflickr.com/7049/1_a_b.jpg", "https://live.staticflickr.com/7049/1_a_b.jpg"),
            ("http://farm3.static.flickr.com/7049/1_a_b.jpg", "https://live.staticflickr.com/7049/1_a_b.jpg"),
            ("https://live.staticflickr.com/1/1_a_b.jpg", "https://live.staticflickr.com/1/1_a_b.jpg"),
            ("http://127.0.0.1:8080/1/1_a_b.jpg", "http://127.0.0.1:8080/1/1_a_b.jpg"),
            ("https://farm.example/1.jpg", "https://farm.example/1.jpg"),
        ])
    func hosts(given: String, asked: String) throws {
        #expect(try address(#""url_l":"\#(given)""#).url(.large, host: "https://live.staticflickr.com") == asked)
    }

    @Test(
        "a licence has its name and page by Flickr's number",
        arguments: [
            (1, "CC BY-NC-SA 2.0", "by-nc-sa/2.0"), (4, "CC BY 2.0", "by/2.0"), (11, "CC BY 4.0", "by/4.0"),
            (12, "CC BY-SA 4.0", "by-sa/4.0"), (13, "CC BY-ND 4.0", "by-nd/4.0"), (14, "CC BY-NC 4.0", "by-nc/4.0"),
            (15, "CC BY-NC-SA 4.0", "by-nc-sa/4.0"), (16, "CC BY-NC-ND 4.0", "by-nc-nd/4.0"),
        ])
    func licence(number: Int, name: String, path: String) {
        #expect(License(number)?.name == name)
        #expect(License(number)?.url == "https://creativecommons.org/licenses/\(path)/")
    }

    @Test("coordinates 0, 0 are none")
    func nullIsland() throws {
        func photo(_ fields: String) throws -> Photo {
            try JSONDecoder().decode(Photo.self, from: Data(#"{"id":"9",\#(fields)}"#.utf8))
        }
        #expect(try photo(#""latitude":0,"longitude":0,"accuracy":0"#).coordinates == nil)
        #expect(try photo(#""latitude":"21.03","longitude":105.8"#).coordinates?.latitude == 21.03)
        #expect(try photo(#""latitude":"","longitude":105.8"#).coordinates == nil)
    }

    @Test(
        "a description becomes text",
        arguments: [
            ("A <b>bold</b> &amp; <i>plain</i> walk", "A bold & plain walk"),
            ("&#8230;\u{20}\nLeer m&#xE1;s &ndash; Ver&nbsp;V&iacute;deo", "…\nLeer más – Ver Vídeo"),
            ("one<br/>two<p>three</p>", "one\ntwo\nthree"),
            ("a\n\n\n\nb\n", "a\n\nb"),
            ("1 < 2 & 3 > 2 &unknown; &#0; &amp", "1 < 2 & 3 > 2 &unknown; &#0; &amp"),
            ("<", "<"), ("   ", ""), ("&lt;b&gt;", "<b>"),
        ])
    func plain(html: String, text: String) {
        #expect(plainText(ofHTML: html) == text)
    }
}
