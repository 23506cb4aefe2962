import FoundationEssentials
import TestSupport
import Testing

@testable import Core

/// Values from the environment are used and never shown.
@Suite("Secrets in runs", .timeLimit(.minutes(1)))
struct SecretTests {
    private let secret = "s3cret+/value"

    @Test("no column, event, file name or part note shows a value from the environment", arguments: [0, 1, 2])
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
            "{section}/{key} {title} {name} {code}", fields: [TemplateField(name: "code", help: "")])
        let items = ["/redirect", "/broken", "/page", "/missing", "bad url"].enumerated().map { index, path in
            let item = bench.item(
                path, key: "\(index) \(secret)", title: "\(secret)\(index)", collection: "c-\(secret)")
            return item.with(
                url: path.hasPrefix("/")
                    ? bench.server.url("\(path)?key=\(encoded)&raw=\(secret)") : "ftp://\(secret)/",
                description: secret, section: "s-\(secret)", metadata: ["a": .text(secret), "b": .list([secret])],
                thumbnailURL: "http://h/\(secret)", fields: ["code": secret],
                headers: [ListedHeader(name: "X-Other", value: secret)])
        }
        let collection = ListedCollection(key: "c-\(secret)", title: secret, subtitle: secret, section: secret)
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
