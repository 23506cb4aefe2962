import Model
import TestSupport
import Testing

@Suite("Lists of extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
    @Test("a size is a promise that can be kept to, or its element says what is wrong", arguments: extremeNumbers)
    func sizes(_ number: String) async throws {
        let lists = [
            ("l.json", "[{\"url\": \"http://a.example/1\", \"size\": \(number)}, \"http://a.example/2\"]"),
            ("l.jsonl", "{\"url\": \"http://a.example/1\", \"size\": \"\(number)\"}\n\"http://a.example/2\""),
            ("l.csv", "url,size\nhttp://a.example/1,\(number)\nhttp://a.example/2,\n"),
        ]
        for (name, text) in lists {
            let listing = try await Listing(name, text)
            #expect(listing.items.count == 2, "\(name)")
            #expect(listing.failure == nil)
        }
    }

    @Test("an impossible size costs its element, which keeps its URL, however many there are")
    func impossibleSizes() async throws {
        let urls = (1...50).map { "http://a.example/\($0)" }
        for size in ["9223372036854775808", "1e300", "9007199254740993"] {
            let lists = [
                ("l.csv", "url,size\n" + urls.map { "\($0),\(size)\n" }.joined()),
                ("l.json", "[" + urls.map { "{\"url\": \"\($0)\", \"size\": \(size)}" }.joined(separator: ",") + "]"),
            ]
            for (name, text) in lists {
                let listing = try await Listing(name, text)
                #expect(listing.failure == nil)
                #expect(listing.urls == urls)
                #expect(listing.invalid.allSatisfy { $0.hasSuffix("its size is not a whole number from 0 to 2^53") })
                #expect(listing.invalid.count == 50)
            }
        }
    }

    @Test("a ZIP file whose entries say that they have 2^63 bytes is refused, not summed", arguments: [1, 2, 40])
    func archives(_ count: Int) async throws {
        let entries = (1...count).map { number in
            var entry = ZipFile.Entry("\(number).json", "[]")
            entry.claimedLongSize = Int(Int64.max)
            return entry
        }
        let listing = try await Listing("lists.zip", ZipFile(entries).bytes)
        #expect(listing.items.allSatisfy { $0.invalid != nil })
        #expect(listing.failure != nil || !listing.items.isEmpty)
    }
}
