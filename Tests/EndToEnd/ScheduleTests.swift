import Glibc
import TestSupport
import Testing

@Suite("End to end: schedule", .wholeProgramLimit)
struct ScheduleTests {
    private func schedule(_ workplace: Workplace, _ arguments: [String], environment: [String: String] = [:]) throws
        -> RunningProgram.Result
    {
        try workplace.run(
            ["schedule"] + arguments, environment: ["RUNNER_DATABASE": ""].merging(environment) { $1 })
    }

    private static let filter =
        #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/unit-filter.py"

    /// Runs a program to its end; what it wrote to both streams.
    private func ask(_ words: [String]) throws -> (ending: RunningProgram.Ending, text: String) {
        let program = try RunningProgram(
            words,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": "/run"],
            directory: "/")
        let result = try program.wait()
        return (result.ending, result.output + result.errors)
    }

    /// The score of `systemd-analyze security`, which is low where little is allowed.
    private func exposure(_ unit: String) throws -> Double {
        let (_, text) = try ask(["systemd-analyze", "security", "--offline=true", "--no-pager", unit])
        let line = try #require(text.split(separator: "\n").first { $0.contains("Overall exposure level") })
        return try #require(line.split(separator: " ").compactMap { Double($0) }.first)
    }

    @Test(
        "systemd finds no fault with the units, and little that the service may do",
        arguments: [
            (["--daily", "04:17"], [String]()), (["--every", "15m"], ["media: {}"]),
            (["--every", "45m", "--deadline", "2h"], ["notify: {command: [/bin/true], metrics: /var/lib/prom}"]),
            (["--cron", "0 0 13 * 5"], []), (["--cron", "@reboot", "--wait", "10m"], []),
        ])
    func units(_ times: [String], _ rest: [String]) throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"], output: "/srv/downloads/a b%c", rest: rest)
        try workplace.directory.makeFolder("units")
        let folder = workplace.directory.path("units")
        let result = try schedule(workplace, ["job.yaml", "--install", folder] + times)
        #expect(result.ending == .exit(0))
        let units = ["runner-list.service", "runner-list.timer", "runner-failed@.service"]
        #expect(result.lines == units.map { "\(folder)/\($0)" })
        let (ending, text) = try ask(["systemd-analyze", "verify", "--man=no"] + units.map { "\(folder)/\($0)" })
        #expect(ending == .exit(0) && text.isEmpty, "\(text)")
        #expect(try exposure("\(folder)/runner-list.service") <= 2.0)
        #expect(try exposure("\(folder)/runner-failed@.service") <= 2.0)
    }

    @Test("the units have what the job needs: its folders, its variables, its programs")
    func needs() throws {
        let workplace = try Workplace()
        try workplace.writeJob(
            source: ["items: [{key: a, url: 'https://h/${TOKEN}'}]"], output: "/srv/out", rest: ["media: {}"])
        let text = try schedule(
            workplace, ["job.yaml", "--daily", "4:05", "--database", "/srv/c.sqlite", "--deadline", "2h"],
            environment: ["TOKEN": "x", "RUNNER_MEDIA": "/opt/media"]
        ).output
        for line in [
            "# /etc/systemd/system/runner-list.service", "User=runner", "StateDirectory=runner",
            "EnvironmentFile=/etc/runner/list.env", "Environment=RUNNER_MEDIA=/opt/media", "ReadWritePaths=-/srv/out",
            "ReadWritePaths=-/srv", "SuccessExitStatus=75", "TimeoutStartSec=8100", "OnCalendar=*-*-* 04:05",
            "Persistent=true", "RandomizedDelaySec=600", "FixedRandomDelay=true", "NotifyAccess=main",
            "OnFailure=runner-failed@%N.service",
            "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged",
        ] { #expect(text.contains("\n\(line)\n") || text.hasPrefix("\(line)\n"), "\(line)") }
        #expect(
            text.contains(
                " run --quiet --log journal --deadline 2h --database /srv/c.sqlite \(workplace.directory.path)/job.yaml\n"
            ))
        // Of the test's own, which is below /tmp.
        #expect(text.contains("\nPrivateTmp=false\n"))
        #expect(!service(in: text).contains("MemoryDenyWriteExecute"))
    }

    /// The first of the units that are printed.
    private func service(in text: String) -> String {
        text.split(separator: "# /etc/systemd/system/").first.map(String.init) ?? ""
    }

    @Test("own units of a user ask for nothing that only the machine's manager can do")
    func user() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        try workplace.directory.makeFolder("units")
        let folder = workplace.directory.path("units")
        #expect(
            try schedule(workplace, ["job.yaml", "--every", "4h", "--user", "--install", folder]).ending == .exit(0))
        let text = String(decoding: workplace.read("units/runner-list.service") ?? [], as: UTF8.self)
        #expect(!text.contains("User=") && !text.contains("StateDirectory") && !text.contains("ProtectSystem"))
        #expect(text.contains("NoNewPrivileges=true") && text.contains("SystemCallFilter="))
        let (ending, words) = try ask([
            "systemd-analyze", "verify", "--user", "--man=no", "\(folder)/runner-list.service",
        ])
        #expect(ending == .exit(0) && words.isEmpty, "\(words)")
    }

    @Test("what schedule wrote it writes anew, and nothing else")
    func replacing() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        try workplace.directory.makeFolder("units")
        let folder = workplace.directory.path("units")
        let arguments = ["job.yaml", "--install", folder, "--daily"]
        #expect(try schedule(workplace, arguments + ["04:17"]).ending == .exit(0))
        #expect(try schedule(workplace, arguments + ["05:17"]).ending == .exit(0))
        let timer = String(decoding: workplace.read("units/runner-list.timer") ?? [], as: UTF8.self)
        #expect(timer.contains("OnCalendar=*-*-* 05:17\n"))
        try workplace.directory.write("[Timer]\n", to: "units/runner-list.timer")
        let result = try schedule(workplace, arguments + ["06:17"])
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("runner-list.timer is there and was not written by runner schedule"))
    }

    @Test(
        "the units of another job file with the same job name stay, until that file is gone", arguments: [false, true])
    func sameName(_ isCrontab: Bool) throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        try workplace.directory.makeFolder("other")
        try workplace.writeJob(to: "other/job.yaml", source: ["items: []"])
        try workplace.directory.makeFolder("units")
        let arguments = ["--daily", "04:17", "--install", "units"] + (isCrontab ? ["--format", "crontab"] : [])
        func installed() -> [[UInt8]?] { workplace.directory.names(in: "units").map { workplace.read("units/\($0)") } }
        #expect(try schedule(workplace, ["job.yaml"] + arguments).ending == .exit(0))
        let before = installed()
        let result = try schedule(workplace, ["other/job.yaml"] + arguments)
        #expect(result.ending == .exit(2))
        #expect(
            result.errors.contains(
                "runs \(workplace.directory.path("job.yaml")), whose job has the same name: give one"))
        #expect(installed() == before)
        // The same file by another path.
        #expect(try schedule(workplace, ["./other/../job.yaml"] + arguments).ending == .exit(0))
        workplace.remove("job.yaml")
        #expect(try schedule(workplace, ["other/job.yaml"] + arguments).ending == .exit(0))
        #expect(installed() != before)
    }

    @Test(
        "what can't be is usage, with what can",
        arguments: [
            (["job.yaml"], "needs --every, --daily or --cron"),
            (["job.yaml", "--daily", "24:00"], "a time such as 04:17"),
            (["job.yaml", "--daily", "04:17", "--every", "2h"], "--daily and --every each say when"),
            (["job.yaml", "--cron", "0 4 * * *", "--daily", "04:17"], "--cron and --daily each say when"),
            (["job.yaml", "--every", "90s"], "whole minutes"), (["job.yaml", "--every", "366d"], "at most 365d"),
            (["job.yaml", "--cron", "61 * * * *"], "the minute has '61', which is not from 0 to 59"),
            (["job.yaml", "--every", "45m", "--format", "crontab"], "a time that divides an hour or a day"),
            (["job.yaml", "--daily", "04:17", "--format", "json"], "must be systemd or crontab"),
        ])
    func usage(_ arguments: [String], _ words: String) throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        let result = try schedule(workplace, arguments)
        #expect(result.ending == .exit(64))
        #expect(result.errors.contains(words))
        #expect(result.output.isEmpty)
    }

    @Test("other commands have no units to write", arguments: ["report", "status"])
    func otherFormats(_ command: String) throws {
        let workplace = try Workplace()
        #expect(try workplace.run([command, "--format", "crontab"]).ending == .exit(64))
    }

    // MARK: cron

    @Test("a crontab's line has what cron does not give, and quotes what cron and the shell would read")
    func crontab() throws {
        let workplace = try Workplace()
        try workplace.writeJob(source: ["items: []"])
        try workplace.directory.write(workplace.read("job.yaml") ?? [], to: "100% of it.yaml")
        let text = try schedule(workplace, ["100% of it.yaml", "--cron", "17 4 * * 1-5", "--format", "crontab"]).output
        #expect(text.contains("\nPATH=/usr/local/bin:/usr/bin:/bin\nLANG=C.UTF-8\nMAILTO=root\n17 4 * * 1-5 /"))
        #expect(text.hasSuffix(" run --quiet --jitter 1m '\(workplace.directory.path)/100\\% of it.yaml'\n"))
    }

    @Test(
        "a real cron daemon runs the job with its own environment, and mails what failed",
        .enabled(if: CronDaemon.isThere))
    func daemon() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in request.path == "/a" ? .ok("body") : .status(404) }
        try workplace.writeJob(
            source: [
                "items: [{key: a, url: '\(server.url("/a"))', title: Grüße}, {key: b, url: '\(server.url("/b"))'}]"
            ])
        let table = try workplace.run(
            ["schedule", "job.yaml", "--cron", "@reboot", "--format", "crontab", "--jitter", "1s"]
        ).output
        try workplace.directory.makeFolder("cron")
        let mail = try CronDaemon(table, in: workplace.directory.path("cron")).mail()
        #expect(mail.contains("list: 1 downloaded") && mail.contains("1 failed"))
        #expect(mail.contains("failed  list b: http: the server answered 404"))
        #expect(mail.contains("X-Cron-Env: <LANG=C.UTF-8>"))
        #expect(workplace.files() == ["list/Grüße.bin"])
    }

    // MARK: Rights

    @Test(
        "pictures are made under the service's filter of system calls, and not without its exceptions",
        arguments: [true, false])
    func filter(_ hasExceptions: Bool) throws {
        let place = try PicturePlace(try PicturePlace.samples(["baseline.jpg", "lossy.webp"]))
        let workplace = place.workplace
        let units = service(in: try workplace.run(["schedule", "job.yaml", "--daily", "04:17"]).output)
        try workplace.directory.write(
            hasExceptions
                ? units
                : units.replacing(
                    "capset landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp", with: "@default"),
            to: "unit")
        // LeakSanitizer needs system calls that the filter refuses.
        var environment = workplace.environment
        environment["ASAN_OPTIONS", default: ""] += ":detect_leaks=0"
        let program = try RunningProgram(
            ["/usr/bin/python3", Self.filter, "unit", Workplace.Program.testRunner.path, "job.yaml", "-v"],
            environment: environment, directory: workplace.directory.path)
        let result = try program.wait()
        #expect(result.errors.contains("list: 2 downloaded"))
        #expect(result.errors.contains("rendered  list baseline.jpg") == hasExceptions, "\(result.errors)")
        #expect((result.ending == .exit(0)) == hasExceptions)
    }
}
