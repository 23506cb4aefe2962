import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Sources that are scripts, as the program is used with them.
@Suite("End to end: scripts", .wholeProgramLimit)
struct ScriptTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
    }

    private func write(_ script: String, options: String = "{}") throws {
        try workplace.directory.write("#!/bin/sh\n\(script)\n", to: "list.sh")
        try Subprocess.run(["chmod", "+x", workplace.directory.path("list.sh")])
        try workplace.directory.write(
            """
            name: job
            source:
              type: command
              command: [./list.sh]
              options: \(options)
            output: {directory: out}

            """, to: "job.yaml")
    }

    private static let sound = #"""
        echo '{"type":"spec","protocol":1,"name":"n","options":[{"key":"album","type":"string","help":"which"}]}'
        echo '{"type":"collection","key":"a"}'
        echo '{"type":"item","collection":"a","key":"1","url":"https://example.org/1"}'
        echo '{"type":"done","items":1}'
        """#

    @Test("nothing of a script outlives the program that is killed")
    func killed() throws {
        try write(
            """
            echo '{"type":"spec","protocol":1,"name":"n"}'
            read -r spec
            read -r list || exit 0
            setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
            sh -c 'trap "" TERM HUP; echo $$ >> pids; while :; do sleep 1; done' &
            echo $$ >> pids
            while [ "$(wc -l < pids)" != 3 ]; do sleep 0.01; done
            echo '{"type":"collection","key":"a"}'
            echo '{"type":"warning","message":"all are there"}'
            exec sleep 1000
            """)
        let program = try workplace.start(["run", "job.yaml", "--progress", "json"], with: .runner) {
            _, line, process in
            if line.contains("all are there") { kill(process, SIGKILL) }
        }
        #expect(try program.wait().ending == .signal(SIGKILL))
        let text = String(decoding: workplace.directory.read("pids") ?? [], as: UTF8.self)
        let processes = text.split(separator: "\n").compactMap { pid_t($0) }
        #expect(processes.count == 3)
        // They end by themselves once their guard has seen that the program is gone; tail(1) waits for that.
        for process in processes {
            try Subprocess.run(["timeout", "20", "tail", "--pid=\(process)", "-f", "/dev/null"])
        }
    }

    @Test("what a script remembers outlasts a run that is killed, together with the items before it")
    func memoryAfterKill() throws {
        try write(
            #"""
            echo '{"type":"spec","protocol":1,"name":"n"}'
            read -r spec
            read -r list || exit 0
            printf '%s\n' "$list" >> lists
            echo '{"type":"collection","key":"a"}'
            echo '{"type":"item","collection":"a","key":"1","url":"file:///1"}'
            echo '{"type":"memory","value":{"cursor":"Huế"}}'
            echo '{"type":"item","collection":"a","key":"2","url":"file:///2"}'
            [ "$(wc -l < lists)" != 1 ] || { echo '{"type":"warning","message":"kept by now"}'; exec sleep 1000; }
            echo '{"type":"done"}'
            """#)
        let program = try workplace.start(["run", "job.yaml", "--progress", "json"], with: .runner) {
            _, line, process in
            if line.contains("kept by now") { kill(process, SIGKILL) }
        }
        #expect(try program.wait().ending == .signal(SIGKILL))
        #expect(try workplace.catalog().values("SELECT key FROM item ORDER BY key", as: String.self).first == "1")
        _ = try workplace.run(["job.yaml"])
        let lists = String(decoding: workplace.directory.read("lists") ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lists.count == 2)
        #expect(lists.last?.contains(#""memory":{"cursor":"Huế"}"#) == true)
    }

    /// A job whose list of six items ends after two that are stored, from a server of its own.
    private func newestFirst() throws -> FaultyServer {
        let server = try FaultyServer { .ok($0.path) }
        try write(
            """
            echo '{"type":"spec","protocol":1,"name":"n"}'
            read -r spec
            read -r list || exit 0
            echo '{"type":"collection","key":"a"}'
            seq 6 | sed 's|.*|{"type":"item","collection":"a","key":"&","url":"\(server.url())&"}|'
            echo '{"type":"done"}'
            """)
        try workplace.directory.write(
            """
            name: job
            source: {type: command, command: [./list.sh]}
            output: {directory: out}
            expect: any
            stop_after_known: 2
            transfer: {concurrency: 1, allow_private_addresses: true}

            """, to: "job.yaml")
        return server
    }

    @Test("what a killed run had listed and not fetched is fetched by the next, also behind stop_after_known")
    func knownAfterKill() throws {
        let server = try newestFirst()
        server.hold("/3")
        let program = try workplace.start(["run", "job.yaml", "--progress", "json"], with: .runner) {
            _, line, process in
            if line.contains("item-finished"), line.contains("/2\"") { kill(process, SIGKILL) }
        }
        #expect(try program.wait().ending == .signal(SIGKILL))
        server.release("/3")
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 6)
    }

    @Test("what is reset, restored or repaired is fetched by the next run, also behind stop_after_known")
    func knownAfterUpkeep() throws {
        let server = try newestFirst()
        func requests(after commands: [[String]]) throws -> [String] {
            for command in commands { _ = try workplace.run(command) }
            let before = server.requests.count
            #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
            #expect(try workplace.catalog().number("SELECT count(*) FROM item WHERE state = 'stored'") == 6)
            return server.requests.dropFirst(before).map(\.path).sorted()
        }
        #expect(try requests(after: []).count == 6)
        #expect(try requests(after: []) == ["/1", "/2"])
        #expect(try requests(after: [["reset", "job.yaml", "6", "--yes"]]).contains("/6"))
        #expect(try requests(after: [["remove", "job", "5"], ["restore", "job", "5"]]).contains("/5"))
        let paths = try workplace.catalog().values("SELECT path FROM item WHERE key = '4'", as: String.self)
        try FileManager.default.removeItem(atPath: workplace.directory.path("out/\(try #require(paths.first))"))
        #expect(try requests(after: [["verify", "--repair"]]).contains("/4"))
        #expect(try requests(after: []) == ["/1", "/2"])
    }

    @Test("a long list of a script takes no more memory than a short one")
    func memoryUse() throws {
        // A million in `make check-slow`.
        let items = getenv("RUNNER_SCRIPT_ITEMS").flatMap { Int(String(cString: $0)) } ?? 50_000
        try write(
            """
            echo '{"type":"spec","protocol":1,"name":"n"}'
            read -r spec
            read -r list || exit 0
            echo '{"type":"collection","key":"a"}'
            seq \(items) | sed 's|.*|{"type":"item","collection":"a","key":"item &","url":"file:///&"}|'
            echo '{"type":"done","items":\(items)}'
            """)
        let result = try workplace.run(["job.yaml", "--quiet"])
        #expect(result.ending == .exit(1))
        #expect(try workplace.catalog().number("SELECT count(*) FROM item") == items)
        print("\(items) items of a script: \(result.peakMemory >> 20) MiB at most")
        // A sanitizer takes memory of its own. A hundred bytes held of each item would be over it with the million.
        #if !SANITIZED
            // What is started has the peak of what starts it (exec in getrusage(2)): the tests before this one count, where
            // there are some.
            var own = rusage()
            getrusage(RUSAGE_SELF.rawValue, &own)
            #expect(result.peakMemory <= max(128 << 20, own.ru_maxrss << 10))
        #endif
    }

    @Test("source test ends with 0 for a sound script, and with 1 and the rule for another")
    func suite() throws {
        try write(Self.sound)
        try workplace.directory.write("album: summer\n", to: "options.yaml")
        let sound = try workplace.run(
            ["source", "test", "./list.sh", "--options", "options.yaml"], with: .runner)
        #expect(sound.ending == .exit(0))
        #expect(sound.output.contains("ok    keys are unique"))
        #expect(!sound.output.contains("FAIL"))
        try write(Self.sound.replacing(#""items":1"#, with: #""items":2"#))
        let faulty = try workplace.run(["source", "test", "./list.sh"], with: .runner)
        #expect(faulty.ending == .exit(1))
        #expect(
            faulty.output.contains(
                "FAIL  the counts in done are those of what came: it counted 2 items, of which 1 came"))
        #expect(try workplace.run(["source", "try", "./list.sh"], with: .runner).ending == .exit(64))
        let missing = try workplace.run(["source", "test", "./missing.sh"], with: .runner)
        #expect(missing.ending == .exit(2))
        #expect(missing.errors.contains("./missing.sh is not an executable file"))
        let unread = try workplace.run(["source", "test", "./list.sh", "--options", "none.yaml"], with: .runner)
        #expect(unread.ending == .exit(2))
        #expect(unread.errors.contains("the options in none.yaml can't be read: No such file or directory"))
        try workplace.directory.write("[album]", to: "options.yaml")
        let options = try workplace.run(
            ["source", "test", "./list.sh", "--options", "options.yaml"], with: .runner)
        #expect(options.ending == .exit(78))
    }

    @Test("sources shows what a script declares, and check places faults of its options")
    func declared() throws {
        try write(Self.sound, options: "{albun: 1}")
        let shown = try workplace.run(["sources", "./list.sh"], with: .runner)
        #expect(shown.ending == .exit(0))
        #expect(shown.output.contains("  album: text\n        Which.\n"))
        let checked = try workplace.run(["check", "job.yaml"], with: .runner)
        #expect(checked.ending == .exit(78))
        #expect(
            checked.errors.contains(
                "job.yaml:5:13: error: unknown key 'albun' in source.options; did you mean 'album'?"))
    }
}
