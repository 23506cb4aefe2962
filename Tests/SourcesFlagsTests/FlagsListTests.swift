import Model
import SourceKit
import Testing

@testable import SourcesFlags

@Suite(.timeLimit(.minutes(1)))
struct FlagsListTests {
    @Test("without options: every country of ISO 3166-1 with its English name, at flagcdn.com")
    func everything() async throws {
        let page = try await list("type: flags")
        let germany = try #require(page.items.first { $0.key == "de" })
        #expect(page.items.count == 249)
        #expect(germany.url == "https://flagcdn.com/w320/de.png")
        #expect(germany.title == "Germany")
        #expect(germany.section == "Europe")
        #expect(germany.fields == ["code": "de", "CODE": "DE", "code3": "deu"])
        #expect(page.items.map(\.title).contains("Côte d’Ivoire"))
        #expect(page.warnings.isEmpty)
    }

    @Test("one collection, which says how many items it has")
    func collection() async throws {
        let page = try await list("exclude: [aq, bv]")
        let collection = try #require(page.collections.first)
        #expect(page.collections.count == 1)
        #expect(collection.key == "flags")
        #expect(collection.title == "Flags")
        #expect(collection.expected == 247)
        #expect(page.items.allSatisfy { $0.collection == "flags" })
    }

    @Test("keys and titles are unique")
    func unique() async throws {
        let items = try await list("type: flags").items
        #expect(Set(items.map(\.key)).count == items.count)
        #expect(Set(items.map(\.title)).count == items.count)
    }

    @Test("the list is complete after one page, and can be begun again")
    func pages() async throws {
        let source = try makeSource("countries: [de]")
        for _ in 1...2 {
            var pages = source.pages()
            #expect(try await pages.next()?.items.map(\.key) == ["de"])
            #expect(try await pages.next() == nil)
        }
    }

    @Test(
        "countries and exclude choose, in either case, each country once",
        arguments: [
            ("countries: [fr, DE, de]", ["fr", "de"]),
            ("countries: [de, fr, it]\nexclude: [FR]", ["de", "it"]),
            // YAML 1.2: no is a text, here Norway.
            ("countries: [no]", ["no"]),
            ("countries: [de]\nexclude: [de]", []),
            ("countries: []", []),
        ])
    func selection(options: String, keys: [String]) async throws {
        #expect(try await list(options).items.map(\.key) == keys)
    }

    @Test(
        "the URL has the code wherever its field is",
        arguments: [
            ("http://127.0.0.1:8080/{code}.png", "http://127.0.0.1:8080/de.png"),
            ("https://flagsapi.com/{CODE}/flat/64.png", "https://flagsapi.com/DE/flat/64.png"),
            ("HTTPS://example.org/{code3}/{code3}.svg?country={CODE}", "HTTPS://example.org/deu/deu.svg?country=DE"),
            ("https://{code}.example.org/flag.png", "https://de.example.org/flag.png"),
        ])
    func template(url: String, expected: String) async throws {
        #expect(try await list("url: \(url)\ncountries: [de]").items.map(\.url) == [expected])
    }

    @Test(
        "names and their order are those of the language",
        arguments: [
            ("en", ["Åland Islands", "Albania", "Austria", "South Africa", "Sweden"]),
            ("de", ["Ålandinseln", "Albanien", "Österreich", "Schweden", "Südafrika"]),
            // Å and Ö are letters of their own in Swedish, behind Z.
            ("sv", ["Albanien", "Sverige", "Sydafrika", "Åland", "Österrike"]),
            ("vi", ["Albania", "Áo", "Nam Phi", "Quần đảo Åland", "Thụy Điển"]),
        ])
    func languages(language: String, titles: [String]) async throws {
        let page = try await list("language: \(language)\ncountries: [at, ax, al, se, za]")
        #expect(page.items.map(\.title) == titles)
    }

    @Test(
        "a language may come with script and region, in either case",
        arguments: [
            ("zh-Hant", "德國"), ("zh-Hans", "德国"), ("zh-TW", "德國"), ("ZH_hant_tw", "德國"), ("sr-Latn", "Nemačka"),
            ("pt-BR", "Alemanha"), ("es-419", "Alemania"), ("de-Latn-US", "Deutschland"), ("no", "Tyskland"),
        ])
    func tags(tag: String, name: String) async throws {
        #expect(try await list("language: \(tag)\ncountries: [de]").items.map(\.title) == [name])
    }

    @Test("a name that a language lacks is English, whatever the machine's language")
    func fallback() async throws {
        #expect(
            try await list("language: haw\ncountries: [de, ch]").items.map(\.title) == ["Kelemānia", "Switzerland"])
    }

    @Test("images at {title}.{extension}, unless the job says otherwise")
    func defaults() {
        #expect(FlagsSource.info.type == "flags")
        #expect(FlagsSource.info.path == "{title}.{extension}")
        #expect(FlagsSource.info.expects == [.image])
        #expect(FlagsSource.info.templateFields.map(\.name) == ["code", "CODE", "code3"])
    }

    private func list(_ yaml: String) async throws -> Page {
        var pages = try makeSource(yaml).pages()
        return try #require(try await pages.next())
    }
}
