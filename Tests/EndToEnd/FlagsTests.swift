import SQLite
import TestSupport
import Testing

/// The job that comes with the program, against nginx with the flags of the Debian package famfamfam-flag-png.
@Suite("End to end: the flags of the world", .wholeProgramLimit)
struct FlagsTests {
    static let flags = "/usr/share/flags/countries/16x11"

    /// `jobs/flags.yaml` of this package, copied so that its output is the test's own, and the server in place of the
    /// default one. Ten countries of ISO 3166-1 have no flag in the package.
    private func arguments(_ workplace: Workplace, _ server: NginxServer) throws -> [String] {
        let package = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        try workplace.directory.write(contents(of: "\(package)/jobs/flags.yaml") ?? [], to: "jobs/flags.yaml")
        return [
            "jobs/flags.yaml", "--set", "source.url=\(server.url("/{code}.png"))", "--set",
            "source.exclude=[aq, bl, bq, cw, gg, im, je, mf, ss, sx]",
        ]
    }

    private func server(_ directives: String = "") throws -> NginxServer {
        var options = NginxServer.Options(root: Self.flags)
        options.extra = directives
        return try NginxServer(options)
    }

    @Test("239 files, byte for byte, and rows whose sums are those of the server's own log")
    func firstRun() throws {
        let workplace = try Workplace()
        let server = try server()
        let result = try workplace.run(try arguments(workplace, server), with: .runner)

        #expect(result.ending == .exit(0))
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("flags: 239 downloaded, 0 unchanged, 0 fresh, 0 failed, "))
        let catalog = try workplace.catalog()
        let items = try catalog.rows("SELECT key, title, path, size FROM item WHERE state = 'stored'") { row in
            (
                key: try row[0] as String, title: try row[1] as String, path: try row[2] as String,
                size: try row[3] as Int
            )
        }
        #expect(items.count == 239)
        for item in items {
            let bytes = workplace.read("downloads/flags/\(item.path)")
            #expect(bytes != nil && bytes == contents(of: "\(Self.flags)/\(item.key).png") && bytes?.count == item.size)
            // A name has no dot at its end: "So. Georgia & So. Sandwich Isl.".
            let name = item.title.hasSuffix(".") ? String(item.title.dropLast()) : item.title
            #expect(item.path == "\(name).png")
        }
        #expect(workplace.files(below: "downloads/flags") == items.map(\.path).sorted())
        #expect(workplace.read("downloads/flags/Vietnam.png") == contents(of: "\(Self.flags)/vn.png"))

        #expect(try catalog.contradictions() == [])
        let requests = try server.requests()
        #expect(requests.count == 239)
        #expect(Set(requests.map(\.target)).count == 239)
        #expect(requests.allSatisfy { $0.status == 200 })
        #expect(try catalog.number("SELECT downloaded FROM run") == 239)
        #expect(
            try catalog.number("SELECT count(*) FROM transfer WHERE outcome = 'downloaded' AND attempts = 1") == 239)
        let bytes = Int(requests.reduce(0) { $0 + $1.bytes })
        #expect(try catalog.number("SELECT wire_bytes FROM run") == bytes)
        #expect(try catalog.number("SELECT body_bytes FROM run") == bytes)
        #expect(try catalog.number("SELECT sum(size) FROM item") == bytes)
        #expect(
            try catalog.number("SELECT count(*) FROM transfer WHERE connection_reused = 0")
                == Set(requests.map(\.connection)).count)
        #expect(try catalog.number("SELECT count(*) FROM transfer WHERE total_us > elapsed_us + 1000000") == 0)
    }

    @Test("the second run asks for nothing that is still fresh")
    func freshRun() throws {
        let workplace = try Workplace()
        let server = try server("expires 1h;")
        let arguments = try arguments(workplace, server)
        #expect(try workplace.run(arguments, with: .runner).ending == .exit(0))
        let result = try workplace.run(arguments, with: .runner)

        #expect(result.ending == .exit(0))
        #expect(result.errors.hasPrefix("flags: 0 downloaded, 0 unchanged, 239 fresh, 0 failed, 0 B in "))
        #expect(try server.requests().count == 239)
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.values("SELECT outcome || fresh || wire_bytes FROM run WHERE id = 2") == ["complete2390"])
        #expect(
            try catalog.number(
                "SELECT count(*) FROM transfer WHERE run_id = 2 AND outcome = 'fresh' AND attempts = 0") == 239)
    }

    @Test("a server without expiry times is asked, answers 304, and no body moves")
    func unchangedRun() throws {
        let workplace = try Workplace()
        let server = try server()
        let arguments = try arguments(workplace, server)
        #expect(try workplace.run(arguments, with: .runner).ending == .exit(0))
        let times = workplace.files(below: "downloads/flags").map { workplace.modified("downloads/flags/\($0)") }
        let result = try workplace.run(arguments, with: .runner)

        #expect(result.ending == .exit(0))
        #expect(result.errors.hasPrefix("flags: 0 downloaded, 239 unchanged, 0 fresh, 0 failed, 0 B in "))
        let requests = try server.requests().dropFirst(239)
        #expect(requests.count == 239)
        #expect(requests.allSatisfy { $0.status == 304 && $0.bytes == 0 })
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.values("SELECT unchanged || ' ' || wire_bytes || ' ' || body_bytes FROM run WHERE id = 2")
                == ["239 0 0"])
        #expect(try catalog.number("SELECT count(*) FROM transfer WHERE run_id = 2 AND status = 304") == 239)
        #expect(
            workplace.files(below: "downloads/flags").map { workplace.modified("downloads/flags/\($0)") } == times)
    }

    @Test("a deleted file is fetched again, and nothing else")
    func deletedFile() throws {
        let workplace = try Workplace()
        let server = try server("expires 1h;")
        let arguments = try arguments(workplace, server)
        #expect(try workplace.run(arguments, with: .runner).ending == .exit(0))
        let before = workplace.read("downloads/flags/Peru.png")
        workplace.remove("downloads/flags/Peru.png")
        let result = try workplace.run(arguments, with: .runner)

        #expect(result.errors.hasPrefix("flags: 1 downloaded, 0 unchanged, 238 fresh, 0 failed, "))
        #expect(try server.requests().dropFirst(239).map(\.target) == ["/pe.png"])
        #expect(workplace.read("downloads/flags/Peru.png") == before)
    }
}
