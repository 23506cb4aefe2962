import Testing

@testable import Model
@testable import Storage

/// Rendering templates into stems, and stems into paths.
@Suite("Templates of paths", .timeLimit(.minutes(1)))
struct PathTemplateTests {
    private func path(_ template: String, _ values: [String: String], extension type: String = "png") throws -> String {
        let stem = try PathTemplate(template, fields: []).render { values[$0] ?? "" }
        return PathTemplate.path(stem: stem, extension: type)
    }

    @Test(
        "values become safe components of their own",
        arguments: [
            ("{title}.{extension}", "A/B", "A_B.png"), ("{title}.{extension}", "..", "_.png"),
            ("{title}.{extension}", ".hidden", "_hidden.png"), ("{title}.{extension}", "end. . ", "end.png"),
            ("{title}.{extension}", "", "_.png"), ("{title}", "a.{b}", "a.{b}"), ("x/{title}/y", "..", "x/_/y"),
            ("{title}{title}", ".", "__"), ("{extension}/{title}", "a", "png/a"),
            ("{title}.{extension}.bak", "a", "a.png.bak"),
            ("{title}", "a\u{1}b", "a_b"), ("{title}.{extension}", "\u{1}", "_.png"), ("a {title}", "", "a _"),
        ])
    func safety(_ template: String, _ title: String, _ expected: String) throws {
        #expect(try path(template, ["title": title]) == expected)
    }

    @Test(
        "a date is written as its format says, whose slashes make folders; what is no date is _",
        arguments: [
            ("{metadata.d:%Y/%m}/x", "2011-03-20 17:00:05", "2011/03/x"),
            ("{metadata.d:%Y-%j}", "2024-12-31", "2024-366"),
            ("{metadata.d:%H.%M.%S}", "2011-03-20T17:00:05+02:00", "17.00.05"),
            ("{metadata.d:%y%%}", "2011:03:20", "11%"),
            ("a {metadata.d:%d}", "1581319011", "a 10"), ("{metadata.d:%Y-%m-%d}", "1581319011000000", "2020-02-10"),
            ("{metadata.d:%Y-%m-%d}", "20240229", "2024-02-29"), ("{metadata.d:%Y}", "20240230", "_"),
            ("{metadata.d:%d %H.%M.%S}", "20240229235958", "29 23.59.58"), ("{metadata.d:%d}", "20240229T2359Z", "29"),
            ("{metadata.d:%Y}", "2024-02-29, 2023-01-01", "_"), ("{metadata.d:%Y}", "20240229, 20230101", "_"),
            ("{metadata.d:%Y}", "2024-02-29 12:00:60", "_"), ("{metadata.d:%Y}", "2024-02-29 24:00", "_"),
            ("{metadata.d:%S}", "2024-02-29T12:00:05.123456Z", "05"),
            ("{metadata.d:%S}", "2024-02-29 12:00:05,5 UTC", "05"),
            ("{metadata.d:%S}", "2024-02-29 12:00:05 +0100", "05"), ("{metadata.d:%Y}", "2024-02-29+01:00", "2024"),
            ("{metadata.d:%Y}", "2024-02-29 or so", "_"), ("{metadata.d:%Y}", "0000-01-01", "_"),
            ("{metadata.d:%Y}", "1581319011.5", "2020"), ("{metadata.d:%Y}", "123456789", "1973"),
            ("{metadata.d:%Y}", "158131901100", "1975"), ("{metadata.d:%Y}", "1234567", "_"),
            ("{metadata.d:%Y}", "2023-02-29", "_"), ("{metadata.d:%Y/%m}", "yesterday", "_/_"),
            ("{metadata.d:%Y}", "9223372036854775807", "_"), ("{metadata.d:%Y}", "2011\u{0}-03-20", "_"),
            ("{metadata.d}", "2011", "2011"), ("{metadata.d:%Y}/{title}.{extension}", "1999-01-01", "1999/_.png"),
        ])
    func dates(_ template: String, _ value: String, _ expected: String) throws {
        #expect(try path(template, ["metadata.d": value]) == expected)
    }

    @Test(
        "a format is refused where no date is, and so are letters that are none",
        arguments: [
            "{title:%Y}", "{metadata.d:%Q}", "{metadata.d:}", "{metadata.d:Y}", "{metadata.d:%Y/}", "{metadata.d:%",
            "{metadata.d:%Y.{extension}", "{metadata.d:%Y/%m.{extension}", "{metadata.d.{extension}",
            "a{metadata.d:%Y{title}",
        ])
    func wrongFormats(_ template: String) {
        #expect(throws: TemplateError.self) { try PathTemplate(template, fields: []) }
    }

    @Test("long names are cut at a character, each component to 200 bytes and the extension after them")
    func longNames() throws {
        let long = String(repeating: "ä", count: 150)
        let cut = String(repeating: "ä", count: 100)
        #expect(try path("{title}/{title}.{extension}", ["title": long]) == "\(cut)/\(cut).png")
        let both = try path("{title}{title}", ["title": long])
        #expect(both.utf8.count <= 200)
        #expect(try path("{title}{extension}{title}", ["title": long]).utf8.count <= 200)
    }

    @Test(
        "numbers go before the extension",
        arguments: [
            ("{title}.{extension}", "a", "a (2).png"), ("x.y/{title}.{extension}", "a", "x.y/a (2).png"),
            ("{title}", "a.jpeg", "a (2).jpeg"), ("{title}", "Vol. 3", "Vol. 3 (2)"), ("{title}", "a", "a (2)"),
            ("{title} {extension}", "a", "a png (2)"), ("d.jpg/{title}", "a", "d.jpg/a (2)"),
        ])
    func numbering(_ template: String, _ title: String, _ expected: String) throws {
        let stem = try PathTemplate(template, fields: []).render { $0 == "title" ? title : "" }
        #expect(PathTemplate.path(stem: PathTemplate.numbered(stem: stem, 2), extension: "png") == expected)
    }

    @Test("stems that a file system without case would confuse have one hash, others have not")
    func hashes() {
        for (left, right) in [
            ("Straße", "STRASSE"), ("STRAẞE", "straße"), ("É", "é"), ("a/B", "A/b"), ("ﬁ", "FI"), ("ﬃ", "ffi"),
            ("Σ", "ς"), ("İ", "i\u{307}"), ("ǰ", "J\u{30C}"), ("ŉ", "ʼN"), ("ſ", "S"), ("\u{212A}", "k"),
            ("\u{AB70}", "\u{13A0}"), ("ᾳ", "ΑΙ"), ("և", "ԵՒ"), ("µ", "Μ"),
        ] {
            #expect(pathHash(left) == pathHash(right), "\(left) \(right)")
        }
        #expect(pathHash("ı") != pathHash("i"))
        #expect(pathHash("a") != pathHash("b"))
        #expect(pathHash("e") != pathHash("é"))
        // The same in every run: FNV-1a's own test values.
        #expect(pathHash("") == Int64(bitPattern: 0xCBF2_9CE4_8422_2325))
        #expect(pathHash("a") == Int64(bitPattern: 0xAF63_DC4C_8601_EC8C))
        #expect(pathHash("foobar") == Int64(bitPattern: 0x8594_4171_F739_67E8))
    }
}
