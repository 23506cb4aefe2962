import HTTP
import Model
import SourceKit
import TestSupport
import Testing

@testable import SourcesMuseum

@Suite("The source museum", .timeLimit(.minutes(1)))
struct MuseumTests {
    /// An API with two pages, of which some may be broken.
    private static func answer(_ url: String, broken: String = "no") -> FetchedReply {
        let replies = [
            "about": #"{"name":"Museum of Things"}"#,
            "objects?page=1":
                #"{"pages":2,"objects":[{"id":1,"title":"Vase","image":"https://a.example/1","year":1931}]}"#,
            "objects?page=2": #"{"pages":2,"objects":[{"id":2,"title":"Bowl","image":"https://a.example/2"}]}"#,
        ]
        let what = url.split(separator: "/").last.map(String.init) ?? ""
        let body = what == broken ? "<html>" : replies[what]
        return FetchedReply(status: body == nil ? 404 : 200, url: url, body: Array((body ?? "").utf8))
    }

    @Test("the list keeps to the contract, and faults have their places")
    func contract() async throws {
        let contract = SourceContract(
            MuseumSource.self, options: "url: https://museum.example/api\ntoken: secret",
            faults: ["url: https://museum.example/api", "token: secret"]
        ) { Self.answer($0) }
        #expect(try await contract.violations() == [])
    }

    @Test("a page that can't be read leaves the list incomplete; the first one ends it")
    func broken() async throws {
        var options = MuseumSource.info.defaults
        options.url = "https://museum.example/api"
        let context = SourceContext(folder: "/", now: { 0 }) { url, _, _ in
            Self.answer(url.text, broken: "objects?page=2")
        }
        var pages = MuseumSource(options: options, context: context).pages()
        #expect(try await pages.next()?.items.map(\.key) == ["1"])
        let last = try #require(try await pages.next())
        #expect(last.incomplete == ["objects"])
        #expect(last.warnings == ["the list ends before page 2: the museum answered objects?page=2 with '<html>'"])
        #expect(try await pages.next() == nil)
    }
}
