import Files
import FoundationEssentials
import Jobs
import Model
import Run
import System
import TestSupport
import Testing

@testable import Catalog
@testable import Storage

@Suite("Collecting garbage", .timeLimit(.minutes(1)))
struct GarbageCollectionTests {
    private typealias Finding = GarbageCollection.Finding

    /// A job that has stored a, b and c, forty bytes each, in this order.
    private func stored() async throws -> Bench {
        let bench = try Bench([
            "/a": [.ok(picture(32, seed: 1))], "/b": [.ok(picture(32, seed: 2))], "/c": [.ok(picture(32, seed: 3))],
        ])
        for path in ["/a", "/b", "/c"] {
            _ = try await bench.run([bench.item("/a"), bench.item("/b"), bench.item("/c")]) {
                $0.selection.only = [String(path.dropFirst())]
            }
        }
        return bench
    }

    private func collect(
        _ bench: Bench, keeping maximum: Int64? = nil, isRemovingGone: Bool = false, isDryRun: Bool = false,
        job: String = "job"
    ) async throws -> (GarbageCollection.Outcome, [Finding]) {
        let findings = Monitor<[Finding]>([])
        let ending = try await GarbageCollection.collect(
            job, maximumBytes: maximum, isRemovingGone: isRemovingGone, isDryRun: isDryRun,
            database: bench.options.database, environment: [:],
            findings: { finding in findings.withLock { $0.append(finding) } })
        guard case .collected(let outcome) = ending else { throw TestSupportError("the job is busy") }
        return (outcome, findings.withLock { $0 })
    }

