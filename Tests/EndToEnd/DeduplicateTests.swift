import Glibc
import TestSupport
import Testing

@Suite("End to end: output.deduplicate", .wholeProgramLimit)
struct DeduplicateTests {
    /// Six files in two kinds of bytes, and one of its own; `server` answers with what `bodies` has.
    private struct Site {
        let bodies = Monitor<[String: String]>([:])
        let server: FaultyServer

        init() throws {
            let bodies = bodies
            server = try FaultyServer { request in
                .ok(bodies.withLock { $0[request.path] } ?? "", headers: [("ETag", "\"\(request.path)\"")])
            }
            for number in 0..<6 { self["/\(number)"] = number % 2 == 0 ? "even" : "odd, and longer" }
            self["/6"] = "alone"
        }

        subscript(path: String) -> String {
            get { bodies.withLock { $0[path] ?? "" } }
            nonmutating set { bodies.withLock { $0[path] = newValue } }
        }
    }

    private func prepare(_ site: Site, isOn: Bool = true) throws -> Workplace {
        let workplace = try Workplace()
        try workplace.directory.write(
            """
            name: list
            source: {type: list, template: '\(site.server.url("/{n}"))', count: 7}
            output: {directory: out, deduplicate: \(isOn)}
            """, to: "job.yaml")
        return workplace
    }

    private func text(_ workplace: Workplace, _ number: Int) -> String {
        String(decoding: workplace.read("out/list/\(number).bin") ?? [], as: UTF8.self)
    }

    @Test("equal bytes are stored once, every file is there, and the report tells what that saved")
    func saved() throws {
        let site = try Site()
        let workplace = try prepare(site)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        for number in 0..<7 { #expect(text(workplace, number) == site["/\(number)"]) }
        #expect(workplace.parts == [])
        // Two more of each kind.
        let saved = 2 * "even".utf8.count + 2 * "odd, and longer".utf8.count
        #expect(try workplace.catalog().value("SELECT saved_bytes FROM run") == saved)
        let report = try workplace.run(["report", "list"]).output
        #expect(report.contains("saved      \(saved) B"))
        #expect(try workplace.run(["report", "list", "--format", "json"]).output.contains("\"saved_bytes\": \(saved)"))
    }

    @Test("a later run shares with what earlier ones stored, and without the key nothing is shared")
    func later() throws {
        let site = try Site()
        let workplace = try prepare(site, isOn: false)
        #expect(try workplace.run(["job.yaml", "--only", "0", "--only", "1"]).ending == .exit(0))
        #expect(try workplace.catalog().value("SELECT saved_bytes FROM run") == 0)
        site["/6"] = "even"
        #expect(try workplace.run(["job.yaml", "--set", "output.deduplicate=true"]).ending == .exit(0))
        let saved = (2..<7).reduce(0) { $0 + site["/\($1)"].utf8.count }
        #expect(try workplace.catalog().value("SELECT saved_bytes FROM run WHERE id = 2") == saved)
        for number in 0..<7 { #expect(text(workplace, number) == site["/\(number)"]) }
    }

    @Test("an item that changes gets its new bytes, and the files that it shared with keep theirs")
    func changed() throws {
        let site = try Site()
        let workplace = try prepare(site)
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        site["/0"] = "changed"
        #expect(try workplace.run(["job.yaml", "--refresh"]).ending == .exit(0))
        for number in 0..<7 { #expect(text(workplace, number) == site["/\(number)"]) }
        let catalog = try workplace.catalog()
        #expect(try catalog.contradictions() == [])
        #expect(
            try catalog.outcomes() == ["0 downloaded"] + (1..<7).map { "\($0) unchanged" })
    }

    @Test("a stored file that a person has changed is no source of bytes")
    func edited() throws {
        let site = try Site()
        let workplace = try prepare(site)
        #expect(try workplace.run(["job.yaml", "--only", "0"]).ending == .exit(0))
        // As long as before: only reading it tells.
        try workplace.directory.remove("out/list/0.bin")
        try workplace.directory.write("EVEN", to: "out/list/0.bin")
        #expect(try workplace.run(["job.yaml", "--only", "2"]).ending == .exit(0))
        #expect(text(workplace, 0) == "EVEN")
        #expect(text(workplace, 2) == "even")
    }
}
