import Glibc
import TestSupport
import Testing

/// The live screen of a run, as it is on a real terminal. A server that holds its replies keeps the screen still.
@Suite("End to end: the live screen", .wholeProgramLimit)
struct LiveScreenTests {
    /// A run whose replies to `/held…` wait until the test ends them.
    private struct HeldRun {
        let workplace: Workplace
        let server: FaultyServer
        let terminal: TmuxTerminal
        let held: [String]

        init(
            _ entries: [(title: String, collection: String, isHeld: Bool)], columns: Int, rows: Int,
            transfer: [String] = ["concurrency: 16", "per_host: 16"],
            answering respond: @escaping @Sendable (FaultyServer.Request) -> FaultyServer.Response = { _ in .ok("body")
            }
        ) throws {
            workplace = try Workplace()
            server = try FaultyServer(answering: respond)
            var items = ["items:"]
            var held: [String] = []
            for (number, entry) in entries.enumerated() {
                let path = entry.isHeld ? "/held\(number)" : "/\(number)"
                if entry.isHeld { held.append(path) }
                items.append(
                    "  - {key: k\(number), url: '\(server.url(path))', title: \"\(entry.title)\", "
                        + "collection: \"\(entry.collection)\"}")
            }
            for path in held { server.hold(path) }
            self.held = held
            try workplace.writeJob(source: items, transfer: transfer)
            terminal = try TmuxTerminal(workplace, columns: columns, rows: rows)
        }

        var command: [String] { [Workplace.Program.testRunner.path, "job.yaml"] }

        func release() {
            for path in held { server.release(path) }
        }
    }

    private static let names = [
        "Hà Nội, Việt Nam", "القاهرة", "東京タワー", "🇻🇳 👨‍👩‍👧‍👦 ok", "\\e[31mred\\e]0;owned\\a", "Paris",
    ]
    /// As they are shown: what would control the terminal is replaced.
    private static let shown = [
        "Hà Nội, Việt Nam", "القاهرة", "東京タワー", "ok", "\u{FFFD}[31mred\u{FFFD}]0;owned\u{FFFD}", "Paris",
    ]

    /// Two items a collection: one that has ended and one in flight.
    private static func entries() -> [(title: String, collection: String, isHeld: Bool)] {
        names.flatMap { name in [(name + " 1", name, false), (name + " 2", name, true)] }
    }

    private static func isHalfDone(_ screen: [String]) -> Bool {
        screen.contains { $0.hasPrefix("list: 6 of 12 items") } && screen.count { $0.contains("waiting") } > 0
    }

    private func fields(_ line: String) -> [String] {
        line.split(separator: "  ").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    @Test("80 columns and 24 rows")
    func usual() throws {
        let run = try HeldRun(Self.entries(), columns: 80, rows: 24)
        try run.terminal.start(run.command)
        let screen = try run.terminal.waitForScreen(until: Self.isHalfDone)
        let host = "127.0.0.1:\(run.server.port)"
        try #require(screen.count == 14)
        for (index, name) in Self.shown.enumerated() {
            // tmux has widths of its own for families and flags.
            if index != 3 {
                #expect(
                    fields(screen[index]) == [name, "downloading", "[#################------------------]", "1 of 2"])
                #expect(fields(screen[index + 6]) == [name + " 2", "waiting", host])
            } else {
                #expect(screen[index].contains("ok ") && screen[index].hasSuffix("]  1 of 2"))
            }
        }
        #expect(screen[0] == "Hà Nội, Việt Nam    downloading  [#################------------------]  1 of 2")
        #expect(screen[1] == "القاهرة             downloading  [#################------------------]  1 of 2")
        #expect(screen[5] == "Paris               downloading  [#################------------------]  1 of 2")
        #expect(screen[11] == "  Paris 2                waiting              \(host)")
        #expect(screen[12].hasPrefix("list: 6 of 12 items, "))
        #expect(screen[13] == "p pause   +/- concurrency (16)   q stop   ? help")
        #expect(try run.terminal.title() != "owned")
        run.release()
        try run.terminal.waitForEnd()
        let rest = try run.terminal.screen()
        #expect(rest.first?.hasPrefix("list: 12 downloaded, 0 unchanged, 0 fresh, 0 failed, 48 B in ") == true)
        #expect(rest.last == "status 0" && rest.count == 2)
        #expect(try run.terminal.isCursorVisible())
        #expect(run.terminal.modes().isSuperset(of: ["icanon", "echo"]))
    }

