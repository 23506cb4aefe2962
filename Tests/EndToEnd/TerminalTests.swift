import TestSupport
import Testing

/// A run in a terminal, as a person sees it: tmux(1) is the terminal.
@Suite("End to end: on a terminal", .wholeProgramLimit)
struct TerminalTests {
    @Test("a live screen while it runs, and nothing but the summary afterwards", arguments: [80, 40])
    func liveScreen(_ columns: Int) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/2")
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 3"])
        let terminal = try TmuxTerminal(workplace, columns: columns)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        let screen = try terminal.waitForScreen { $0.contains { $0.hasPrefix("list: 2 of 3 items") } }
        #expect(screen.allSatisfy { $0.count < columns })
        server.release("/2")
        try terminal.waitForEnd()

        let rest = try terminal.screen().joined()
        #expect(rest.hasPrefix("list: 3 downloaded, 0 unchanged, 0 fresh, 0 failed, "))
        #expect(rest.hasSuffix("status 0"))
        #expect(!rest.contains("of 3 items"))
    }

    @Test("names with escape sequences leave the terminal alone")
    func hostileNames() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .status(404) }
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(server.url("/a"))', title: \"\\e[2J\\e]0;owned\\a\\e[31mtitle\"}]"])
        let terminal = try TmuxTerminal(workplace, columns: 200)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        try terminal.waitForEnd()
        let screen = try terminal.screen()
        #expect(screen.first?.hasPrefix("failed  list ") == true)
        #expect(screen.first?.contains("owned") == true)
        #expect(try terminal.title() != "owned")
    }

    @Test(
        "reset asks, deletes upon yes, and upon all else nothing", arguments: [("y", true), ("n", false), ("", false)])
    func reset(_ answer: String, _ isDeleted: Bool) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 2"])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(0))
        let terminal = try TmuxTerminal(workplace, columns: 200)
        try terminal.start([Workplace.Program.testRunner.path, "reset", "list"])
        try terminal.waitForOutput { $0.contains("? [y/N] ") }
        if !answer.isEmpty { try terminal.press(answer) }
        try terminal.press("Enter")
        try terminal.waitForEnd()
        let screen = try terminal.screen()
        #expect(
            screen.first?.hasPrefix("Delete 2 items of the job 'list' from the catalog, and 2 files (8 B) in ") == true)
        #expect(screen.last == (isDeleted ? "status 0" : "status 1"))
        #expect(workplace.files().count == (isDeleted ? 0 : 2))
    }

    @Test("Ctrl-C drains the run, and the shell sees that it ended by the signal")
    func interrupt() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        server.hold("/0")
        try workplace.writeJob(
            source: ["template: '\(server.url("/{n}"))'", "count: 3"], transfer: ["concurrency: 1"])
        let terminal = try TmuxTerminal(workplace, columns: 120)
        try terminal.start([Workplace.Program.testRunner.path, "job.yaml"])
        try server.waitForRequests(1)
        try terminal.press("C-c")
        try terminal.waitForOutput { $0.contains("stopping: what is in flight may end within") }
        server.release("/0")
        try terminal.waitForEnd()
        let screen = try terminal.screen()
        #expect(screen.contains { $0.contains("1 downloaded, 0 unchanged, 0 fresh, 0 failed, 2 cancelled") })
        #expect(screen.last == "status 130")
    }
}
