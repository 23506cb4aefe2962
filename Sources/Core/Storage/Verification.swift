import Catalog
import Dispatch
import Files
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
        /// It can't be read, or is not a regular file; why.
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
        /// Whether the item is delisted, so that no run fetches it again.
        package let isGone: Bool
        /// Whether it is the file of metadata beside an item's, which a run writes.
        package let isMetadata: Bool
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

    /// Reads every file that a row of a job claims, also those of delisted items and the metadata beside files. A file that a run replaces
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
                    _ = try held.recover(on: catalog)
                    // A directory that is not there, perhaps not mounted, is not to be fetched anew.
                    let output = try held.output ?? OutputDirectory(path: job.directory, create: false)
                    let reader = Reader(job: name, output: output) { kind, file, fault, catalog in
                        switch kind {
                        case .stored: try forget(file, fault, on: catalog)
                        case .metadata: try giveUp(file, in: output, on: catalog)
                        }
                    }
                    return .verified(try reader.read(catalog, findings: findings, progress: progress))
                }
            }
        }
        await store.close()
        return try ending.get()
    }

    /// Keeps the path where something is: the next download replaces it, and nothing before that.
    private static func forget(_ file: VerifiableFile, _ fault: Fault, on catalog: Connection) throws {
        try StoredFileRows.forgetFile(ofItem: file.item, keepingPath: fault != .missing, on: catalog)
    }

    /// Has the next run write a metadata file anew: what is there is to give way.
    private static func giveUp(_ file: VerifiableFile, in output: OutputDirectory, on catalog: Connection) throws {
        guard let path = try? RelativePath(validating: file.path), let found = output.information(path),
            found.isRegular, let digest = try? output.digest(of: path)
        else { return try SidecarRows.delete(ofItem: file.item, on: catalog) }
        try SidecarRows.set(
            Sidecar(item: file.item, path: path, size: found.size, digest: digest), on: catalog)
    }
}

/// Goes through the rows of a job.
private struct Reader: Sendable {
    let job: String
    let output: OutputDirectory
    /// Called with each faulty file, and what is wrong with it.
    var repair: (@Sendable (Kind, VerifiableFile, Verification.Fault, Connection) throws -> Void)?

    /// Whose rows claim a file.
    enum Kind: CaseIterable {
        /// An item's.
        case stored
        /// That of the metadata beside it.
        case metadata

        func files(
            ofJob job: String, after id: Int64, limit: Int, on catalog: Connection
        ) throws -> [VerifiableFile] {
            switch self {
            case .stored: try StoredFileRows.verifiable(ofJob: job, after: id, limit: limit, on: catalog)
            case .metadata: try SidecarRows.verifiable(ofJob: job, after: id, limit: limit, on: catalog)
            }
        }

        func file(ofItem id: Int64, on catalog: Connection) throws -> VerifiableFile? {
            switch self {
            case .stored: try StoredFileRows.verifiable(item: id, on: catalog)
            case .metadata: try SidecarRows.verifiable(item: id, on: catalog)
            }
        }
    }

    /// Faults are reported once their page has been read.
    private static let pageSize = 64

    func read(
        _ catalog: Connection, findings: (Verification.Finding) -> Void,
        progress: @Sendable (Verification.Outcome) -> Void
    ) throws -> Verification.Outcome {
        var outcome = Verification.Outcome()
        for kind in Kind.allCases { try read(kind, &outcome, catalog, findings: findings, progress: progress) }
        return outcome
    }

    private func read(
        _ kind: Kind, _ outcome: inout Verification.Outcome, _ catalog: Connection,
        findings: (Verification.Finding) -> Void, progress: @Sendable (Verification.Outcome) -> Void
    ) throws {
        var last: Int64 = 0
        while true {
            // No transaction stays open while files are read: it would keep the write-ahead log growing.
            let files = try kind.files(ofJob: job, after: last, limit: Self.pageSize, on: catalog)
            guard let end = files.last?.item else { return }
            last = end
            let faults = faults(of: files, &outcome, progress)
            for (file, fault) in zip(files, faults) {
                guard let fault, let (file, fault) = try settle(kind, file, fault, on: catalog) else { continue }
                outcome.faults += 1
                try repair?(kind, file, fault, catalog)
                findings(
                    Verification.Finding(
                        job: job, key: file.key, path: file.path, size: file.size, fault: fault, isGone: file.isGone,
                        isMetadata: kind == .metadata))
            }
        }
    }

    /// What two threads that read some files share.
    private struct Reading {
        var next = 0
        var faults: [Verification.Fault?]
        var outcome: Verification.Outcome
    }

    /// What is wrong with some files. Two threads read them: one processor can't hash what a disk gives, and
    /// more would have the disk jump to and fro.
    private func faults(
        of files: [VerifiableFile], _ outcome: inout Verification.Outcome,
        _ progress: @Sendable (Verification.Outcome) -> Void
    ) -> [Verification.Fault?] {
        let reading = Locked(Reading(faults: Array(repeating: nil, count: files.count), outcome: outcome))
        DispatchQueue.concurrentPerform(iterations: min(2, files.count)) { thread in
            while true {
                let index = reading.withLock { reading in
                    defer { reading.next += 1 }
                    return reading.next
                }
                guard index < files.count else { return }
                let fault = fault(of: files[index])
                let outcome = reading.withLock { reading in
                    reading.faults[index] = fault
                    reading.outcome.files += 1
                    reading.outcome.bytes += files[index].size
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

    /// A fault by the row as it is once the file has been read; nil where a run has fixed it meanwhile.
    private func settle(
        _ kind: Kind, _ file: VerifiableFile, _ fault: Verification.Fault, on catalog: Connection
    ) throws -> (VerifiableFile, Verification.Fault)? {
        var (file, found) = (file, Optional(fault))
        while let fault = found {
            guard let now = try kind.file(ofItem: file.item, on: catalog) else { return nil }
            if now == file { return (file, fault) }
            file = now
            found = self.fault(of: file)
        }
        return nil
    }

    private func fault(of file: VerifiableFile) -> Verification.Fault? {
        do {
            let path = try RelativePath(validating: file.path)
            if let found = output.information(path) {
                guard found.isRegular else { return .unreadable("not a regular file") }
                if found.size < file.size { return .truncated(found.size) }
                if found.size > file.size { return .changed(found.size) }
            }
            return try output.digest(of: path).hex == file.sha256 ? nil : .changed(file.size)
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
