import FoundationEssentials
import Jobs
import Run
import TestSupport
import Testing

@testable import Model

/// Values from the environment are used and never shown.
@Suite("Secrets in runs", .timeLimit(.minutes(1)))
struct SecretTests {
    private let secret = "s3cret+/value"

    @Test("no column, event, file name or part note shows a secret that came with text", arguments: [0, 1, 2])
    func neverShown(_ run: Int) async throws {
        let secret = secret
        let encoded = "s3cret%2B%2Fvalue"
        let body = picture(200_000)
        var bench = try Bench(
            [
                "/redirect": [.redirect(to: "ftp://host/\(secret)")],
                "/broken": [.ok(body, headers: [("ETag", "\"\(1)\"")]).cut(after: 150_000, .close)],
                "/page": [.ok("x", headers: [("Content-Type", "text/\(secret)")])],
            ], transfer: "retries: 0\nheaders: {X-Key: \"${KEY}\"}", environment: ["KEY": secret])
        bench.keepsParts = true
        bench.job.output.template = try PathTemplate(
            "{section}/{key} {title} {name}", fields: [])
        let items = ["/redirect", "/broken", "/page", "/missing", "bad url"].enumerated().map { index, path in
            let item = bench.item(
                path, key: "\(index)", title: "title \(index)", collection: "c")
            return item.with(
                url: path.hasPrefix("/")
                    ? bench.server.url("\(path)?key=\(encoded)&raw=\(secret)") : "ftp://\(secret)/",
                description: secret, section: "s",
                metadata: ["a": .text(secret), "b": .list([secret, "\"\(secret)"])],
                thumbnailURL: "http://me:\(encoded)@h/?\(secret)",
                headers: [ListedHeader(name: "X-Other", value: secret)])
        }
        let collection = ListedCollection(key: "c", title: "c", subtitle: secret, section: "c")
        let page = Page(collections: [collection], items: items, warnings: ["about \(secret)"])
        let failure = run == 2 ? TestSupportError("the list at ?key=\(secret) broke off") : nil
        let report = try await bench.run(.fixed([page], failure: failure))
        #expect(report.items.count == items.count)

        for table in try bench.table("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap({
            $0["name"]?.text
        }) {
            for row in try bench.table("SELECT * FROM \"\(table)\"") {
                for (column, value) in row {
                    #expect(!isShown(value.text ?? ""), "\(table).\(column): \(value)")
                }
            }
        }
        for event in report.events { #expect(!isShown("\(event)"), "\(event)") }
        for file in bench.files { #expect(!isShown(file), "\(file)") }
        for part in bench.parts where part.hasSuffix(".note") {
            let note = String(
                decoding: bench.directory.read("\(bench.outputFolder)/.runner/parts/\(part)") ?? [], as: UTF8.self)
            #expect(!isShown(note), "\(note)")
        }
        #expect(bench.server.requests.contains { $0.target == "/missing?key=\(encoded)&raw=\(secret)" })
        #expect(bench.server.requests.allSatisfy { $0["X-Key"] == secret })
    }

    private func isShown(_ text: String) -> Bool {
        text.contains(secret) || text.contains("s3cret")
    }

    @Test("a server that repeats a secret in a validator leaves it nowhere; it is asked again without a condition")
    func echoed() async throws {
        let echo = [("ETag", "\"\(secret)\""), ("Last-Modified", secret)]
        let big = picture(200_000)
        var bench = try Bench(
            [
                "/a": [.ok(picture(), headers: echo)], "/cut": [.ok(big, headers: echo).cut(after: 150_000, .close)],
            ], transfer: "retries: 0\nheaders: {X-Key: \"${KEY}\"}", environment: ["KEY": secret])
        bench.keepsParts = true
        #expect(try await bench.run("/a", "/cut")["a"].outcome == "downloaded")
        _ = try await bench.run("/a", "/cut")
        #expect(bench.requests("/a").map { $0["If-None-Match"] } == [nil, nil])
        #expect(try bench.table("SELECT * FROM item WHERE etag IS NOT NULL OR last_modified IS NOT NULL") == [])
        let paths = try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path)
        for path in paths where !path.hasSuffix(".yaml") {
            let bytes = bench.directory.read(path) ?? []
            #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(path)")
        }
    }

