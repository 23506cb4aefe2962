import Glibc
import TestSupport
import Testing

/// Kills at every call that changes a file, while items of a job with metadata beside its files are taken away. The next
/// run ends what was begun.
@Suite("End to end: removing, killed at any call", .wholeProgramLimit)
struct RemovalFaultTests {
    /// What takes items away.
    enum Victim: String, CaseIterable, Sendable {
        case remove, restore, gone, evict

        var arguments: [String] {
            switch self {
            case .remove: ["remove", "list", "0", "1", "3"]
            case .restore: ["restore", "list", "0", "1"]
            case .gone: ["gc", "list", "--gone"]
            case .evict: ["gc", "list", "--max-bytes", "0"]
            }
        }

        /// Which states the items 0 and 1 may have in the end.
        var states: Set<[String]> {
            switch self {
            case .remove: [["stored", "stored"], ["removed", "removed"]]
            case .restore: [["removed", "removed"], ["stored", "stored"]]
            case .gone: [["gone", "gone"]]
            case .evict: [["stored", "stored"], ["evicted", "evicted"]]
            }
        }
    }

    @Test("either nothing has happened or the next run finishes it", arguments: Victim.allCases)
    func killed(_ victim: Victim) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            .ok("the body of \(request.path)", headers: [("Cache-Control", "max-age=3600")])
        }
        let database = workplace.directory.path("state/catalog.sqlite")
        try workplace.directory.makeFolder("state")
        func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> RunningProgram.Result {
            try workplace.run(arguments + ["--database", database], environment: environment)
        }
        func writeJob(_ items: Range<Int>) throws {
            try workplace.directory.write(
                """
                name: list
                source:
                  type: list
                  items:
                \(items.map { "  - {key: '\($0)', url: '\(server.url("/\($0)"))'}" }.joined(separator: "\n"))
                output: {directory: out, sidecar: json}
                """, to: "job.yaml")
        }
        try writeJob(0..<4)
        #expect(try run(["job.yaml"]).ending == .exit(0))
        workplace.remove("out/list/3.bin")
        if victim == .restore { #expect(try run(["remove", "list", "0", "1"]).ending == .exit(0)) }
        if victim == .gone {
            try writeJob(2..<3)
            #expect(try run(["job.yaml"]).ending == .exit(0))
        }
        for folder in ["out", "state"] {
            try Subprocess.run(["cp", "-a", workplace.directory.path(folder), workplace.directory.path("\(folder).0")])
        }
        let report = workplace.directory.path("report")
        var number = 0
        while true {
            number += 1
            for folder in ["out", "state"] {
                try workplace.directory.remove(folder)
                try Subprocess.run(
                    ["cp", "-a", workplace.directory.path("\(folder).0"), workplace.directory.path(folder)])
            }
            unlink(report)
            let killed = try run(victim.arguments, Fault.killed.environment(number: number, report: report))
            let comment: Comment = "\(victim), call \(number): \(try FaultReport(path: report).hit)"
            #expect(try run(["job.yaml"]).ending == .exit(0), comment)
            let catalog = try CatalogCopy(of: database)
            let states: [String] = try catalog.values("SELECT state FROM item WHERE key < '2' ORDER BY key")
            #expect(victim.states.contains(states), "\(states) \(comment)")
            #expect(try catalog.contradictions() == [], comment)
            let claims: [String] = try catalog.values(
                """
                SELECT path FROM item WHERE path IS NOT NULL AND state IN ('stored', 'gone')
                    AND NOT (key = '3' AND state = 'gone')
                UNION ALL SELECT path FROM sidecar
                """)
            #expect(workplace.files() == claims.sorted(), comment)
            guard killed.ending == .signal(SIGKILL) else {
                #expect(killed.ending == .exit(0), comment)
                let gone = "SELECT count(*) FROM sidecar JOIN item ON item_id = id WHERE state IN ('gone', 'removed')"
                if victim == .gone { #expect(try catalog.number(gone) == 0) }
                break
            }
        }
        // For those who read the log: nothing else tells how much was tried.
        print("\(victim): killed at \(number - 1) calls")
        #expect(number > 5)
    }
}
