import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("End to end: gc", .wholeProgramLimit)
struct GCTests {
    /// Four items of 14 bytes, stored one after the other, in folders with names in Vietnamese.
    private func stored(_ workplace: Workplace) throws -> FaultyServer {
        let server = try FaultyServer { request in .ok("the body of \(request.path)", headers: [("ETag", "\"1\"")]) }
        try workplace.writeJob(
            source: ["items:"]
                + (0..<4).map { number in
                    "  - {key: '\(number)', url: '\(server.url("/\(number)"))', title: 'Ảnh \(number)', "
                        + "collection: 'Hà Nội'}"
                })
        for number in 0..<4 {
            let result = try workplace.run(["job.yaml", "--only", "\(number)"])
            guard result.ending == .exit(0) else { throw TestSupportError(result.errors) }
        }
        return server
    }

    @Test("prints what goes, before and after alike; the next run does not fetch it, and --refresh does")
    func limit() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        let asked = server.requests.count
        let lines = ["0", "1"].map { "evict\tlist\t\($0)\tHà Nội/Ảnh \($0).bin\t14" }

        let dry = try workplace.run(["gc", "--max-bytes", "30", "--dry-run"])
        #expect(dry.ending == .exit(0))
        #expect(dry.lines == lines)
        #expect(dry.errors == "list: 2 items would be evicted, which frees 28 B; 28 B of 30 B would be kept\n")
        #expect(workplace.files().count == 4)

        let result = try workplace.run(["gc", "list", "--max-bytes", "30"])
        #expect(result.ending == .exit(0))
        #expect(result.lines == lines)
        #expect(result.errors == "list: 2 items evicted, which frees 28 B; 28 B of 30 B are kept\n")
        #expect(workplace.files() == ["Hà Nội/Ảnh 2.bin", "Hà Nội/Ảnh 3.bin"])
        #expect(try workplace.run(["verify"]).ending == .exit(0))

        let run = try workplace.run(["job.yaml", "--set", "refresh=never"])
        #expect(run.ending == .exit(0))
        #expect(run.errors.hasPrefix("list: 0 downloaded, 0 unchanged, 2 fresh, 2 evicted, 0 failed, 0 B in "))
        #expect(server.requests.count == asked)
        let plan = try workplace.run(["plan", "job.yaml"])
        #expect(plan.lines.map { $0.split(separator: "\t")[3] } == ["evicted", "evicted", "ask", "ask"])

