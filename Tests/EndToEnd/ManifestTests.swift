import TestSupport
import Testing

@Suite("End to end: manifest", .wholeProgramLimit)
struct ManifestTests {
    private static let png = PictureFile.png([UInt8](repeating: 7, count: 90))

    /// Names of the site that the lists know, all of which lead to the server.
    private static let hosts = ["pages.example", "scans.example", "files.example"]

    private static func writeJob(_ server: FaultyServer, in workplace: Workplace) throws {
        let routes = hosts.map { "\"\($0):80\": \"127.0.0.1:\(server.port)\"" }.joined(separator: ", ")
        try workplace.directory.write(
            """
            name: lists
            source: {type: manifest, url: lists.zip}
            output: {directory: out}
            transfer: {retries: 0, connect_to: {\(routes)}}

            """, to: "job.yaml")
    }

    @Test(
        "two lists of pictures, documents, a missing one, repeats, a page, a broken element: each in its state, exit 1")
    func everything() throws {
        let server = try FaultyServer { request in
            let fresh = [("Cache-Control", "max-age=3600")]
            return switch request.path {
            case "/manual.pdf": .ok("%PDF-1.7\n1 0 obj\n%%EOF\n", headers: fresh)
            case "/all.zip": .ok(ZipFile(["a": "b"]).bytes, headers: fresh)
            case "/logo.png": .ok(Self.png, headers: fresh)
            case "/page.jpg": .ok("<html><title>Not found</title></html>", headers: [("Content-Type", "image/jpeg")])
            case let path where path.hasSuffix(".jpg"):
                .ok(PictureFile.jpeg(Array(path.utf8)), headers: fresh)
            default: .status(404)
            }
        }
        let workplace = try Workplace()
        try Self.writeJob(server, in: workplace)
        // A URL inside the path of another, as such lists have them; and a list that repeats itself.
        let first = (1...22).map { "\"http://pages.example/http://h.example.net/store/9563/237.0/j\($0 + 100).jpg\"" }
        let second = (3...30).map { "\"http://scans.example/resources/manga/capítulo/es/0/\($0).jpg\"" }
        let third = [
            #"{"url": "http://files.example/manual.pdf", "title": "A manual"}"#, #""http://files.example/all.zip""#,
            #""http://files.example/logo.png""#, #""http://files.example/logo.png""#,
            #""http://files.example/missing.png""#,
            #""http://files.example/page.jpg""#, #"{"address": "no url"}"#,
        ]
        let lists = ZipFile([
            "urls-2.json": "[\n\((second + second.prefix(2)).joined(separator: ",\n"))\n]",
            "urls-1.json": "[\n\(first.joined(separator: ",\n"))\n]",
            "files.json": "[\(third.joined(separator: ", "))]",
        ])
        try workplace.directory.write(lists.bytes, to: "lists.zip")

        let result = try workplace.run(["job.yaml"], with: .runner)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("lists: 56 downloaded, 0 unchanged, 0 fresh, 3 failed, "), "\(result.errors)")
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.values("SELECT key FROM collection ORDER BY position") == [
                "files.json", "urls-1.json", "urls-2.json",
            ])
        #expect(
            try catalog.outcomes().prefix(7) == [
                "files.json#http://files.example/manual.pdf downloaded",
                "files.json#http://files.example/all.zip downloaded",
                "files.json#http://files.example/logo.png downloaded",
                "files.json#http://files.example/logo.png#2 downloaded",
                "files.json#http://files.example/missing.png failed http",
                "files.json#http://files.example/page.jpg failed wrong-type", "files.json#@6 failed invalid",
            ])
        // Repeats cost no request.
        #expect(server.requests.count == 22 + 28 + 5)
        #expect(Set(server.requests.map(\.target)).count == server.requests.count)
        #expect(
            workplace.files().filter { $0.hasPrefix("files/") } == [
                "files/all.zip", "files/logo (2).png", "files/logo.png", "files/manual.pdf",
            ])
        #expect(workplace.files().count == 56)

        let again = try workplace.run(["job.yaml"], with: .runner)
        #expect(again.ending == .exit(1))
        #expect(
            again.errors.contains("lists: 0 downloaded, 0 unchanged, 56 fresh, 3 failed (2 known), "),
            "\(again.errors)")
        // What is fresh and what is permanently gone is not asked for; the page may be the picture next time.
        #expect(server.requests.count == 56)
        #expect(server.requests.last?.path == "/page.jpg")
    }

    @Test("one list is reloaded by its name, and nothing of the others is asked")
    func reload() throws {
        let server = try FaultyServer { _ in .ok(Self.png, headers: [("Cache-Control", "max-age=3600")]) }
        let workplace = try Workplace()
        try Self.writeJob(server, in: workplace)
        func list(_ name: String) -> String {
            "[\"http://files.example/\(name)1.png\", \"http://files.example/\(name)2.png\"]"
        }
        try workplace.directory.write(
            ZipFile(["images0.json": list("a"), "images1.json": list("b")]).bytes, to: "lists.zip")
        #expect(try workplace.run(["job.yaml"], with: .runner).ending == .exit(0))
        let asked = server.requests.count
        let result = try workplace.run(["job.yaml", "--only", "images0.json#*", "--refresh"], with: .runner)
        #expect(result.ending == .exit(0))
        #expect(server.requests[asked...].map(\.path).sorted() == ["/a1.png", "/a2.png"])
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'gone'") == 0)
    }
}
