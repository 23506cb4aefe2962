import Glibc
import TestSupport
import Testing

@Suite("End to end: notify", .wholeProgramLimit)
struct NotifyTests {
    /// A job of one item, with these keys below `notify`.
    private func job(_ workplace: Workplace, _ url: String, notify: [String], rest: [String] = []) throws {
        try workplace.writeJob(
            source: ["items: [{key: a, url: '\(url)'}]"], transfer: ["retries: 0"],
            rest: ["notify:"] + notify.map { "  \($0)" } + rest)
    }

    // MARK: Metrics

    @Test("metrics are a whole file that everybody may read, with the last success whatever comes after it")
    func metrics() throws {
        let workplace = try Workplace()
        let isBroken = Monitor(false)
        let server = try FaultyServer { _ in isBroken.withLock(\.self) ? .status(404) : .ok("body") }
        try workplace.directory.makeFolder("prom")
        try job(workplace, server.url("/a"), notify: ["metrics: prom"], rest: ["refresh: always"])
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0))
        func line(_ name: String) -> String? {
            String(decoding: workplace.read("prom/runner-list.prom") ?? [], as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix(name) }.map(String.init)
        }
        let success = try #require(line("runner_run_last_success_timestamp_seconds"))
        #expect(success.contains(#"{job_name="list"}"#))
        var information = stat()
        try #require(stat(workplace.directory.path("prom/runner-list.prom"), &information) == 0)
        #expect(information.st_mode & 0o777 == 0o644)
        isBroken.withLock { $0 = true }
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(1))
        #expect(line("runner_run_last_success_timestamp_seconds") == success)
        #expect(line(#"runner_run_items{job_name="list",outcome="failed"}"#)?.hasSuffix(" 1") == true)
        #expect(workplace.directory.names(in: "prom") == ["runner-list.prom"])
    }

    @Test("a file by its name, and what cannot be written is a line without another exit code")
    func metricsFile() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try job(workplace, server.url("/a"), notify: ["metrics: other.prom"])
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0))
        #expect(workplace.read("other.prom") != nil)
        try job(workplace, server.url("/a"), notify: ["metrics: missing/"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("list: notify.metrics: cannot write"))
    }

    @Test(
        "metrics go to no pipe, no device, and no file of the program's own",
        arguments: [
            ("pipe.prom", "it is not a regular file"), ("null.prom", "it is not a regular file"),
            ("catalog.prom", "is the catalog"), ("job.prom", "is the file of the job 'list'"),
            ("out/.runner", "in "),
        ])
    func metricsElsewhere(_ place: String, _ words: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try job(workplace, server.url("/a"), notify: ["metrics: \(place)"])
        try #require(mkfifo(workplace.directory.path("pipe.prom"), 0o600) == 0)
        try #require(symlink("/dev/null", workplace.directory.path("null.prom")) == 0)
        try #require(
            rename(workplace.directory.path("job.yaml"), workplace.directory.path("job.prom")) == 0)
        let result = try workplace.run(["job.prom", "-q", "--database", "catalog.prom"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("list: notify.metrics: ") && result.errors.contains(words))
        #expect(workplace.read("catalog.prom")?.starts(with: "SQLite format 3".utf8) == true)
        #expect(workplace.read("job.prom")?.starts(with: "name: list".utf8) == true)
    }

    // MARK: Heartbeat

    @Test("a service that does not answer is named with the time that it had, and its beginning is not waited for")
    func slowHeartbeat() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/a" ? .ok("body") : .ok("OK") }
        server.hold("/ping/start")
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping"))'"])
        // The beginning is never answered: its end is what the service hears next.
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0) && result.errors.isEmpty, "\(result.errors)")
        #expect(server.requests.count { $0.path == "/ping/start" } == 1)
        #expect(server.requests.last?.path == "/ping/0")
        server.release("/ping/start")
    }

    @Test("a heartbeat hears of the beginning and the exit code, paired, with a summary")
    func heartbeat() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/a" ? .status(404) : .ok("OK") }
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping/${PING}/?create=1"))'"])
        let result = try workplace.run(["job.yaml", "-q"], environment: ["PING": "s3cr3t-uuid"])
        #expect(result.ending == .exit(1))
        let pings = server.requests.filter { $0.path.hasPrefix("/ping") }
        #expect(pings.map(\.path) == ["/ping/s3cr3t-uuid/start", "/ping/s3cr3t-uuid/1"])
        #expect(pings.map(\.method) == ["POST", "POST"])
        #expect(pings[1].body.starts(with: "list: run 1 partial: 0 downloaded".utf8))
        let pairs = pings.map { $0.target.drop { $0 != "?" } }
        #expect(pairs[0] == pairs[1] && pairs[0].contains(/^\?create=1&rid=[0-9a-f-]{36}$/))
        #expect(!result.errors.contains("s3cr3t-uuid"))
        #expect(!String(decoding: workplace.read("catalog.sqlite") ?? [], as: UTF8.self).contains("s3cr3t-uuid"))
    }

    @Test("one that fails is asked three times and is a line, and the exit code stays")
    func failingHeartbeat() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/a" ? .ok("body") : .status(500) }
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping"))'"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("list: notify.heartbeat: the server answered 500, 3 times"))
        #expect(server.requests.count { $0.path == "/ping/0" } == 3)
    }

    @Test("one that is gone, or redirects for ever, is asked no more", arguments: [404, 302])
    func goneHeartbeat(_ status: Int) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            if request.path == "/a" { return .ok("body") }
            return status == 302 ? .redirect(to: "/loop") : .status(404)
        }
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping"))'"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains(status == 302 ? "more than 5 redirects" : "the server answered 404"))
        #expect(server.requests.count { $0.path == "/ping/0" } == 1)
    }

    @Test("a redirect is followed, and nobody at the port is a line")
    func movedHeartbeat() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            request.path.hasPrefix("/ping") ? .redirect(to: "/moved", status: 308) : .ok("body")
        }
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping"))'"])
        #expect(try workplace.run(["job.yaml", "-q"]).errors.isEmpty)
        #expect(server.requests.filter { $0.path == "/moved" }.map(\.method) == ["POST", "POST"])
        try job(workplace, server.url("/a"), notify: ["heartbeat: 'http://127.0.0.1:1/ping'"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("notify.heartbeat: "))
    }

    @Test("a run that cannot begin because another holds the job says nothing; one that fails before it begins does")
    func heartbeatWithoutRun() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/a" ? .ok("body") : .ok("OK") }
        server.hold("/a")
        try job(workplace, server.url("/a"), notify: ["heartbeat: '\(server.url("/ping"))'"])
        let first = try workplace.start(["job.yaml", "-q"])
        try server.waitForRequests(1, path: "/a")
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(75))
        server.release("/a")
        #expect(try first.wait().ending == .exit(0))
        #expect(server.requests.map(\.path).filter { $0 != "/a" } == ["/ping/start", "/ping/0"])
        // A file where the directory should be.
        try workplace.directory.write("x", to: "file")
        try workplace.writeJob(
            "other", source: ["items: []"], output: "file/out", rest: ["notify: {heartbeat: '\(server.url("/ping"))'}"])
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(2))
        #expect(server.requests.last?.path == "/ping/2")
    }

    @Test("the heartbeat's host is no place to fetch from: a list that leads there is refused")
    func heartbeatTrust() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/list" ? .ok("http://127.0.0.1:1/x\n") : .ok("OK") }
        try workplace.directory.write(
            """
            name: m
            source: {type: manifest, url: '\(server.url("/list"))', include: '*'}
            output: {directory: out}
            expect: any
            transfer: {retries: 0}
            notify: {heartbeat: 'http://127.0.0.1:1/x'}
            """, to: "m.yaml")
        let result = try workplace.run(["m.yaml"], with: .runner)
        #expect(result.errors.contains("blocked-address"))
    }

    // MARK: Command

    private func script(_ workplace: Workplace, _ text: String) throws {
        let path = try workplace.directory.write("#!/bin/sh\n\(text)\n", to: "hook.sh")
        try #require(chmod(path, 0o755) == 0)
    }

    /// What the script wrote, a line each.
    private func said(_ workplace: Workplace) -> [String] {
        String(decoding: workplace.read("said") ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("a command gets the run as JSON, and event, job and run in its environment")
    func command() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .status(404) }
        try script(workplace, #"echo "$RUNNER_EVENT $RUNNER_JOB $RUNNER_RUN $1" >> said; cat > input"#)
        try job(workplace, server.url("/a"), notify: ["command: [./hook.sh, 'an argument; true']"])
        let result = try workplace.run(["job.yaml", "-q"], environment: ["NOTIFY_SOCKET": "/nowhere"])
        #expect(result.ending == .exit(1))
        #expect(said(workplace) == ["failed list 1 an argument; true"])
        let input = try JSONValue(String(decoding: workplace.read("input") ?? [], as: UTF8.self))
        #expect(input["event"]?.text == "failed" && input["exit"]?.number == 1)
        #expect(input["run"]?["outcome"]?.text == "partial" && input["run"]?["failed"]?.number == 1)
        #expect(
            input["failures"]?.elements.first?["key"]?.text == "a"
                && input["failures"]?.elements.first?["status"]?.number == 404)
        #expect(input["summary"]?.text?.hasPrefix("list: run 1 partial: ") == true)
    }

    @Test(
        "on failure it hears of each failure, on change of the first and of the recovery, always of every run",
        arguments: [
            ("failure", ["failed", "failed"]), ("change", ["failed", "recovered"]),
            ("always", ["succeeded", "failed", "failed", "recovered", "succeeded"]),
        ])
    func occasions(_ occasion: String, _ expected: [String]) throws {
        let workplace = try Workplace()
        let isBroken = Monitor(false)
        let server = try FaultyServer { _ in isBroken.withLock(\.self) ? .status(500) : .ok("body") }
        try script(workplace, "echo $RUNNER_EVENT >> said")
        try job(
            workplace, server.url("/a"), notify: ["command: [./hook.sh]", "on: \(occasion)"], rest: ["refresh: always"])
        for isFailing in [false, true, true, false, false] {
            isBroken.withLock { $0 = isFailing }
            #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(isFailing ? 1 : 0))
        }
        #expect(said(workplace) == expected)
    }

    @Test(
        "a command that fails, is missing or floods is a line with what it wrote",
        arguments: [
            ("echo no mail here >&2; exit 3", "it ended with exit code 3: no mail here"),
            ("kill -9 $$", "it ended by signal 9"), ("yes | head -c 5000000; exit 1", "it ended with exit code 1: y"),
        ])
    func failingCommand(_ text: String, _ words: String) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try script(workplace, text)
        try job(workplace, server.url("/a"), notify: ["command: [./hook.sh]", "on: always"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.hasPrefix("list: notify.command: \(words)"))
        #expect(result.errors.utf8.count < 10_000)
    }

    @Test("a program that is not there is named")
    func missingCommand() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try job(workplace, server.url("/a"), notify: ["command: [./nothing]", "on: always"])
        let result = try workplace.run(["job.yaml", "-q"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("notify.command: ./nothing is not an executable file"))
    }

    @Test("what a command has started is gone with it")
    func orphans() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try script(workplace, "sleep 1000 & echo $! > child")
        try job(workplace, server.url("/a"), notify: ["command: [./hook.sh]", "on: always"])
        #expect(try workplace.run(["job.yaml", "-q"]).ending == .exit(0))
        let child = try #require(Int32(said(workplace, "child")[0]))
        #expect(kill(child, 0) < 0 && errno == ESRCH)
    }

    private func said(_ workplace: Workplace, _ name: String) -> [String] {
        String(decoding: workplace.read(name) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("what a command writes is in the log, and not among the output of the run")
    func commandOutput() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { _ in .ok("body") }
        try script(workplace, "echo to stdout; echo to stderr >&2")
        try job(workplace, server.url("/a"), notify: ["command: [./hook.sh]", "on: always"])
        let result = try workplace.run(["job.yaml", "-q", "--log", "run.log"])
        #expect(result.ending == .exit(0) && result.output.isEmpty && result.errors.isEmpty)
        let log = String(decoding: workplace.read("run.log") ?? [], as: UTF8.self)
        #expect(log.contains(" info notify job=list detail=\"to stdout\\nto stderr\"\n"))
    }

    // MARK: The job file

    @Test(
        "what cannot be is refused with its place, and a URL is not repeated",
        arguments: [
            ("heartbeat: s3cr3t-uuid", "must be an http or https URL"), ("command: []", "must begin with a program"),
            ("command: [\"\"]", "must begin with a program"), ("on: sometimes", "failure"),
            ("metrics: \"\"", "must be a file or a folder"), ("heartbeet: x", "did you mean 'heartbeat'?"),
        ])
    func faults(_ line: String, _ words: String) throws {
        let workplace = try Workplace()
        try job(workplace, "http://127.0.0.1/a", notify: [line])
        let result = try workplace.run(["check", "job.yaml"])
        #expect(result.ending == .exit(78))
        #expect(result.errors.contains(words))
        #expect(!result.errors.contains("s3cr3t-uuid"))
    }
}
