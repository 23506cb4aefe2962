import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

/// A job and a server on which one run is done over and over from the same beginning, each time with a fault elsewhere.
final class FaultBench {
    /// What the run has to do.
    enum Beginning: String, Sendable, CaseIterable {
        /// Everything is fetched for the first time.
        case nothing = "a first run"
        /// Half of the files changed on the server, one of them into another type.
        case stored = "a run with changes"
    }

    /// What is done, for people.
    let name: String
    let workplace: Workplace
    private let server: NginxServer
    private let site: TemporaryDirectory
    private let database: String
    /// Whether the second place of a file shares its bytes.
    private let isSharing: Bool
    private let report: String
    private var random = SplitMix(7)
    /// The bytes that the server has or had, by name; the last ones are those it has.
    private var versions: [String: [[UInt8]]] = [:]

    /// In bytes: one write, several, hashed by the worker, long enough for a note.
    private static let sizes = [300, 5_000, 20_000, 70_000, 300_000, 1_500_000, 800, 9_000, 900, 40_000]
    /// The place of each file, and one file in a second place.
    private static let places =
        sizes.indices.map { (path: $0 < 7 ? "first/\($0)" : "second/\($0)", name: "\($0).bin") }
        + [(path: "second/copy", name: "1.bin")]
    private let hasMetadata: Bool

    /// - Parameter hasMetadata: whether each file gets its metadata beside it.
    init(_ beginning: Beginning, durability: String, hasMetadata: Bool = false) throws {
        self.hasMetadata = hasMetadata
        isSharing = durability == "none"
        name = "\(beginning.rawValue), durability \(durability)"
        workplace = try Workplace()
        site = try TemporaryDirectory()
        database = workplace.directory.path("state/catalog.sqlite")
        report = workplace.directory.path("report")
        server = try NginxServer(NginxServer.Options(root: site.path))
        let server = server
        try workplace.writeJob(
            source: ["items:"]
                + Self.places.map { place in
                    let words = place.path.split(separator: "/")
                    return "  - {key: \(place.path), url: '\(server.url("/\(place.name)"))', title: '\(words[1])', "
                        + "collection: \(words[0])}"
                },
            transfer: ["durability: \(durability)", "retries: 1"])
        try workplace.directory.makeFolder("state")
        for (index, size) in Self.sizes.enumerated() { try change("\(index).bin", size: size) }
        if beginning == .stored {
            let first = try workplace.run(arguments)
            guard first.ending == .exit(0) else { throw TestSupportError("the first run failed: \(first.errors)") }
            for index in stride(from: 0, to: Self.sizes.count, by: 2) {
                let beginning: [UInt8] = index == 2 ? [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] : []
                try change("\(index).bin", size: Self.sizes[index] + 10, beginning: beginning)
            }
        }
        for folder in ["out", "state"] { try workplace.directory.makeFolder(folder) }
        try copy("out", to: "before/out")
        try copy("state", to: "before/state")
    }

    private var arguments: [String] {
        ["job.yaml", "--database", database, "--set", "output.deduplicate=\(isSharing)"]
            + (hasMetadata ? ["--set", "output.sidecar=json"] : [])
    }

    /// How many calls a run makes that the fault could hit.
    func countCalls(_ fault: Fault) throws -> Int {
        try restore()
        let result = try start(fault, number: 0).wait()
        guard result.ending == .exit(0) else { throw TestSupportError("it fails without a fault: \(result.errors)") }
        try check("without a fault", isFinished: true)
        return try FaultReport(path: report).count
    }

    /// Lets the fault hit one call of a run, looks at what is left, and finishes the job.
    ///
    /// - Returns: whether the run came to that call.
    func hit(_ fault: Fault, number: Int) throws -> Bool {
        try restore()
        let program = try start(fault, number: number)
        guard let result = try? program.wait(seconds: 60) else {
            Issue.record(
                "\(name): \(fault.testDescription), call \(number): \(try FaultReport(path: report).hit): hangs")
            return true
        }
        let report = try FaultReport(path: report)
        let comment: Comment = "\(name): \(fault.testDescription), call \(number): \(report.hit)\n\(result.errors)"
        guard report.hit != "" else {
            // Threads take turns as they please: another run may have fewer calls.
            #expect(result.ending == .exit(0), comment)
            return false
        }
        try checkEnding(fault, result, comment)
        let recorded = try check(comment, isFinished: false)
        // A run that ended by itself, and could write its books, has them in order.
        if case .fail = fault.action, !result.errors.contains("SQLite code") {
            try checkRows(comment)
        }

        let asked = try server.requests().count
        let last = try workplace.run(arguments)
        #expect(last.ending == .exit(0), "then: \(last.errors)\n\(comment)")
        try check(comment, isFinished: true)
        let fetched = try server.requests()[asked...].filter { [200, 206].contains($0.status) }.map(\.target)
        let again = fetched.filter { target in recorded.contains(String(target.dropFirst())) }
        #expect(again == [], "fetched although it was recorded\n\(comment)")
        #expect(fetched.count == Set(fetched).count, "fetched twice: \(fetched)\n\(comment)")
        return true
    }

    private func start(_ fault: Fault, number: Int) throws -> RunningProgram {
        unlink(report)
        return try workplace.start(arguments, environment: fault.environment(number: number, report: report))
    }

    // MARK: What must be there

