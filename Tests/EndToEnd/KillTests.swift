import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

/// kill -9 at random moments of a run, and a second run to the end.
@Suite("End to end: killed at any moment", .wholeProgramLimit)
struct KillTests {
    private static let count = 300
    private static let roundsPerCase = 10

    @Test(
        "no wrong file, no row without its file, and the next run fetches only what is missing",
        arguments: ["batch", "none"], 0..<4)
    func killed(_ durability: String, _ part: Int) throws {
        let site = try Site(count: Self.count)
        let whole = try Attempt(Workplace(), site, durability, count: Self.count)
        #expect(try whole.run(until: nil).ending == .exit(0))
        var kills = 0
        for round in 0..<Self.roundsPerCase {
            let seed = UInt64(part * Self.roundsPerCase + round)
            var random = SplitMix(seed)
            let moment = whole.randomMoment(&random)
            let comment: Comment = "seed \(seed), durability \(durability), \(moment)"
            let attempt = try Attempt(Workplace(), site, durability, count: Self.count)
            if try Self.round(attempt, site, moment, comment) { kills += 1 }
        }
        // For those who read the log: nothing else tells how much was tried.
        print("killed at \(kills) moments, durability \(durability)")
        // A moment near the end may come too late.
        #expect(kills >= Self.roundsPerCase / 4)
    }

    @Test(
        "a file that a killed run named but did not record gives way to what the server has now",
        arguments: ["batch", "none"], [40, 200])
    func changedMeanwhile(_ durability: String, _ named: Int) throws {
        var site = try Site(count: Self.count)
        let attempt = try Attempt(Workplace(), site, durability, count: Self.count)
        let workplace = attempt.workplace
        // Each file gets its name by one renaming, and many of them have theirs before the first has its row.
        let environment = Fault(action: .kill, calls: "rename")
            .environment(number: named + 1, report: workplace.directory.path("report"))
        #expect(try workplace.run(attempt.arguments, environment: environment).ending == .signal(SIGKILL))
        let stored = try Self.check(workplace, attempt.database, site, "after the kill")
        #expect(workplace.files().count > stored.count)
        try site.change((0..<Self.count).map { "\($0).png" }.filter { !stored.contains(String($0.dropLast(4))) })

        #expect(try workplace.run(attempt.arguments).ending == .exit(0))
        #expect(workplace.files() == (0..<Self.count).map { "list/\($0).png" }.sorted())
        #expect(try Self.check(workplace, attempt.database, site, "at the end").count == Self.count)
        #expect(workplace.parts == [])
    }

    /// One kill and the run after it.
    ///
    /// - Returns: whether the program was killed before its end.
    private static func round(
        _ attempt: Attempt, _ site: Site, _ moment: Attempt.Moment, _ comment: Comment
    ) throws -> Bool {
        let workplace = attempt.workplace
        let database = attempt.database
        let result = try attempt.run(until: moment)
        let wasKilled = result.ending == .signal(SIGKILL)
        #expect(wasKilled || result.ending == .exit(0), comment)
        let between = try site.server.requests().count

        // What a killed run leaves is right as far as it goes.
        let stored = try check(workplace, database, site, comment)

        // The second run fetches what is missing, once, and only that.
        let second = try workplace.run(attempt.arguments)
        #expect(second.ending == .exit(0), comment)
        let asked = try site.server.requests()[between...].map(\.target).sorted()
        let missing = (0..<count).filter { !stored.contains(String($0)) }.map { "/\($0).png" }.sorted()
        #expect(asked == missing, comment)
        #expect(try check(workplace, database, site, comment).count == count, comment)
        #expect(workplace.files().count == count, comment)
        #expect(workplace.parts == [], comment)
        let catalog = try CatalogCopy(of: database)
        #expect(try catalog.values("SELECT outcome FROM run ORDER BY id DESC LIMIT 1") == ["complete"], comment)
        #expect(try catalog.number("SELECT count(*) FROM run WHERE outcome = 'running'") == 0, comment)
        return wasKilled
    }

    /// Checks the files, and the catalog against them.
    ///
    /// - Returns: the keys of the items that are stored.
    private static func check(
        _ workplace: Workplace, _ database: String, _ site: Site, _ comment: Comment
    ) throws -> Set<String> {
        let paths = workplace.files()
        let right = Set(paths.filter { site.isRight(workplace, $0) })
        #expect(paths.filter { !right.contains($0) } == [], comment)
        guard FileManager.default.fileExists(atPath: database) else { return [] }
        let catalog = try CatalogCopy(of: database)
        // The kill may come before the first table.
        guard try catalog.number("SELECT count(*) FROM sqlite_schema WHERE name = 'transfer'") == 1 else { return [] }
        #expect(try catalog.contradictions() == [], comment)
        let rows = try catalog.rows("SELECT key, path, size, sha256 FROM item WHERE state = 'stored'") { row in
            (
                key: try row[0] as String, path: try row[1] as String, size: try row[2] as Int,
                digest: try row[3] as String
            )
        }
        let wrong = rows.filter { row in
            let name = "\(row.key).png"
            return row.path != "list/\(name)" || row.size != site.files[name]?.count || row.digest != site.digests[name]
                || !right.contains(row.path)
        }
        #expect(wrong.map(\.key) == [], comment)
        return Set(rows.map(\.key))
    }
}