        #expect(try workplace.run(["job.yaml", "--only", "0", "--refresh"]).ending == .exit(0))
        #expect(workplace.files() == ["Hà Nội/Ảnh 0.bin", "Hà Nội/Ảnh 2.bin", "Hà Nội/Ảnh 3.bin"])
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("the limit is the job file's as it is now; without the file only --max-bytes gives one")
    func jobFile() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["gc"]).errors == "list: nothing to remove\n")
        let job = String(decoding: workplace.read("job.yaml") ?? [], as: UTF8.self)
        try workplace.directory.write(
            job.replacing("directory: out", with: "directory: out\n  max_bytes: 20"), to: "job.yaml")
        #expect(try workplace.run(["gc", "job.yaml", "--dry-run"]).lines.count == 3)
        #expect(try workplace.run(["gc"]).lines.count == 3)
        workplace.remove("job.yaml")
        let blind = try workplace.run(["gc"])
        #expect(blind.ending == .exit(1))
        #expect(
            blind.errors == "list: nothing to remove; its limit is not known, since "
                + "\(workplace.directory.path("job.yaml")) can't be read: runner check tells why, --max-bytes gives one\n"
        )
        #expect(try workplace.run(["gc", "--max-bytes", "0"]).ending == .exit(0))
        #expect(workplace.files() == [])
    }

    @Test("a run keeps within output.max_bytes by itself, and its summary, report and catalog tell of it")
    func run() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        let result = try workplace.run(["job.yaml", "--set", "output.max_bytes=30", "--set", "refresh=never", "-v"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("evicted  list Ảnh 0 (14 B) Hà Nội/Ảnh 0.bin\n"))
        #expect(result.errors.contains("; evicted 2 files, which frees 28 B\n"))
        let report = try workplace.run(["report", "list"]).output
        #expect(report.contains("evicted    2 files to keep within output.max_bytes, which freed 28 B\n"))

        #expect(try workplace.run(["job.yaml", "--set", "refresh=never"]).ending == .exit(0))
        let items = try workplace.run(["report", "list", "--items"]).output
        #expect(items.contains("4: 2 fresh, 2 evicted\n"))
        #expect(items.contains("  evicted          14 B "))
        let json = try workplace.run(["report", "list", "--format", "json", "--items", "--collections"]).output
        #expect(json.contains("\"evicted\": 2"))
        #expect(json.contains("\"state\": \"evicted\""))
        let shown = try workplace.run(["show", "list", "0"]).output
        #expect(shown.contains("  state       evicted: "))
    }

    @Test(
        "--gone prints what goes of delisted items, before and after alike, with its metadata file; nothing else does it"
    )
    func gone() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["job.yaml", "--set", "output.sidecar=json"]).ending == .exit(0))
        let job = String(decoding: workplace.read("job.yaml") ?? [], as: UTF8.self)
        let fewer = job.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("key: '1'") }
        try workplace.directory.write(fewer.joined(separator: "\n"), to: "job.yaml")
        #expect(try workplace.run(["job.yaml", "--set", "output.sidecar=json"]).ending == .exit(0))
        #expect(try workplace.run(["gc"]).lines == [])
        #expect(workplace.files().count == 8)

        let dry = try workplace.run(["gc", "--gone", "--dry-run"])
        #expect(dry.lines == ["gone\tlist\t1\tHà Nội/Ảnh 1.bin\t14"])
        #expect(dry.errors == "list: 1 delisted file would be removed, which frees 14 B\n")
        #expect(workplace.files().count == 8)
        let result = try workplace.run(["gc", "--gone"])
        #expect(result.lines == dry.lines)
        #expect(result.errors == "list: 1 delisted file removed, which frees 14 B\n")
        #expect(
            workplace.files()
                == ["0", "2", "3"].flatMap { ["Hà Nội/Ảnh \($0).bin", "Hà Nội/Ảnh \($0).bin.json"] })
        #expect(try workplace.run(["verify"]).ending == .exit(0))
        #expect(try workplace.catalog().contradictions() == [])
    }

    @Test("what runner show has shown goes last")
    func viewed() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["show", "list", "0"]).ending == .exit(0))
        let again = try workplace.run(["show", "job.yaml", "0"])
        #expect(again.output.contains("  viewed "))
        #expect(try workplace.run(["gc", "--max-bytes", "15"]).ending == .exit(0))
        #expect(workplace.files() == ["Hà Nội/Ảnh 0.bin"])
        #expect(try workplace.catalog().values("SELECT kind FROM mark") == ["viewed"])
    }

    @Test("75 while a run holds the job, and nothing goes", arguments: [[], ["--dry-run"]])
    func locked(_ flags: [String]) throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        server.hold("/0")
        let asked = server.requests.count
        let program = try workplace.start(["job.yaml"])
        try server.waitForRequests(asked + 4)
        let result = try workplace.run(["gc", "--max-bytes", "0"] + flags)
        #expect(result.ending == .exit(75))
        #expect(result.errors.hasPrefix("list: another run (pid \(program.processID), since "))
        server.release("/0")
        #expect(try program.wait().ending == .exit(0))
        #expect(workplace.files().count == 4)
    }

    @Test("an empty catalog, none, an unknown job, a size that is none")
    func words() throws {
        let workplace = try Workplace()
        let missing = try workplace.run(["gc"])
        #expect(missing.ending == .exit(2))
        #expect(missing.errors.contains("there is no catalog at "))
        try workplace.writeJob("empty", to: "empty.yaml", source: ["items: []"])
        #expect(try workplace.run(["empty.yaml"]).ending == .exit(0))
        #expect(
            try workplace.run(["gc", "--max-bytes", "1GB"]).errors
                == "empty: nothing to remove; 0 B of 1.0 GB are kept\n")
        let unknown = try workplace.run(["gc", "emtpy"])
        #expect(unknown.ending == .exit(64))
        #expect(unknown.errors.hasPrefix("runner: the catalog has no job 'emtpy'; did you mean 'empty'?\n"))
        #expect(try workplace.run(["gc", "empty", "emtpy"]).errors.hasPrefix("runner: the catalog has no job"))
        let size = try workplace.run(["gc", "--max-bytes", "lots"])
        #expect(size.ending == .exit(64))
        #expect(size.errors.contains("--max-bytes must be a size such as "))
        // The output directory may not be mounted.
        try workplace.directory.remove("out")
        let away = try workplace.run(["gc"])
        #expect(away.ending == .exit(2))
        #expect(away.errors.hasPrefix("empty: failed: cannot open "))
    }

    @Test("a file that can't be removed stays the job's, and another one goes")
    func immovable() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        let fault = Fault(action: .fail(EPERM), calls: "remove")
        let commands = [
            ["gc", "--max-bytes", "30"], ["job.yaml", "--set", "output.max_bytes=20", "--set", "refresh=never"],
        ]
        // A run has removed a name for its control socket before.
        for (command, (number, gone)) in zip(commands, [(1, ["1", "2"]), (2, ["3"])]) {
            let result = try workplace.run(
                command, environment: fault.environment(number: number, report: workplace.directory.path("report")))
            #expect(result.ending == .exit(command[0] == "gc" ? 2 : 0))
            #expect(result.errors.contains("Ảnh 0.bin: Operation not permitted; it stays"))
            let evicted: [String] = try workplace.catalog().values("SELECT key FROM item WHERE state = 'evicted'")
            #expect(gone.allSatisfy(evicted.contains))
            #expect(workplace.files().contains("Hà Nội/Ảnh 0.bin"))
            #expect(try workplace.run(["verify"]).ending == .exit(0))
            #expect(try workplace.catalog().contradictions() == [])
        }
    }

    @Test("reset deletes evicted items, and asks for the bytes that are there")
    func reset() throws {
        let workplace = try Workplace()
        let server = try stored(workplace)
        withExtendedLifetime(server) {}
        #expect(try workplace.run(["gc", "--max-bytes", "15"]).ending == .exit(0))
        #expect(try workplace.run(["reset", "list", "--yes"]).errors == "list: 4 items and 1 file deleted\n")
    }
}

