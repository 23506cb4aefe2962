import Catalog
import Dispatch
import Files
import HTTP
import SQLite
import System

/// Reads the stored files of a job again and compares them with what their rows say.
package enum Verification {
    /// What is wrong with a file.
    package enum Fault: Sendable, Hashable {
        case missing
        /// It has fewer bytes than its row says.
        case truncated(Int64)
        /// It has other bytes, or more of them, so many.
        case changed(Int64)
        /// It can't be read, or is no file; why.
        case unreadable(String)
    }

    /// A file that is not what its row says.
    package struct Finding: Sendable, Hashable {
        package let job: String
        package let key: String
        /// Relative to the output directory.
        package let path: String
        /// By the row, in bytes.
        package let size: Int64
        package let fault: Fault
        /// Whether the item is listed no more, so that no run fetches it again.
        package let isGone: Bool
    }

    /// What was read of a job.
    package struct Outcome: Sendable, Hashable {
        package var files = 0
        /// By the rows.
        package var bytes: Int64 = 0
        package var faults = 0
    }

    /// How the verification of a job ended.
    package enum Ending: Sendable {
        case verified(Outcome)
        /// A repair wants the job's lock, which a run has.
        case busy(RunHolder)
    }

    /// The jobs of the catalog, by name.
    package static func jobs(database: String) throws -> [String] {
        let catalog = try CatalogLocation.openForReading(database)
        defer { catalog.close() }
        return try CatalogJob.names(on: catalog)
    }

    /// Reads every file that a row of a job claims, also those of items that are listed no more. A file that a run replaces
    /// meanwhile is judged by its new row.
    ///
    /// - Parameters:
    ///   - isRepairing: whether the rows of faulty files forget what was stored, so that the next run fetches them in full
    ///     and replaces what is at their paths.
    ///   - findings: called with each faulty file, in the order of the list, on a thread of its own.
    ///   - progress: called now and then with what was read so far, on one thread at a time.
    /// - Throws: ``UpkeepError`` for an unknown job; ``CatalogError`` without a catalog; `FileError` when the output
    ///   directory can't be opened; what the catalog has thrown.
    package static func verify(
        _ name: String, isRepairing: Bool, database: String, environment: [String: String],
        findings: @escaping @Sendable (Finding) -> Void, progress: @escaping @Sendable (Outcome) -> Void
    ) async throws -> Ending {
        let catalog =
            try isRepairing ? CatalogLocation.openExisting(database) : CatalogLocation.openForReading(database)
        let store = CatalogStore(adopting: catalog)
        let ending = await Result {
            try await store.perform { catalog in
                let job = try CatalogJob.find(name, on: catalog, environment: environment)
                guard isRepairing else {
                    let output = try OutputDirectory(path: job.directory, create: false)
                    return Ending.verified(
                        try Reader(job: name, output: output).read(catalog, findings: findings, progress: progress))
                }
                switch try HeldJob.hold(job, database: database, on: catalog) {
                case .busy(let holder): return .busy(holder)
                case .held(let held):
                    defer { held.release() }
                    // A directory that is not there, perhaps not mounted, is not to be fetched anew.
                    let output = try held.output ?? OutputDirectory(path: job.directory, create: false)
                    let reader = Reader(job: name, output: output) { try forget($0, $1, on: $2) }
                    return .verified(try reader.read(catalog, findings: findings, progress: progress))
                }
            }
        }
        await store.close()
        return try ending.get()
    }

    /// Keeps the path where something is: it gives way to the next download, and not before.
    private static func forget(_ item: Int64, _ fault: Fault, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET state = iif(state = 'gone', state, 'pending'), failure = NULL, path = iif(?, NULL, path),
                size = NULL, sha256 = NULL, stored_url = NULL, etag = NULL, last_modified = NULL, expires_at = NULL,
                is_unsettled = 1, permanent_failures = 0, asked_again_at = NULL
            WHERE id = ?
            """, fault == .missing, item)
    }
}

/// Goes through the rows of a job.
private struct Reader: Sendable {
    let job: String
    let output: OutputDirectory
    /// Called with the item of each faulty file, and what is wrong with it.
    var repair: (@Sendable (Int64, Verification.Fault, Connection) throws -> Void)?

    /// Faults are told once their page has been read.
    private static let pageSize = 64

    private struct Row: Equatable {
        let id: Int64
        let key: String
        let path: String
        let size: Int64
        let sha256: String

        let state: String

        static let columns = "id, key, path, size, sha256, state"
        static let condition =
            "state IN ('stored', 'gone') AND path IS NOT NULL AND size IS NOT NULL AND sha256 IS NOT NULL"

        init(_ row: borrowing SQLite.Row) throws {
            (id, key, path, size, sha256) = (try row[0], try row[1], try row[2], try row[3], try row[4])
            state = try row[5]
        }
    }

    func read(
        _ catalog: Connection, findings: (Verification.Finding) -> Void,
        progress: @Sendable (Verification.Outcome) -> Void
    ) throws -> Verification.Outcome {
        var outcome = Verification.Outcome()
        var last: Int64 = 0
        while true {
            // No transaction stays open while files are read: it would keep the write-ahead log growing.
            let rows = try catalog.rows(
                """
                SELECT \(Row.columns) FROM item WHERE job = ? AND id > ? AND \(Row.condition)
                ORDER BY id LIMIT \(Self.pageSize)
                """, job, last
            ) { try Row($0) }
            guard let end = rows.last?.id else { return outcome }
            last = end
            let faults = faults(of: rows, &outcome, progress)
            for (row, fault) in zip(rows, faults) {
                guard let fault, let (row, fault) = try settle(row, fault, on: catalog) else { continue }
                outcome.faults += 1
                try repair?(row.id, fault, catalog)
                findings(
                    Verification.Finding(
                        job: job, key: row.key, path: row.path, size: row.size, fault: fault,
                        isGone: row.state == "gone"))
            }
        }
    }

    /// What two threads that read the files of some rows share.
    private struct Reading {
        var next = 0
        var faults: [Verification.Fault?]
        var outcome: Verification.Outcome
    }

    /// What is wrong with the files of some rows. Two threads read them: one processor can't hash what a disk gives, and
    /// more would have the disk jump to and fro.
    private func faults(
        of rows: [Row], _ outcome: inout Verification.Outcome, _ progress: @Sendable (Verification.Outcome) -> Void
    ) -> [Verification.Fault?] {
        let reading = Locked(Reading(faults: Array(repeating: nil, count: rows.count), outcome: outcome))
        DispatchQueue.concurrentPerform(iterations: min(2, rows.count)) { thread in
            while true {
                let index = reading.withLock { reading in
                    defer { reading.next += 1 }
                    return reading.next
                }
                guard index < rows.count else { return }
                let fault = fault(of: rows[index])
                let outcome = reading.withLock { reading in
                    reading.faults[index] = fault
                    reading.outcome.files += 1
                    reading.outcome.bytes += rows[index].size
                    return reading.outcome
                }
                if thread == 0 { progress(outcome) }
            }
        }
        return reading.withLock { reading in
            outcome = reading.outcome
            return reading.faults
        }
    }

    /// A fault by the row as it is once the file has been read; nil where a run has mended it meanwhile.
    private func settle(
        _ row: Row, _ fault: Verification.Fault, on catalog: Connection
    ) throws -> (Row, Verification.Fault)? {
        var (row, found) = (row, Optional(fault))
        while let fault = found {
            let now = try catalog.first("SELECT \(Row.columns) FROM item WHERE id = ? AND \(Row.condition)", row.id) {
                try Row($0)
            }
            guard let now else { return nil }
            if now == row { return (row, fault) }
            row = now
            found = self.fault(of: row)
        }
        return nil
    }

    private func fault(of row: Row) -> Verification.Fault? {
        do {
            let path = try RelativePath(validating: row.path)
            if let found = output.information(path) {
                guard found.isRegular else { return .unreadable("it is no file") }
                if found.size < row.size { return .truncated(found.size) }
                if found.size > row.size { return .changed(found.size) }
            }
            return try output.digest(of: path).hex == row.sha256 ? nil : .changed(row.size)
        } catch let error as FileError where error.isAbsent {
            return .missing
        } catch {
            return .unreadable("\(error)")
        }
    }
}

extension Result where Failure == any Error {
    /// Waits for what is computed.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