    /// Everything below the output directory, and the rows.
    private func snapshot(_ bench: Bench) throws -> [String] {
        let root = bench.directory.path(bench.outputFolder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
        let rows = try bench.table("SELECT * FROM item ORDER BY id").map { row in
            row.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        return paths.map { "\($0) \(bench.file($0)?.count ?? 0)" } + rows
    }

    /// Puts into `.runner` what runs, jobs and people may have left there.
    private func litter(_ bench: Bench) throws {
        let digest = String(repeating: "ab", count: 32)
        for path in [
            "pictures/\(digest).webp", "pictures/new-7", "pictures/holiday.jpg", "parts/item-99", "parts/item-99.note",
            "parts/item-1", "parts/name-4711", "parts/Notes.txt", "kept/0a1b", "kept/0a1b.note", "kept/0a1b.3",
            "kept/77", "own.txt",
        ] {
            try bench.directory.write("x", to: "\(bench.outputFolder)/.runner/\(path)")
        }
    }

    private let unknown = [
        "parts/item-99", "parts/name-4711", "pictures/\(String(repeating: "ab", count: 32)).webp", "pictures/new-7",
        "kept/0a1b.3", "kept/77",
    ]

    @Test("the least recently used go until the rest is within the limit")
    func limit() async throws {
        let bench = try await stored()
        try ViewMark.set(job: "job", key: "a", database: bench.options.database, now: wallClockMicroseconds())
        let (outcome, findings) = try await collect(bench, keeping: 80)
        #expect(findings == [Finding(kind: .evict, job: "job", key: "b", path: "b.png", size: 40)])
        #expect(outcome.evicted == 1)
        #expect(outcome.freed == 40)
        #expect(outcome.kept == 80)
        #expect(bench.files == ["a.png", "c.png"])
        #expect(try await bench.run("/a", "/b", "/c")["b"].outcome == "evicted")
    }

    @Test("a dry run tells exactly what goes, and changes nothing")
    func dryRun() async throws {
        let bench = try await stored()
        try litter(bench)
        let before = try snapshot(bench)
        let (wouldBe, told) = try await collect(bench, keeping: 50, isDryRun: true)
        #expect(try snapshot(bench) == before)
        let (outcome, done) = try await collect(bench, keeping: 50)
        #expect(told == done)
        #expect(wouldBe == outcome)
        #expect(outcome.evicted == 2)
        #expect(try await collect(bench, keeping: 50).1 == [])
    }

    @Test("files of items no longer listed go with their pictures when they are to, and only then")
    func gone() async throws {
        let bench = try await stored()
        _ = try await bench.run("/a", "/c")
        for (name, item) in [("cd", "b"), ("ef", "c")] {
            let picture = String(repeating: name, count: 32) + ".webp"
            try bench.directory.write("x", to: "\(bench.outputFolder)/.runner/pictures/\(picture)")
            try bench.change(
                """
                INSERT INTO picture (item_id, position, kind, path, width, height, size, sha256)
                SELECT id, 1, 'thumbnail', '.runner/pictures/\(picture)', 1, 1, 1, '' FROM item WHERE key = '\(item)'
                """)
        }
        #expect(try await collect(bench).1 == [])
        let expected = [
            Finding(kind: .gone, job: "job", key: "b", path: "b.png", size: 40),
            Finding(
                kind: .remove, job: "job", key: nil,
                path: ".runner/pictures/\(String(repeating: "cd", count: 32)).webp", size: 1),
        ]
        let before = try snapshot(bench)
        let (wouldBe, told) = try await collect(bench, keeping: 80, isRemovingGone: true, isDryRun: true)
        #expect(try snapshot(bench) == before)
        let (outcome, done) = try await collect(bench, keeping: 80, isRemovingGone: true)
        #expect(told == expected)
        #expect(done == expected)
        #expect(wouldBe == outcome)
        #expect((outcome.gone, outcome.evicted, outcome.freed, outcome.kept) == (1, 0, 41, 80))
        #expect(bench.files == ["a.png", "c.png"])
        #expect(try await collect(bench, isRemovingGone: true).1 == [])

        #expect(try await bench.run("/a", "/b", "/c")["b"].outcome == "downloaded")
        #expect(bench.files == ["a.png", "b.png", "c.png"])
    }

    @Test("a delisted item's file that was changed stays, and is told")
    func goneAndChanged() async throws {
        var bench = try await stored()
        _ = try await bench.run("/a", "/c")
        try bench.directory.write("mine", to: "\(bench.outputFolder)/b.png")
        let (outcome, findings) = try await collect(bench, isRemovingGone: true)
        #expect(findings == [Finding(kind: .changed, job: "job", key: "b", path: "b.png", size: 4)])
        #expect((outcome.gone, outcome.changed) == (0, 1))
        bench.foreignFiles = ["b.png"]
        #expect(bench.file("b.png") == Array("mine".utf8))
    }

    @Test("below .runner goes what no row knows, and nothing that is not the program's")
    func litter() async throws {
        let bench = try await stored()
        try litter(bench)
        let (outcome, findings) = try await collect(bench)
        #expect(findings.map(\.path) == unknown.map { ".runner/\($0)" })
        #expect(findings.allSatisfy { $0.kind == .remove && $0.key == nil })
        #expect(outcome.removed == unknown.count)
        #expect(outcome.kept == nil)
        let left =
            bench.directory.names(in: "\(bench.outputFolder)/.runner/pictures")
            + bench.directory.names(in: "\(bench.outputFolder)/.runner/parts")
            + bench.directory.names(in: "\(bench.outputFolder)/.runner/kept")
        #expect(left.sorted() == ["0a1b", "0a1b.note", "Notes.txt", "holiday.jpg", "item-1"])
        #expect(bench.file(".runner/own.txt") != nil)
        #expect(bench.files == ["a.png", "b.png", "c.png"])
    }

    @Test("pictures of an evicted item stay, with their rows")
    func pictures() async throws {
        let bench = try await stored()
        let name = String(repeating: "cd", count: 32) + ".webp"
        try bench.directory.write("x", to: "\(bench.outputFolder)/.runner/pictures/\(name)")
        try bench.change(
            """
            INSERT INTO picture (item_id, position, kind, path, width, height, size, sha256)
            SELECT id, 1, 'thumbnail', '.runner/pictures/\(name)', 1, 1, 1, '' FROM item WHERE key = 'a'
            """)
        let (outcome, _) = try await collect(bench, keeping: 0)
        #expect(outcome.evicted == 3)
        #expect(outcome.removed == 0)
        #expect(bench.file(".runner/pictures/\(name)") != nil)
        #expect(try bench.table("SELECT * FROM picture").count == 1)
    }

    @Test("a file that a person has replaced stays, and the limit is kept without it", arguments: [40, 41])
    func changed(_ size: Int) async throws {
        let bench = try await stored()
        try bench.directory.write(picture(size - 8, seed: 9), to: "\(bench.outputFolder)/a.png")
        let (outcome, findings) = try await collect(bench, keeping: 50)
        #expect(findings.map(\.kind) == [.changed, .evict])
        #expect(findings.map(\.path) == ["a.png", "b.png"])
        #expect(outcome.changed == 1)
        #expect(outcome.kept == 40)
        #expect(bench.files == ["a.png", "c.png"])
        #expect(try bench.table("SELECT state FROM item WHERE key = 'a'").first?["state"] == "stored")
    }

    @Test("what a killed process left goes with the next collection, and not what a run may still replace")
    func leftovers() async throws {
        let bench = try await stored()
        let output = try OutputDirectory(path: bench.job.output.directory, create: false)
        let paths = ["retired.png", "published.png"].map { "\(bench.outputFolder)/\($0)" }
        for path in paths { try bench.directory.write("left", to: path) }
        let journal = try PublishJournal(in: output)
        for name in ["retired.png", "published.png"] {
            let path = try RelativePath(validating: name)
            try journal.record([
                PublishJournal.Intent(
                    path: path, size: 4, digest: try output.digest(of: path), isRetirement: name == "retired.png")
            ])
        }
        let told = try await collect(bench, isDryRun: true).1
        #expect(bench.files.contains("retired.png"))
        let (_, findings) = try await collect(bench, keeping: 80)
        #expect(told.map(\.path) == ["retired.png"])
        #expect(findings.map(\.path) == ["retired.png", "a.png"])
        #expect(bench.files == ["b.png", "c.png", "published.png"])
        // The journal names only what a run may still replace.
        #expect(try PublishJournal(in: output).leftovers().keys.map(\.text) == ["published.png"])
    }

    @Test("a file that a killed run had replaced is what the journal tells, also for a dry run")
    func replaced() async throws {
        let bench = try await stored()
        let output = try OutputDirectory(path: bench.job.output.directory, create: false)
        let path = try RelativePath(validating: "a.png")
        try bench.directory.write(picture(52, seed: 8), to: "\(bench.outputFolder)/a.png")
        try PublishJournal(in: output).record([
            PublishJournal.Intent(path: path, size: 60, digest: try output.digest(of: path))
        ])
        let told = try await collect(bench, keeping: 100, isDryRun: true)
        let done = try await collect(bench, keeping: 100)
        #expect(told.1 == done.1)
        #expect(done.1 == [Finding(kind: .evict, job: "job", key: "a", path: "a.png", size: 60)])
        #expect(told.0 == done.0)
    }

    @Test("nothing is reached through a link, neither a folder's nor one below .runner")
    func links() async throws {
        let bench = try await stored()
        let outside = try TemporaryDirectory()
        let name = String(repeating: "ab", count: 32) + ".webp"
        try outside.write("x", to: "pictures/\(name)")
        try outside.write(picture(32, seed: 1), to: "a.png")
        try bench.change("UPDATE item SET path = 'folder/a.png' WHERE key = 'a'")
        try FileManager.default.createSymbolicLink(
            atPath: bench.directory.path("\(bench.outputFolder)/folder"), withDestinationPath: outside.path)
        #expect(try await collect(bench, keeping: 0).1.map(\.path) == ["b.png", "c.png"])
        try FileManager.default.createSymbolicLink(
            atPath: bench.directory.path("\(bench.outputFolder)/.runner/pictures"),
            withDestinationPath: outside.path("pictures"))
        await #expect(throws: FileError.self) { try await collect(bench) }
        #expect(outside.read("a.png") != nil)
        #expect(outside.read("pictures/\(name)") != nil)
    }

    @Test("a job that is held is told as busy, with nothing done", arguments: [true, false])
    func busy(_ isDryRun: Bool) async throws {
        let bench = try await stored()
        let output = try OutputDirectory(path: bench.job.output.directory, create: false)
        guard case .acquired(let lock) = try output.lock() else { throw TestSupportError("it is held") }
        let ending = try await GarbageCollection.collect(
            "job", maximumBytes: 0, isDryRun: isDryRun, database: bench.options.database, environment: [:],
            findings: { _ in })
        lock.release()
        guard case .busy = ending else { throw TestSupportError("it is not busy") }
        #expect(bench.files.count == 3)
    }

    @Test("an output directory that is away has lost nothing: no row changes")
    func away() async throws {
        let bench = try await stored()
        try bench.directory.remove(bench.outputFolder)
        for isDryRun in [true, false] {
            await #expect(throws: FileError.self) { try await collect(bench, keeping: 0, isDryRun: isDryRun) }
        }
        #expect(try bench.table("SELECT * FROM item WHERE state = 'stored'").count == 3)
    }

    @Test("a job that the catalog does not know is an error that names those it does")
    func unknownJob() async throws {
        let bench = try await stored()
        await #expect(throws: UpkeepError.unknownJob("jbo", known: ["job"])) {
            try await collect(bench, job: "jbo")
        }
    }
}