    @Test("40 columns and 10 rows")
    func small() throws {
        let run = try HeldRun(Self.entries(), columns: 40, rows: 10)
        try run.terminal.start(run.command)
        let screen = try run.terminal.waitForScreen(until: Self.isHalfDone)
        try #require(screen.count == 9)
        #expect(screen[0] == "Hà Nội, Việt Nam   downloading  1 of 2")
        #expect(screen[1] == "القاهرة            downloading  1 of 2")
        #expect(screen[2] == "and 4 more: 4 downloading")
        #expect(screen[3] == "  Hà Nội,…t Nam 2   waiting")
        #expect(screen[4] == "  القاهرة 2         waiting")
        #expect(screen[5] == "  and 4 more in flight")
        #expect(screen[6].hasPrefix("list: 6 of 12 items"))
        #expect(screen[8] == "p pause  q stop  ? help")
        run.release()
        try run.terminal.waitForEnd()
    }

    @Test("200 columns and 50 rows, a paused host, and failures with their reasons")
    func large() throws {
        let run = try HeldRun(
            [("lost", "Gone", false), ("later", "Later", false), ("held", "Later", true)], columns: 200, rows: 50
        ) { request in
            switch request.path {
            case "/0": .status(404)
            case "/1": .status(503, headers: [("Retry-After", "3600")])
            default: .ok("body")
            }
        }
        try run.terminal.start(run.command)
        let screen = try run.terminal.waitForScreen { screen in
            screen.contains { $0.hasPrefix("paused: ") } && screen.contains { $0.hasPrefix("list: 1 of 3 items") }
        }
        let host = "127.0.0.1:\(run.server.port)"
        let failure = "failed  list lost: http: the server answered 404 Not Found (\(run.server.url("/0")))"
        #expect(screen[0] == failure)
        #expect(
            fields(screen[1]) == ["Gone", "finished, 1 failed", "[\(String(repeating: "#", count: 40))]", "1 of 1"])
        #expect(fields(screen[2]) == ["Later", "downloading", "[\(String(repeating: "-", count: 40))]", "0 of 2"])
        #expect(screen[3] == "  held       waiting              \(host)")
        #expect(screen[4].hasPrefix("  later  ") && screen[4].contains(": the server answered 503 "))
        #expect(screen[5].hasPrefix("list: 1 of 3 items, 1 failed, ") && screen[5].hasSuffix(", 1 waiting to retry"))
        #expect(screen[6].hasPrefix("paused: \(host) for ") && screen[6].hasSuffix(" (Retry-After)"))
        try run.terminal.press("q")
        run.release()
        try run.terminal.waitForEnd()
        let rest = try run.terminal.screen()
        #expect(rest.first == failure)
        #expect(rest.contains { $0.hasPrefix("list: 1 downloaded, 0 unchanged, 0 fresh, 1 failed, 1 cancelled, ") })
        #expect(rest.last == "status 1")
    }

    @Test("300 collections: those at work are shown, the others are summed up")
    func many() throws {
        let run = try HeldRun(
            (0..<300).map { ("item \($0)", "Collection \($0)", true) }, columns: 80, rows: 24)
        try run.terminal.start(run.command)
        let screen = try run.terminal.waitForScreen { screen in
            screen.contains { $0.hasPrefix("list: 0 of 300 items, ") } && screen.contains("  and 7 more in flight")
                && screen.contains("and 290 more: 6 downloading, 284 queued")
        }
        try #require(screen.count == 23)
        for row in 0..<10 {
            #expect(fields(screen[row]).first == "Collection \(row)")
            #expect(
                fields(screen[row]).dropFirst() == ["downloading", "[\(String(repeating: "-", count: 39))]", "0 of 1"])
            if row < 9 { #expect(fields(screen[11 + row]).prefix(2) == ["item \(row)", "waiting"]) }
        }
        #expect(screen[10] == "and 290 more: 6 downloading, 284 queued")
        #expect(screen[20] == "  and 7 more in flight")
        #expect(screen[21].hasPrefix("list: 0 of 300 items, "))
        #expect(screen[22] == "p pause   +/- concurrency (16)   q stop   ? help")
        run.release()
        try run.terminal.waitForEnd()
        #expect(try run.terminal.screen().joined().hasPrefix("list: 300 downloaded, "))
    }

    @Test("while the terminal is resized the screen stays right, and what was there before stays")
    func resized() throws {
        let run = try HeldRun(Self.entries() + [("lost", "Gone", false)], columns: 80, rows: 24) { request in
            request.path == "/12" ? .status(404) : .ok("body")
        }
        try run.terminal.startShell()
        try run.terminal.type("echo before; \(Workplace.Program.testRunner.path) job.yaml; echo status $?")
        try run.terminal.waitForScreen { screen in
            screen.contains { $0.hasPrefix("list: 7 of 13 items, 1 failed") }
                && screen.contains { $0.contains("waiting") }
        }
        for (columns, rows, row) in [
            (40, 10, "Hà Nộ… Nam  downloading         1 of 2"),
            (200, 50, "Hà Nội, Việt Nam    downloading         [####################--------------------]  1 of 2"),
            (60, 16, "Hà Nội, Việt Nam    downloading         [####----]  1 of 2"),
            (80, 24, "Hà Nội, Việt Nam    downloading         [##############--------------]  1 of 2"),
        ] {
            try run.terminal.resize(columns: columns, rows: rows)
            let screen = try run.terminal.waitForScreen { screen in
                screen.contains(row) && screen.last?.hasPrefix("p pause") == true
            }
            #expect(screen.count { $0.hasPrefix("list: 7 of 13 items") } == 1, "\(columns)x\(rows)")
            #expect(screen.count { $0.hasPrefix("Hà Nộ") } == 1, "\(columns)x\(rows)")
            #expect(screen.count { $0.hasPrefix("p pause") } == 1, "\(columns)x\(rows)")
        }
        run.release()
        try run.terminal.waitForScreen { $0.contains { $0.hasPrefix("status 1") } }
        let rest = try run.terminal.history()
        #expect(rest.contains("before"))
        #expect(rest.count { $0.hasPrefix("list: 12 downloaded, ") } == 1)
        #expect(rest.count { $0.hasPrefix("failed  list lost: ") } == 1)
    }

    @Test("at the top of a terminal the screen leaves nothing in its history either when it is resized")
    func resizedAtTop() throws {
        let run = try HeldRun(Self.entries() + [("lost", "Gone", false)], columns: 120, rows: 30) { request in
            request.path == "/12" ? .status(404) : .ok("body")
        }
        try run.terminal.start(run.command)
        try run.terminal.waitForScreen { screen in
            screen.contains { $0.hasPrefix("list: 7 of 13 items, 1 failed") }
                && screen.contains { $0.contains("waiting") }
        }
        // No row is wider than the narrowest of these, so that the terminal wraps none.
        for (columns, row) in [
            (140, "Hà Nội, Việt Nam    downloading         [####################--------------------]  1 of 2"),
            (100, "Hà Nội, Việt Nam    downloading         [####################--------------------]  1 of 2"),
        ] {
            try run.terminal.resize(columns: columns, rows: 30)
            try run.terminal.press("C-l")
            try run.terminal.waitForScreen { $0.contains(row) && $0.last?.hasPrefix("p pause") == true }
        }
        run.release()
        try run.terminal.waitForEnd()
        let rest = try run.terminal.history()
        #expect(!rest.contains { $0.hasPrefix("Hà Nội") || $0.hasPrefix("p pause") })
        #expect(rest.count { $0.hasPrefix("list: 12 downloaded, ") } == 1)
    }

    @Test("p pauses and resumes, + and - change the concurrency, ? helps, q stops in good order")
    func keys() throws {
        let run = try HeldRun(
            (0..<30).map { ("item \($0)", "All", $0 == 0) }, columns: 80, rows: 24, transfer: ["concurrency: 1"])
        try run.terminal.start(run.command)
        try run.terminal.waitForScreen { $0.contains { $0.contains("waiting") } }
        try run.terminal.press("p")
        try run.terminal.waitForScreen { $0.contains { $0.hasPrefix("list: 0 of 30 items, paused") } }
        try run.terminal.press("+", "+")
        try run.terminal.waitForScreen { $0.last?.hasPrefix("p resume   +/- concurrency (3)") == true }
        try run.terminal.press("-")
        try run.terminal.waitForScreen { $0.last?.hasPrefix("p resume   +/- concurrency (2)") == true }
        #expect(run.server.requests.count == 1)
        try run.terminal.press("?")
        try run.terminal.waitForScreen { $0.contains("q    stop: what is in flight may end; again: at once") }
        try run.terminal.press("q")
        let screen = try run.terminal.waitForScreen { screen in
            screen.contains { $0.hasPrefix("list: 0 of 30 items, stopping, 29 cancelled") }
        }
        #expect(
            screen.contains {
                $0.hasPrefix("stopping: what is in flight may end within ") && $0.hasSuffix(", q stops it at once")
            }
        )
        // Keys that would do nothing are not offered.
        #expect(screen.suffix(3) == ["q    stop at once", "^L   draw anew", "?    hide this"])
        run.release()
        try run.terminal.waitForEnd()
        let rest = try run.terminal.screen()
        #expect(rest.joined().contains("list: 1 downloaded, 0 unchanged, 0 fresh, 0 failed, 29 cancelled, "))
        #expect(rest.last == "status 1")
        #expect(try run.workplace.catalog().values("SELECT outcome FROM run") == ["partial"])
        #expect(run.server.requests.count == 1)
        #expect(run.terminal.modes().isSuperset(of: ["icanon", "echo"]))
    }