    /// A killed run tells nothing; a failed call is survived, or ends the run with its code and says why.
    private func checkEnding(_ fault: Fault, _ result: RunningProgram.Result, _ comment: Comment) throws {
        guard case .fail = fault.action else {
            #expect(result.ending == .signal(SIGKILL), comment)
            return
        }
        if result.ending == .exit(78) {
            // Nothing ran: the job file could not be read.
            #expect(result.errors.contains("job.yaml: error: can't be read"), comment)
            return
        }
        #expect([.exit(0), .exit(1), .exit(2)].contains(result.ending), comment)
        if result.ending != .exit(0) {
            #expect(fault.words.contains { result.errors.contains($0) }, "says nothing of the cause\n\(comment)")
        }
        guard let catalog = try openCatalog(),
            let outcome = try catalog.value("SELECT outcome FROM run ORDER BY id DESC LIMIT 1", as: String.self)
        else { return }
        let failed = try catalog.number(
            "SELECT count(*) FROM transfer WHERE run_id = (SELECT max(id) FROM run) AND outcome = 'failed'")
        switch result.ending {
        case .exit(0):
            #expect(outcome == "complete", comment)
            #expect(failed == 0, comment)
        case .exit(1):
            #expect(outcome == "partial", comment)
            #expect(failed > 0, comment)
        default:
            // `running` where the catalog itself is what failed; the row of an earlier run where none was begun.
            #expect(outcome != "partial", comment)
        }
    }

    /// Checks files and rows against the server and each other.
    ///
    /// - Returns: the server's names of the files that the catalog has as fetched in the version that the server has.
    @discardableResult
    private func check(_ comment: Comment, isFinished: Bool) throws -> Set<String> {
        let metadata = hasMetadata ? workplace.files().filter { $0.hasSuffix(".json") } : []
        let files = workplace.files().filter { !metadata.contains($0) }
        for path in files {
            let place = Self.places.first { path.hasPrefix($0.path + ".") }
            let known = place.flatMap { versions[$0.name] } ?? []
            let bytes = workplace.read("out/\(path)") ?? []
            let isRight = (isFinished ? known.suffix(1) : known[...]).contains(bytes)
            #expect(isRight, "wrong bytes in \(path), \(bytes.count) of them\n\(comment)")
        }
        guard let catalog = try openCatalog() else { return [] }
        #expect(try catalog.contradictions() == [], comment)
        let rows = try catalog.rows("SELECT key, path, size, failure IS NULL FROM item WHERE state = 'stored'") { row in
            (
                key: try row[0] as String, path: try row[1] as String, size: try row[2] as Int,
                isSettled: try row[3] as Bool
            )
        }
        var recorded: Set<String> = []
        for row in rows {
            guard let name = Self.places.first(where: { $0.path == row.key })?.name, let known = versions[name] else {
                continue
            }
            #expect(workplace.read("out/\(row.path)") != nil, "no file for the row of \(row.path)\n\(comment)")
            #expect(known.contains { $0.count == row.size }, "\(row.path) has a wrong size in its row\n\(comment)")
            if row.isSettled, row.size == known.last?.count { recorded.insert(name) }
        }
        if isFinished {
            #expect(rows.count == Self.places.count, comment)
            #expect(files.count == Self.places.count, "\(files)\n\(comment)")
            if hasMetadata { #expect(metadata == files.map { "\($0).json" }, comment) }
            let claims = try catalog.rows(
                "SELECT sidecar.path, item.sha256 FROM sidecar JOIN item ON item_id = id"
            ) { (path: try $0[0] as String, digest: try $0[1] as String) }
            #expect(claims.map(\.path).sorted() == metadata, comment)
            for claim in claims {
                let text = String(decoding: workplace.read("out/\(claim.path)") ?? [], as: UTF8.self)
                #expect(text.contains("\"sha256\": \"\(claim.digest)\"") && text.hasSuffix("}\n"), comment)
            }
            #expect(workplace.parts == [], comment)
            try checkRows(comment)
            #expect(try catalog.number("SELECT count(*) FROM run WHERE outcome = 'running'") == 0, comment)
        }
        // A copy is made from a file that is fetched once: it is not the copy's row that says what was.
        return recorded
    }

    /// Checks that every row's file is the one that it tells of.
    private func checkRows(_ comment: Comment) throws {
        let rows = try openCatalog()?.rows("SELECT path, size FROM item WHERE state = 'stored'") { row in
            (path: try row[0] as String, size: try row[1] as Int)
        }
        for row in rows ?? [] {
            #expect(workplace.read("out/\(row.path)")?.count == row.size, "\(row.path) is not its row's\n\(comment)")
        }
    }

    /// Nil where the fault came before the first tables.
    private func openCatalog() throws -> CatalogCopy? {
        guard FileManager.default.fileExists(atPath: database) else { return nil }
        let catalog = try CatalogCopy(of: database)
        guard try catalog.number("SELECT count(*) FROM sqlite_schema WHERE name = 'transfer'") == 1 else { return nil }
        return catalog
    }

    // MARK: The beginning

    private func change(_ name: String, size: Int, beginning: [UInt8] = []) throws {
        var bytes = beginning
        while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        bytes.removeLast(bytes.count - size)
        versions[name, default: []].append(bytes)
        try site.write(bytes, to: name)
    }

    private func restore() throws {
        for folder in ["out", "state"] {
            try? workplace.directory.remove(folder)
            try copy("before/\(folder)", to: folder)
        }
    }

    private func copy(_ folder: String, to other: String) throws {
        let target = workplace.directory.path(other)
        try Subprocess.run(["mkdir", "-p", String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])])
        try Subprocess.run(["cp", "-a", workplace.directory.path(folder), target])
    }
}