/// A run that is killed at some moment, in a folder of its own.
private final class Attempt: Sendable {
    enum Moment: Equatable {
        /// When this line of `--progress json` was read.
        case line(Int)
        /// With the so-manieth change in a folder: where names are given, where parts are, where the catalog is.
        case change(folder: Int, count: Int)
    }

    let workplace: Workplace
    let database: String
    let arguments: [String]
    /// Lines, and changes of each folder, so far.
    private let tallies = Monitor((lines: 0, changes: [0, 0, 0]))
    private let victim = Monitor<Int32?>(nil)

    init(_ workplace: Workplace, _ site: Site, _ durability: String, count: Int) throws {
        self.workplace = workplace
        database = workplace.directory.path("catalog/catalog.sqlite")
        arguments = ["job.yaml", "--database", database, "--progress", "json"]
        for folder in Self.folders { try workplace.directory.makeFolder(folder) }
        try workplace.writeJob(
            source: ["template: '\(site.server.url("/{n}.png"))'", "count: \(count)"],
            transfer: ["durability: \(durability)"])
    }

    private static let folders = ["out/list", "out/.runner/parts", "catalog"]

    func run(until moment: Moment?) throws -> RunningProgram.Result {
        let watch = try FolderWatch(Self.folders.map { workplace.directory.path($0) }) { [self] folder, _ in
            let tally = tallies.withLock { tallies in
                tallies.changes[folder] += 1
                return tallies.changes[folder]
            }
            // The program is this process's child and not waited for yet: the number is its own.
            if moment == .change(folder: folder, count: tally), let victim = victim.withLock({ $0 }) {
                kill(victim, SIGKILL)
            }
        }
        let program = try workplace.start(arguments) { [self] number, _, processID in
            tallies.withLock { $0.lines += 1 }
            if moment == .line(number) { kill(processID, SIGKILL) }
        }
        victim.withLock { $0 = program.processID }
        let result = try program.wait()
        victim.withLock { $0 = nil }
        withExtendedLifetime(watch) {}
        return result
    }

    /// One of the moments that this run had.
    func randomMoment(_ random: inout SplitMix) -> Moment {
        let tallies = tallies.withLock { $0 }
        let kind = Int.random(in: 0...3, using: &random)
        if kind == 3 { return .line(Int.random(in: 0..<max(1, tallies.lines), using: &random)) }
        return .change(folder: kind, count: Int.random(in: 1...max(1, tallies.changes[kind]), using: &random))
    }
}

/// nginx with files of random bytes behind PNG's first ones, whose replies stay fresh.
private struct Site {
    let directory: TemporaryDirectory
    let server: NginxServer
    private(set) var files: [String: [UInt8]] = [:]
    /// SHA-256 in lower-case hexadecimal digits, by sha256sum(1).
    private(set) var digests: [String: String] = [:]
    private var random = SplitMix(1)

    init(count: Int) throws {
        directory = try TemporaryDirectory()
        var options = NginxServer.Options(root: directory.path)
        options.extra = "expires 1h;"
        server = try NginxServer(options)
        try change((0..<count).map { "\($0).png" })
    }

    /// Gives some files bytes that they did not have before.
    mutating func change(_ names: [String]) throws {
        for name in names {
            let size =
                Int.random(in: 0..<10, using: &random) == 0 ? 90_000 : Int.random(in: 300..<20_000, using: &random)
            var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes += $0 } }
            try directory.write(bytes, to: name)
            files[name] = bytes
        }
        let sums = try RunningProgram(
            ["/bin/sh", "-c", "sha256sum *"], environment: ["PATH": "/usr/bin:/bin"], directory: directory.path
        ).wait()
        digests = Dictionary(
            uniqueKeysWithValues: sums.lines.map { line in (String(line.dropFirst(66)), String(line.prefix(64))) })
    }

    /// Whether an output file has the bytes of the file that it was fetched from.
    func isRight(_ workplace: Workplace, _ path: String) -> Bool {
        guard let bytes = workplace.read("out/\(path)"), path.hasPrefix("list/") else { return false }
        return bytes == files[String(path.dropFirst("list/".count))]
    }
}
