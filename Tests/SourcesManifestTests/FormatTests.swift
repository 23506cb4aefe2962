import Model
import TestSupport
import Testing

@Suite("Lists in every form", .timeLimit(.minutes(1)))
struct FormatTests {
    private static let expected = ["http://a.example/1.jpg", "http://a.example/2.jpg"]

    @Test(
        "a list is known by its bytes, and by its name where they leave a choice",
        arguments: [
            ("list.json", #"["http://a.example/1.jpg", "http://a.example/2.jpg"]"#),
            ("list", #" [ {"url": "http://a.example/1.jpg"} , "http:\/\/a.example\/2.jpg" ] "#),
            ("list.json", "\u{FEFF}[\r\n\"http://a.example/1.jpg\",\r\n\"http://a.example/2.jpg\",\r\n]\r\n"),
            ("list.json", "\"http://a.example/1.jpg\"\n{\"url\": \"http://a.example/2.jpg\"}\n"),
            ("list.jsonl", "\n{\"url\": \"http://a.example/1.jpg\"}\r\n\r\n{\"url\": \"http://a.example/2.jpg\"}"),
            ("list.csv", "title,url\nOne,http://a.example/1.jpg\n\"Two, or so\",http://a.example/2.jpg\n"),
            ("list", "URL;Title\r\n\"http://a.example/1.jpg\";\"\"\"One\"\"\"\r\nhttp://a.example/2.jpg;Two\r\n"),
            ("list.tsv", "size\turl\n\thttp://a.example/1.jpg\n\thttp://a.example/2.jpg"),
            ("list.txt", "# two\n\n  http://a.example/1.jpg \r\nhttp://a.example/2.jpg"),
            ("list", "http://a.example/1.jpg\nhttp://a.example/2.jpg\n"),
            ("url", "url\nhttp://a.example/1.jpg\nhttp://a.example/2.jpg\n"),
        ])
    func forms(name: String, text: String) async throws {
        let listing = try await Listing(name, text)
        #expect(listing.urls == Self.expected)
        #expect(listing.keys == Self.expected.map { "\(name)#\($0)" })
        #expect(listing.invalid == [])
    }

    @Test("an object says more of its item than a URL does")
    func objects() async throws {
        let digest = String(repeating: "aB", count: 32)
        let listing = try await Listing(
            "list.json",
            """
            [{"url": "http://a.example/1.jpg?x=1", "title": "Eins", "path": "a/b/1.jpg", "size": 12, "sha256": "\(digest)",
              "headers": {"X-B": "2", "X-A": "1"}, "unknown": [{"url": "x"}, "]"]}]
            """)
        let item = try #require(listing.items.first)
        #expect(item.title == "Eins")
        #expect(item.fields == ["path": "a/b/1.jpg"])
        #expect(item.size == 12)
        #expect(item.sha256 == digest)
        #expect(item.headers.map { "\($0.name): \($0.value)" } == ["X-A: 1", "X-B: 2"])
    }

    @Test("what an object or a row says beside that is metadata; what is nested or too long is not kept whole")
    func metadata() async throws {
        let long = String(repeating: "đ", count: 3_000)
        let json = try await Listing(
            "list.json",
            #"[{"url": "http://a.example/1.jpg", "artist": "Bùi {x}", "year": 1931, "half": 0.5, "open": true, "none": null, "#
                + #""tags": ["a", 2], "deep": {"a": 1}, "nest": [["b"]], "long": "\#(long)"}, "http://a.example/2.jpg"]"#
        )
        #expect(
            json.items.first?.metadata == [
                "artist": .text("Bùi {x}"), "year": .integer(1931), "half": .number(0.5), "open": .flag(true),
                "tags": .list(["a", "2"]), "long": .text(String(repeating: "đ", count: 2_048)),
            ])
        #expect(json.items.last?.metadata == [:])
        let rows = try await Listing("l.csv", "url,Artist,Note\nhttp://a.example/1.jpg,Bùi,\n")
        #expect(rows.items.first?.metadata == ["Artist": .text("Bùi")])
    }

    @Test("a row of a CSV file says as much")
    func rows() async throws {
        let digest = String(repeating: "0", count: 64)
        let listing = try await Listing(
            "l.csv",
            "sha256,path,note,size,title,url\n\(digest),p/q.png,n,7,\"A\nB\",http://a.example/\n,,,,,http://b.example/x"
        )
        #expect(listing.items.map(\.title) == ["A\nB", "x"])
        #expect(listing.items.map(\.size) == [7, nil])
        #expect(listing.items.map(\.sha256) == [digest, nil])
        #expect(listing.items.map { $0.fields["path"] } == ["p/q.png", "x"])
    }

    @Test(
        "a broken element is an item that says where and why, and the rest goes on",
        arguments: [
            (#"["http://a/1", oops, "http://a/2"]"#, ["1: it is not valid JSON"]),
            (#"["http://a/1", 7, "http://a/2"]"#, ["1: it is neither a URL nor an object"]),
            (
                #"["http://a/1", null, ["http://x"], "http://a/2"]"#,
                ["1: it is neither a URL nor an object", "2: it is neither a URL nor an object"]
            ),
            (#"["http://a/1", {"uri": "http://x"}, "http://a/2"]"#, ["1: it has no 'url'"]),
            (#"["http://a/1", {"url": null}, "http://a/2"]"#, ["1: its 'url' is null"]),
            (
                #"["http://a/1", {"url": "http://x", "size": "big"}, "http://a/2"]"#,
                ["1: its size is not a whole number from 0 to 2^53"]
            ),
            (
                #"["http://a/1", {"url": "http://x", "size": -1}, "http://a/2"]"#,
                ["1: its size is not a whole number from 0 to 2^53"]
            ),
            (
                #"["http://a/1", {"url": "http://x", "sha256": "abc"}, "http://a/2"]"#,
                ["1: its sha256 is not of 64 hexadecimal digits"]
            ),
            (
                #"["http://a/1", {"url": "http://x", "headers": {"a b": "c"}}, "http://a/2"]"#,
                ["1: its header 'a b' can't be sent"]
            ),
            (#"["http://a/1", {"url": "http://x"], "http://a/2"]"#, ["1: it is not valid JSON"]),
            (#"["http://a/1",, "http://a/2"]"#, ["1: nothing between two commas"]),
            ("[\"http://a/1\", \"http://x,\n\"http://a/2\"]", ["1: it is not valid JSON"]),
            (#"["http://a/1", "ftp://x/y", "http://a/2"]"#, ["1: only http and https are fetched, not ftp"]),
            (#"["http://a/1", "/2.jpg", "http://a/2"]"#, ["1: the URL does not begin with http:// or https://"]),
            (#"["http://a/1", "", "http://a/2"]"#, ["1: the URL is empty"]),
            (#"["http://a/1", "http://a/2""#, ["2: the list ends without its ]"]),
            (#"["http://a/1", "http://a/2"] and more"#, ["2: something follows the end of the list"]),
        ])
    func brokenElements(text: String, faults: [String]) async throws {
        let listing = try await Listing("l.json", text)
        let expected = faults.map { fault in
            let index = fault.prefix { $0 != ":" }
            // People count from 1.
            let number = (Int(index) ?? 0) + 1
            return "l.json#@\(index): element \(number) of l.json\(fault.dropFirst(index.count))"
        }
        #expect(listing.invalid == expected)
        let sound = listing.items.filter { $0.invalid == nil }.map(\.url)
        // A missing quote takes the element behind it along.
        #expect(sound == (text.contains("\n") ? ["http://a/1"] : ["http://a/1", "http://a/2"]))
        #expect(listing.failure == nil)
    }

    @Test(
        "so in the other forms, told by the line or the row of the file",
        arguments: [
            ("l.jsonl", "\"http://a/1\"\n{\"url\": \n\"http://a/2\"", ["1: line 2: it is not valid JSON"]),
            (
                "l.csv", "url,size\nhttp://a/1,\n,3\nhttp://x,y\nhttp://a/2,4",
                [
                    "1: row 2: it has nothing in the column 'url'",
                    "2: row 3: its size is not a whole number from 0 to 2^53",
                ]
            ),
            (
                "l.txt", "# two\nhttp://a/1\n\nsee below\nhttp://a/2",
                ["1: line 4: the URL does not begin with http:// or https://"]
            ),
        ])
    func brokenLines(name: String, text: String, faults: [String]) async throws {
        let listing = try await Listing(name, text)
        let expected = faults.map { fault in
            let parts = fault.split(separator: ": ", maxSplits: 2)
            return "\(name)#@\(parts[0]): \(parts[1]) of \(name): \(parts[2])"
        }
        #expect(listing.invalid == expected)
        #expect(listing.items.filter { $0.invalid == nil }.map(\.url) == ["http://a/1", "http://a/2"])
    }

    @Test(
        "what is no list for the most part is one failure",
        arguments: [
            ("l.json", "[" + Array(repeating: "1", count: 1_500).joined(separator: ",") + "]", 100, 100),
            ("l.txt", "http://a/1\n" + String(repeating: "some words\n", count: 20_000), 99, 100),
            ("l.jsonl", "\"http://a/1\"\n" + String(repeating: "{}\n", count: 11), 11, 12),
        ])
    func noList(name: String, text: String, count: Int, of sample: Int) async throws {
        let reason = "\(count) of its first \(sample) elements are no URLs (the first: "
        // A file by itself can't be listed; in a ZIP file the others go on.
        let listing = try await Listing(name, text)
        #expect(listing.failure?.hasPrefix("\(name): \(reason)") == true)
        #expect(listing.items.isEmpty)
        let zip = try await Listing(zip: [name: text, "other.json": #"["http://a/1"]"#], options: "include: '*'")
        #expect(zip.items.map(\.key) == ["\(name)#@0", "other.json#http://a/1"])
        #expect(zip.invalid.first?.hasPrefix("\(name)#@0: \(name) can't be read: \(reason)") == true)
        #expect(zip.pages.contains { $0.incomplete.contains(name) })
    }

    @Test("a few elements that are no URLs, or URLs of another kind, are each told of")
    func mostlyFaulty() async throws {
        #expect(try await Listing("l.json", "[1,2,3]").invalid.count == 3)
        let text = (0..<50).map { "ftp://a/\($0)" }.joined(separator: "\n") + "\nhttp://a/1"
        let listing = try await Listing("l.txt", text)
        #expect(listing.invalid.count == 50)
        #expect(listing.failure == nil)
    }

    @Test("an element without end costs no memory, and no other list")
    func endless() async throws {
        let text = "[\"http://a/1\", \"" + String(repeating: "x", count: 200_000) + "\", \"http://a/2\"]"
        let listing = try await Listing("l.json", text)
        #expect(listing.invalid == ["l.json#@1: element 2 of l.json: it is over 65536 bytes"])
        #expect(listing.items.count == 3)
    }

    @Test("lines are read over the ends of chunks, and one without end fails alone")
    func longLines() async throws {
        let urls = (0..<3_000).map { "http://a/\($0)/" + String(repeating: "x", count: $0 % 50) }
        let text = urls.joined(separator: " \r\n\n") + "\n" + String(repeating: "x", count: 200_000) + "\nhttp://a/last"
        let listing = try await Listing("l.txt", text)
        #expect(listing.items.filter { $0.invalid == nil }.map(\.url) == urls + ["http://a/last"])
        #expect(listing.invalid == ["l.txt#@3000: line 6000 of l.txt: it is over 65536 bytes"])
    }

    @Test(
        "what is no list fails, by itself the whole listing",
        arguments: [
            ("l.json", "", "it is empty"), ("l.json", " \n", "it is empty"), ("l.json", "hello", "it is not JSON"),
            ("l.json", "<html>", "it is not JSON"),
            ("l.json", "{\n\"urls\": []\n}", "it is JSON, but no array, and no object with a 'url'"),
            ("l", "{\"error\": \"no such key\"}", "it is JSON, but no array, and no object with a 'url'"),
            ("l", "<!doctype html>http://", "it is a page or another document in markup"),
            ("l", "\u{0}\u{1}", "it is no text"), ("l.csv", "a,b\nc,d", "its header has no column 'url'"),
            ("l", "some words", "it is neither JSON, nor CSV with a column 'url', nor text with a URL a line"),
        ])
    func noList(name: String, text: String, reason: String) async throws {
        let listing = try await Listing(name, text)
        #expect(listing.failure == "\(name): \(reason)")
        #expect(listing.items.isEmpty)
    }

    @Test("an empty array is a list of nothing")
    func nothing() async throws {
        let listing = try await Listing("l.json", "[]")
        #expect(listing.failure == nil)
        #expect(listing.collections.map(\.key) == ["l.json"])
        #expect(listing.items.isEmpty)
    }

    @Test("no byte of damage ends the program, and every element has its item")
    func damage() async throws {
        let seed = Array(
            #"["http://a/1", {"url": "http://a/2", "title": "ü\u0041", "headers": {"a": "b"}}, "\\\"", [1], null]"#.utf8
        )
        var state: UInt64 = 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for name in ["l.json", "l.jsonl", "l.csv", "l.txt", "l"] {
            for _ in 0..<40 {
                var bytes = seed
                for _ in 0...random(4) { bytes[random(bytes.count)] = Array("[]{},\"\\\n:x\u{0}".utf8)[random(11)] }
                let listing = try await Listing(name, Array(bytes.prefix(random(bytes.count + 1))))
                #expect(Set(listing.keys).count == listing.items.count)
            }
        }
    }
}