    @Test("an ordinary value of a variable changes no key, title, path or URL, whatever it is")
    func ordinary() async throws {
        let directory = try TemporaryDirectory()
        var bench = try Bench(
            ["/8.png": [.ok(picture(), headers: [("Cache-Control", "max-age=60")])]],
            keys: "allow_failed: ${N}", environment: ["N": "8"], directory: directory)
        let item = bench.item("/8.png", key: "photo8", title: "photo8").with(url: bench.server.url("/8.png?size=8"))
        _ = try await bench.run([item])
        #expect(bench.files == ["photo8.png"])
        #expect(
            try bench.table("SELECT key, title, url FROM item") == [
                ["key": "photo8", "title": "photo8", "url": .text(bench.server.url("/8.png?size=8"))]
            ])
        bench.job.trust.secrets = Secrets([], ordinary: [("N", "9")])
        let again = try await bench.run([item])
        #expect(try again["photo8"].outcome == "fresh")
        #expect(bench.server.requests.count == 1)
    }

    @Test("a secret never changes a key, a title or a path")
    func names() async throws {
        let bench = try Bench(
            ["/s3cret.png": [.ok(picture())]], keys: "secrets: [KEY]", environment: ["KEY": "s3cret"])
        let item = bench.item("/s3cret.png", key: "s3cret", title: "a s3cret")
        _ = try await bench.run([item])
        #expect(bench.files == ["a s3cret.png"])
        #expect(
            try bench.table("SELECT key, title, path, url FROM item") == [
                [
                    "key": "s3cret", "title": "a s3cret", "path": "a s3cret.png",
                    "url": .text(bench.server.url("/s3cret.png")),
                ]
            ])
    }

    @Test("the user information of a list's URLs is sent, and stands nowhere")
    func userinfo() async throws {
        var bench = try Bench([
            "/a": [.ok(picture(), headers: [("ETag", "\"1\"")])], "/b": [.status(404)],
            "/c": [.redirect(to: "http://other:p4ssword@host.invalid/")],
        ])
        bench.options.concurrency = 1
        let address = bench.server.url().dropFirst("http://".count)
        let items = ["a", "b", "c"].map { name in
            let url = "http://us3r:\(name)-p4ssword@\(address)\(name)"
            return ListedItem(collection: "all", key: "list#\(url)", url: url, title: url)
        }
        let report = try await bench.run(items)
        #expect(Set(report.items.keys) == Set(["a", "b", "c"].map { "list#\(bench.server.url("/\($0)"))" }))
        for name in ["a", "b"] {
            let expected = Data("us3r:\(name)-p4ssword".utf8).base64EncodedString()
            #expect(bench.requests("/\(name)").map { $0["Authorization"] } == ["Basic \(expected)"])
        }
        _ = try await bench.run(items)
        #expect(bench.requests("/a").map { $0["If-None-Match"] } == [nil, "\"1\""])
        for path in try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path) {
            #expect(!path.contains("p4ssword"))
            let bytes = bench.directory.read(path) ?? []
            for word in ["us3r", "p4ssword"] {
                #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) is in \(path)")
            }
        }
        for event in report.events { #expect(!"\(event)".contains("p4ssword"), "\(event)") }
        // Nothing knows it any more.
        let failed = try await bench.run([]) { $0.selection.isFailedOnly = true }
        #expect(failed.items.values.allSatisfy { $0.transfer["failure"] == "invalid" })
        #expect(bench.requests("/b").count == 1)
    }

    @Test("a catalog that has variables in its names goes on with what the list calls its items")
    func olderNames() async throws {
        let bench = try Bench(
            ["/8.png": [.ok(picture(), headers: [("ETag", "\"1\"")])]], keys: "allow_failed: ${N}",
            environment: ["N": "8"])
        let item = bench.item("/8.png", key: "photo8", title: "photo8", collection: "c8")
        _ = try await bench.run([item])
        try bench.change("INSERT INTO masked_job VALUES ('job')")
        try bench.change("UPDATE collection SET key = 'c${N}', title = 'c${N}'")
        try bench.change(
            """
            UPDATE item SET key = 'photo${N}', title = 'photo${N}', url = replace(url, '8.png', '${N}.png'),
                stored_url = replace(stored_url, '8.png', '${N}.png'), stem = replace(stem, '8', '${N}'),
                path = replace(path, '8', '${N}')
            """)
        try FileManager.default.moveItem(
            atPath: bench.directory.path("\(bench.outputFolder)/photo8.png"),
            toPath: bench.directory.path("\(bench.outputFolder)/photo${N}.png"))
        let again = try await bench.run([item])
        #expect(try again["photo8"].outcome == "unchanged")
        #expect(bench.requests("/8.png").map { $0["If-None-Match"] } == [nil, "\"1\""])
        #expect(
            try bench.table("SELECT key, title, path FROM item") == [
                ["key": "photo8", "title": "photo8", "path": "photo8.png"]
            ])
        #expect(bench.files == ["photo8.png"])
        #expect(try bench.table("SELECT key FROM collection") == [["key": "c8"]])
    }

    @Test("a job that declares a secret later fetches nothing again for it")
    func declaredLater() async throws {
        var bench = try Bench(
            ["/a": [.ok(picture(), headers: [("Cache-Control", "max-age=60")])]], keys: "allow_failed: 0")
        let item = bench.item("/a").with(url: bench.server.url("/a?key=s3cret"))
        _ = try await bench.run([item])
        bench.job.trust.secrets = Secrets([("KEY", "s3cret")])
        #expect(try await bench.run([item])["a"].outcome == "fresh")
        #expect(try bench.table("SELECT url FROM item") == [["url": .text(bench.server.url("/a?key=${KEY}"))]])
    }

    @Test("a failure's text is hidden before it is cut", arguments: [170, 185, 196])
    func cut(_ length: Int) async throws {
        let filler = String(repeating: "x", count: length)
        let bench = try Bench(
            ["/a": [.redirect(to: "ftp://host/\(filler)s3cr%65t-word")]], keys: "secrets: [KEY]",
            environment: ["KEY": "s3cret-word"])
        let report = try await bench.run("/a")
        let detail = try report["a"].transfer["detail"]?.text ?? ""
        #expect(!detail.contains("s3"), "\(detail)")
    }

    @Test("a stored URL is asked for with its secret again")
    func expanded() async throws {
        let bench = try Bench(transfer: "headers: {X-Key: \"${KEY}\"}", environment: ["KEY": secret])
        let item = bench.item("/a").with(url: bench.server.url("/a?key=\(secret)&literal=${KEY}&cash=$\(secret)"))
        _ = try await bench.run([item])
        _ = try await bench.run([]) { $0.selection.isFailedOnly = true }
        let targets = bench.server.requests.map(\.target)
        #expect(targets.count == 2)
        #expect(targets[0] == targets[1])
        #expect(targets[0].contains("key=\(secret)"))
    }

    @Test("the catalog and the program's own files are private")
    func modes() async throws {
        let bench = try Bench(["/a": [.ok("x")]])
        _ = try await bench.run("/a")
        for path in [bench.options.database, bench.directory.path("\(bench.outputFolder)/.runner")] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = (attributes[.posixPermissions] as? Int) ?? -1
            #expect(mode & 0o077 == 0, "\(path)")
        }
    }
}