    @Test("p again goes on to the end, q again stops at once")
    func keysTwice() throws {
        let run = try HeldRun(
            (0..<3).map { ("item \($0)", "All", $0 != 1) }, columns: 80, rows: 24, transfer: ["concurrency: 1"])
        try run.terminal.start(run.command)
        try run.terminal.waitForScreen { $0.contains { $0.contains("waiting") } }
        try run.terminal.press("p")
        try run.terminal.waitForScreen { $0.contains { $0.contains(", paused") } }
        try run.terminal.press("p")
        run.server.release("/held0")
        try run.terminal.waitForScreen { $0.contains { $0.hasPrefix("  item 2 ") } }
        try run.terminal.press("q")
        try run.terminal.waitForScreen { $0.contains { $0.contains(", stopping") } }
        try run.terminal.press("q")
        try run.terminal.waitForEnd()
        #expect(
            try run.terminal.screen().joined().contains("2 downloaded, 0 unchanged, 0 fresh, 0 failed, 1 cancelled"))
    }

    @Test(
        "a signal that ends the program leaves the terminal as it was",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV])
    func killed(_ signal: Int32) throws {
        let run = try HeldRun([("a", "All", true)], columns: 80, rows: 24)
        try run.terminal.start(run.command)
        try run.terminal.waitForScreen { $0.contains { $0.contains("waiting") } }
        #expect(try !run.terminal.isCursorVisible())
        try run.terminal.send(signal)
        if signal != SIGQUIT, signal != SIGSEGV {
            try run.terminal.waitForScreen { $0.contains { $0.contains(", stopping") } }
            try run.terminal.send(signal)
        }
        try run.terminal.waitForEnd()
        let screen = try run.terminal.screen()
        #expect(screen.last == "status \(128 + signal)")
        #expect(!screen.contains { $0.contains("downloading") || $0.contains("waiting") })
        #expect(try run.terminal.isCursorVisible())
        #expect(run.terminal.modes().isSuperset(of: ["icanon", "echo"]))
    }

    @Test("Ctrl-Z gives the shell its terminal, fg draws the screen anew")
    func suspended() throws {
        let run = try HeldRun([("a", "All", true)], columns: 80, rows: 24)
        try run.terminal.startShell()
        try run.terminal.type("\(Workplace.Program.testRunner.path) job.yaml")
        try run.terminal.waitForScreen { $0.contains { $0.contains("waiting") } }
        try run.terminal.press("C-z")
        let stopped = try run.terminal.waitForScreen { $0.contains { $0.contains("Stopped") } && $0.last == "$" }
        #expect(!stopped.contains { $0.contains("waiting") })
        try run.terminal.type("stty -a | grep -o -w -e -icanon -e -echo; tmux display-message -p '#{cursor_flag}'")
        let modes = try run.terminal.waitForScreen { $0.last == "$" && $0.count > stopped.count }
        #expect(modes.dropLast().last == "1")
        #expect(!modes.contains("-icanon") && !modes.contains("-echo"))
        try run.terminal.type("fg")
        try run.terminal.waitForScreen {
            $0.contains { $0.contains("waiting") } && $0.last?.hasPrefix("p pause") == true
        }
        run.release()
        try run.terminal.waitForScreen { $0.last == "$" && $0.contains { $0.hasPrefix("list: 1 downloaded") } }
    }

    @Test("in the background it is not stopped and leaves the terminal alone, fg brings the screen")
    func background() throws {
        let run = try HeldRun([("a", "All", false), ("b", "All", true)], columns: 80, rows: 24)
        try run.terminal.startShell()
        try run.terminal.type("stty tostop; \(Workplace.Program.testRunner.path) job.yaml &")
        try run.server.waitForRequests(2)
        try run.terminal.type("jobs -l; echo typed")
        let screen = try run.terminal.waitForScreen { $0.dropLast().last == "typed" && $0.last == "$" }
        #expect(screen.contains { $0.contains("Running") })
        #expect(!screen.contains { $0.contains("waiting") || $0.contains("q stop") })
        try run.terminal.type("fg")
        try run.terminal.waitForScreen { $0.contains { $0.contains("waiting") } }
        try run.terminal.press("C-z")
        try run.terminal.waitForScreen { $0.contains { $0.contains("Stopped") } && $0.last == "$" }
        try run.terminal.type("bg")
        run.release()
        // After a prompt, perhaps.
        try run.terminal.waitForScreen { $0.contains { $0.contains("list: 2 downloaded") } }
        try run.terminal.type("wait; jobs -l; echo done")
        let rest = try run.terminal.waitForScreen { $0.contains("done") }
        #expect(!rest.contains { $0.contains("Stopped (tty") })
        #expect(try run.workplace.catalog().values("SELECT outcome FROM run") == ["complete"])
    }

    @Test("what a run without a screen says from the background does not stop it")
    func backgroundLines() throws {
        let run = try HeldRun([("a", "All", false)], columns: 80, rows: 24)
        try run.terminal.startShell()
        try run.terminal.type("stty tostop; \(Workplace.Program.testRunner.path) job.yaml --verbose --progress none &")
        try run.terminal.waitForScreen { $0.contains { $0.contains("list: 1 downloaded") } }
    }

    @Test("the jobs of a folder share one screen")
    func jobs() throws {
        let run = try HeldRun([("a", "Paris", true)], columns: 80, rows: 24)
        try run.workplace.writeJob(
            "other", to: "other.yaml",
            source: ["items: [{key: o, url: '\(run.server.url(run.held[0]))', title: b, collection: Paris}]"],
            output: "other")
        try run.terminal.start([Workplace.Program.testRunner.path, "."])
        let screen = try run.terminal.waitForScreen { $0.count { $0.contains("waiting") } == 2 }
        #expect(screen.contains { $0.hasPrefix("list: Paris   downloading  [") })
        #expect(screen.contains { $0.hasPrefix("other: Paris  downloading  [") })
        #expect(screen.contains { $0.hasPrefix("2 jobs: 0 of 2 items, ") })
        run.release()
        try run.terminal.waitForEnd()
        #expect(try run.terminal.screen().last == "status 0")
    }

    @Test("on a dumb terminal nothing is drawn, and without colours no colour is")
    func environment() throws {
        let run = try HeldRun([("a", "All", true), ("b", "All", false)], columns: 80, rows: 24) { request in
            request.path == "/1" ? .status(404) : .ok("body")
        }
        try run.terminal.start(["env", "NO_COLOR=1"] + run.command)
        try run.terminal.waitForScreen { $0.contains { $0.hasPrefix("list: 1 of 2 items, 1 failed") } }
        try run.terminal.waitForOutput { $0.firstMatch(of: /\u{1B}\[[0-9]+m/) == nil }
        run.release()
        try run.terminal.waitForEnd()

        let dumb = try HeldRun([("a", "All", false)], columns: 80, rows: 24)
        try dumb.terminal.start(["env", "TERM=dumb"] + dumb.command)
        try dumb.terminal.waitForEnd()
        try dumb.terminal.waitForOutput { $0.contains("1 downloaded") && !$0.contains("\u{1B}[?25l") }
    }
}
