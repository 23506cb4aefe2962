import Model
import SourceKit
import SourcesManifest
import TestSupport
import Testing
import YAML

@Suite("Manifests", .timeLimit(.minutes(1)))
struct ManifestTests {
    private static let one = #"["http://a/1"]"#

    @Test("a ZIP file's lists in the order in which people count, without the folder they share")
    func order() async throws {
        let listing = try await Listing(zip: [
            "JSON files updated/": "", "JSON files updated/images10.json": Self.one,
            "JSON files updated/images2.json": Self.one, "JSON files updated/more/Images1.json": Self.one,
        ])
        #expect(listing.collections.map(\.key) == ["images2.json", "images10.json", "more/Images1.json"])
        #expect(listing.collections.map(\.title) == ["images2", "images10", "more/Images1"])
        #expect(
            listing.keys == ["images2.json#http://a/1", "images10.json#http://a/1", "more/Images1.json#http://a/1"])
    }

    @Test("what systems add on their own is passed over, and what include does not name")
    func included() async throws {
        let files: KeyValuePairs = [
            "__MACOSX/x/._a.json": "x", "x/.DS_Store": "x", "x/.hidden/a.json": Self.one, "x/a.json": Self.one,
            "x/b.csv": "url\nhttp://a/2", "x/readme.txt": "hello",
        ]
        #expect(try await Listing(zip: files).keys == ["a.json#http://a/1"])
        let two = try await Listing(zip: files, options: "include: [\"*.json\", \"x/*.csv\"]")
        #expect(two.keys == ["a.json#http://a/1", "b.csv#http://a/2"])
        let none = try await Listing(zip: files, options: "include: \"*.xml\"")
        #expect(none.items.isEmpty)
        #expect(none.warnings.count == 1)
        #expect(none.warnings.first?.hasPrefix("lists.zip: no entry matches include (*.xml)") == true)
    }

    @Test("an entry that is no list fails its collection, and the others go on")
    func brokenEntry() async throws {
        let listing = try await Listing(zip: ["a.json": "oh no", "b.json": Self.one])
        #expect(listing.invalid == ["a.json#@0: a.json can't be read: it is not JSON"])
        #expect(listing.keys == ["a.json#@0", "b.json#http://a/1"])
        #expect(listing.failure == nil)
    }

    @Test("an entry that can't be trusted fails by the name of its fault, and the others go on")
    func hostileEntry() async throws {
        var secret = ZipFile.Entry("a.json", Self.one)
        secret.flags |= 1
        var damaged = ZipFile.Entry("b.json", Self.one)
        damaged.checksum = 7
        let listing = try await Listing(
            "lists.zip", ZipFile([secret, damaged, ZipFile.Entry("c.json", Self.one)]).bytes)
        #expect(listing.items.last?.key == "c.json#http://a/1")
        #expect(listing.invalid.first == "a.json#@0: a.json can't be read: encrypted: entry 'a.json' needs a password")
        #expect(listing.invalid.last?.contains("damaged data") == true)
    }

    @Test("a name that leads out of its folder is read, and told")
    func traversal() async throws {
        let listing = try await Listing(zip: ["../../evil.json": Self.one])
        #expect(listing.keys == ["evil.json#http://a/1"])
        #expect(
            listing.warnings == [
                "lists.zip: the name of entry '../../evil.json' leads out of its folder; it is read, since names are no paths here"
            ])
    }

    @Test(
        "what is wrong with the file as a whole ends the listing by its name",
        arguments: [
            ("max_entries: 1", "lists.zip: too many entries: 2 entries, at most 1 are allowed"),
            ("max_total_size: 20", "lists.zip: the lists have 28 bytes together, over max_total_size"),
        ])
    func limits(options: String, failure: String) async throws {
        let listing = try await Listing(zip: ["a.json": Self.one, "b.json": Self.one], options: options)
        #expect(listing.failure == failure)
    }

    @Test("a file called .zip that is none is said to be none")
    func noArchive() async throws {
        let listing = try await Listing("lists.zip", "<html>")
        #expect(listing.failure?.hasPrefix("lists.zip: not a ZIP file") == true)
        let empty = try await Listing("list.json", Self.one, options: "max_entry_size: 5")
        #expect(empty.failure == "list.json has 14 bytes, over max_entry_size")
    }

    @Test("a file that is missing is told by its path")
    func missing() async throws {
        let context = SourceContext(folder: "/nowhere", now: { 0 }) { _, _, _ in throw TestSupportError("asked") }
        var pages = try ManifestSource(options: decode("url: lists.zip").options, context: context).pages()
        let error = await #expect(throws: (any Error).self) { try await pages.next() }
        #expect(error.map { "\($0)" } == "cannot read /nowhere/lists.zip: No such file or directory")
    }

    @Test("repeats within a list have numbers, whatever else the list has")
    func repeats() async throws {
        let listing = try await Listing(
            zip: [
                "a.json": #"["http://a/1", "http://a/1#2", "http://a/1", "http://a/2", "http://a/1", "http://a/2"]"#,
                "b.json": Self.one,
            ])
        #expect(
            listing.keys == [
                "a.json#http://a/1", "a.json#http://a/1#2", "a.json#http://a/1#3", "a.json#http://a/2",
                "a.json#http://a/1#4",
                "a.json#http://a/2#2", "b.json#http://a/1",
            ])
    }

    @Test("so in a long list: each second half of a pair has its number, and nothing else has one")
    func manyRepeats() async throws {
        let urls = (0..<10_000).map { "http://a/\($0)" }
        let listing = try await Listing("l.txt", (urls + urls.reversed()).joined(separator: "\n"))
        #expect(listing.keys == urls.map { "l.txt#\($0)" } + urls.reversed().map { "l.txt#\($0)#2" })
    }

    @Test(
        "a URL is kept as it is written",
        arguments: [
            ("http://h.example/a b/c%20d.jpg?x=y z", "c d.jpg"),
            ("http://mrcdn.info/http://h.mfcdn.net/store/manga/9563/237.0/compressed/j001.jpg", "j001.jpg"),
            ("http://bücher.example/über.png", "über.png"), ("http://h.example/noextension", "noextension"),
            ("http://h.example/", "h.example"), ("https://h.example/%E4%B8%83.pdf#page=2", "七.pdf"),
        ])
    func written(url: String, title: String) async throws {
        let item = try #require(try await Listing("l.txt", url).items.first)
        #expect(item.url == url)
        #expect(item.key == "l.txt#\(url)")
        #expect(item.title == title)
        #expect(item.invalid == nil)
    }

    @Test("a long list comes in pages, and two listings are the same")
    func pages() async throws {
        let text = "[" + (0..<2_500).map { "\"http://a/\($0)\"" }.joined(separator: ",\n") + "]"
        let first = try await Listing("l.json", text)
        #expect(first.pages.map { $0.collections.count + $0.items.count } == [125, 250, 500, 1_000, 626])
        #expect(first.items.count == 2_500)
        #expect(try await Listing("l.json", text).keys == first.keys)
    }

    @Test(
        "a fault of the options says what is wrong",
        arguments: [
            ("include: a", "the key 'url' is missing in source"), ("url: \"\"", "url must not be empty"),
            ("url: ftp://a/b", "url can't be asked for: only http and https are fetched, not ftp"),
            ("url: file:///a", "url must be an http or https URL or a path"),
            ("url: a.zip\ninclude: []", "include must have a pattern"),
            ("url: a.zip\nmax_entries: 0", "max_entries must be 1 to 65535000"),
            ("url: a.zip\nmax_ratio: 3000", "max_ratio must be 1 to 2000"),
            ("url: a.zip\nmax_entry_size: 0", "max_entry_size must be over 0"),
            ("url: a.zip\nlimit: 3", "unknown key 'limit' in source"),
        ])
    func faults(yaml: String, message: String) {
        #expect(decode(yaml).faults.map(\.message) == [message])
        #expect(decode(yaml).faults.allSatisfy { $0.mark != nil })
    }

    @Test("the defaults and examples that the table documents are valid")
    func documentation() {
        for option in ManifestSource.info.fields.documentation {
            let others = option.name == "url" ? "" : "\nurl: a.zip"
            if let text = option.default { #expect(decode("\(option.name): \(text)\(others)").faults.isEmpty) }
            if let text = option.example { #expect(decode("\(option.name): \(text)\(others)").faults.isEmpty) }
        }
    }
}
