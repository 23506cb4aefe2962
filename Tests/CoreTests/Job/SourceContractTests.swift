import HTTP
import TestSupport
import Testing
import YAML

@testable import Model
@testable import SourceKit

/// The contract that every source is held to, and that it sees who breaks it.
@Suite("The contract of sources", .timeLimit(.minutes(1)))
struct SourceContractTests {
    @Test(
        "the source of the tests keeps to it",
        arguments: [
            "items: [{url: \"http://h/a\"}, {url: \"http://h/b\", collection: other}, {key: c, url: \"ftp://h\", invalid: no}]",
            "template: \"http://h/{n}\"\ncount: 2500\npage: 700",
            "index: \"http://h/index\"\ntemplate: \"http://h/{n}\"\ncount: 1",
        ])
    func listSource(_ options: String) async throws {
        let contract = SourceContract(
            ListSource.self, options: options, faults: ["count: many", "items: [{size: big}]"]
        ) { url in
            FetchedReply(status: 200, url: url, headers: HTTPHeaders(), body: [])
        }
        #expect(try await contract.violations() == [])
    }

    @Test("what breaks it is named")
    func unruly() async throws {
        let violations = try await SourceContract(UnrulySource.self, options: "", faults: ["count: 5"]).violations()
        for part in [
            "sound options have a fault", "no fault is found in count: 5", "is no plain word",
            "the summary is no phrase",
            "the template of paths is faulty", "{title} is every source's already",
            "'b' comes before its collection 'late'",
            "the key 'a' is listed twice", "the collection 'all' is listed twice", "'c' can't be asked for",
            "'a' has the template fields []", "'c' has a digest that is none", "at no place of the map",
            "two listings have other keys",
        ] {
            #expect(violations.contains { $0.contains(part) }, "\(part): \(violations)")
        }
    }
}

/// A source that does all that a source must not do.
private struct UnrulySource: Source {
    struct Options: Sendable {
        var count = 0
        var word: String?
    }

    static let info = SourceInfo<Options>(
        type: "Un ruly", summary: "Lists.", path: "/{nothing}", expects: [.any],
        templateFields: [TemplateField(name: "title", help: "again")], defaults: Options(),
        fields: FieldTable([
            .optional("count", \.count, default: "0", help: "how many"),
            .required("word", \.word, help: "what is not given"),
        ]),
        validate: { options, _, context in
            if options.count == 5 { context = DecodingContext() }
        })

    private let context: SourceContext

    init(options: Options, context: SourceContext) { self.context = context }

    func pages() -> FixedPages {
        let key = "k\(UInt64.random(in: 0 ... .max))"
        func item(_ key: String, in collection: String = "all", url: String = "http://h/") -> ListedItem {
            ListedItem(collection: collection, key: key, url: url, title: key)
        }
        var faulty = item("c", url: "nowhere")
        faulty = faulty.with(sha256: "abc")
        let all = ListedCollection(key: "all", title: "All", latitude: 91, longitude: 0)
        return FixedPages(
            [Page(collections: [all, all], items: [item("a"), item("a"), item("b", in: "late"), faulty, item(key)])],
            failure: nil, gate: nil)
    }

}