/// A fault at the calls that change a file, while files are evicted: at each of a few kinds, else at a sample of them, which
/// `RUNNER_FAULTS=all` makes all.
@Suite("End to end: evicting, killed at any call", .wholeProgramLimit)
struct EvictionFaultTests {
    /// What evicts: the command by hand, and a run that stores more.
    private static let commands: [[String]] = [
        ["gc", "list", "--max-bytes", "40"],
        ["job.yaml", "--set", "output.max_bytes=40", "--only", "[2-5]", "--set", "transfer.concurrency=1"],
    ]

    @Test(
        "files and rows agree, and nothing stays that no row claims",
        arguments: commands,
        [
            Fault(action: .kill, calls: "remove,cut"), Fault(action: .kill, calls: "write,sync,rename,create,link"),
            Fault(action: .tear, calls: "write"), Fault(action: .fail(EIO), calls: "sync,remove,cut"),
            Fault(action: .fail(ENOSPC), calls: "write,sync"),
        ])
    func faults(_ command: [String], _ fault: Fault) throws {
        let workplace = try Workplace()
        let server = try FaultyServer { request in .ok("the body of \(request.path)", headers: [("ETag", "\"1\"")]) }
        try workplace.directory.makeFolder("state")
        let database = workplace.directory.path("state/catalog.sqlite")
        try workplace.writeJob(source: ["template: '\(server.url("/{n}"))'", "count: 6"])
        let arguments = { (command: [String]) in command + ["--database", database] }
        for number in 0..<4 {
            #expect(try workplace.run(arguments(["job.yaml", "--only", "\(number)"])).ending == .exit(0))
        }
        try workplace.directory.write("mine", to: "out/list/mine.txt")
        let report = workplace.directory.path("report")
        for folder in ["out", "state"] {
            try Subprocess.run(["cp", "-a", workplace.directory.path(folder), workplace.directory.path("\(folder).0")])
        }
        func restore() throws {
            for folder in ["out", "state"] {
                try workplace.directory.remove(folder)
                try Subprocess.run(
                    ["cp", "-a", workplace.directory.path("\(folder).0"), workplace.directory.path(folder)])
            }
            unlink(report)
        }
        func attempt(_ number: Int) throws -> FaultReport {
            try restore()
            _ = try workplace.start(
                arguments(command), environment: fault.environment(number: number, report: report)
            ).wait()
            return try FaultReport(path: report)
        }
        let count = try attempt(0).count
        #expect(count > 0)
        let isSample = getenv("RUNNER_FAULTS") == nil && fault.calls != "remove,cut"
        let numbers = Array(stride(from: 1, through: count, by: isSample ? 7 : 1))
        for number in numbers {
            let hit = try attempt(number).hit
            let comment: Comment = "\(command[0]), \(fault.testDescription), call \(number): \(hit)"
            try check(workplace, database, isFinished: false, comment)
            // The next one ends it.
            #expect(try workplace.run(arguments(command)).ending == .exit(0), comment)
            try check(workplace, database, isFinished: true, comment)
        }
        print("\(command[0]), \(fault.testDescription) (\(fault.calls)): \(numbers.count) of \(count) calls tried")
    }

    /// No row without its file; in the end no file without its row, and the limit is kept.
    private func check(
        _ workplace: Workplace, _ database: String, isFinished: Bool, _ comment: Comment
    ) throws {
        let catalog = try CatalogCopy(of: database)
        #expect(try catalog.contradictions() == [], comment)
        let stored: [String] = try catalog.values("SELECT path FROM item WHERE state = 'stored'")
        let files = workplace.files()
        #expect(Set(stored).isSubset(of: files), comment)
        #expect(workplace.read("out/list/mine.txt") == Array("mine".utf8), comment)
        guard isFinished else { return }
        #expect(Set(files) == Set(stored + ["list/mine.txt"]), comment)
        #expect(stored.count == 2, comment)
    }
}
