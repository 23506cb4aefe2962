import Catalog
import Dispatch
import Files
import Glibc
import HTTP
package import Jobs
package import Model
package import Run
import SQLite
import Storage
import System
import YAML

/// `runner shard run`: one machine's part of a run. It works on a copy of the shard on a local disk, and leaves in the
/// shared folder how far it is, from time to time, and its result.
package final class ShardWork: Sendable {
    /// How it went.
    package struct Ending: Sendable {
        package let run: Int64
        package let number: Int
        /// The file with the result, or how far it came.
        package let file: String
        package let items: Int
        package let settled: Int
        package let figures: RunFigures
        package let attempt: Int
        package let node: String
        /// Microseconds.
        package let time: Int64
        /// The disk, the directory or the catalog of this machine failed.
        package let fault: String?

        package var isFinished: Bool { settled == items }
    }

    /// Why it can't be worked on.
    package enum Refusal: Error, Sendable {
        /// Lines on what is wrong with the job file on this machine.
        case job([String])
        /// The file is no shard of this program's.
        case foreign(String)
        /// The file can't be read now: a network file system is not there yet.
        case unreadable(String)
        /// The disk, the directory or the catalog of this machine.
        case fault(String)
    }

    private let folder: ShardFolder
    private let number: Int
    private let scratch: ScratchFolder
    private let local: String
    private let head: ShardHead
    private let job: Job
    private let options: SessionOptions
    private let before: ShardRow
    /// Tells this attempt from others at the same shard.
    private let mark: String
    private let startedAt = wallClockMicroseconds()
    private let tell: @Sendable (String) -> Void
    private let checkpoints = DispatchQueue(label: "checkpoints")

    /// The machine's name in the engine that started it, else its own.
    private static func node(_ environment: [String: String]) -> String? {
        ["RUNNER_NODE", "SLURMD_NODENAME", "NODE_NAME"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// Copies the shard, or how far an earlier attempt came, to a local disk.
    ///
    /// - Parameters:
    ///   - file: `DIR/0000.shard`.
    ///   - output: where files go; nil for the job's output directory, which has to be there.
    ///   - options: what the command line adds.
    ///   - tell: takes lines for people.
    /// - Throws: ``Refusal``; what the file or the catalog in it throws.
    package init(
        _ file: String, output: String?, loader: JobLoader, options: SessionOptions,
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        let file = FilePath.absolute(file)
        let folder = ShardFolder(path: FilePath.folder(of: file))
        let scratch = try ScratchFolder(for: "shard")
        let local = "\(scratch.path)/shard.sqlite"
        let mark = "\(getpid())x\(UInt32.random(in: 0 ... .max))"
        (self.folder, self.scratch, self.local, self.mark, self.tell) = (folder, scratch, local, mark, tell)
        do {
            let head: ShardHead
            do {
                head = try ShardFolder.head(of: file, copiedTo: local)
            } catch let error as FileError where error.path == file && error.errno == EINVAL {
                throw Refusal.foreign("\(file) is no shard: it is not a regular file")
            } catch let error as FileError {
                throw Refusal.unreadable(error.description)
            } catch let error as SQLiteError {
                throw Refusal.fault(error.description)
            } catch {
                throw Refusal.foreign("\(error)")
            }
            guard FilePath.absolute(folder.file(head.number, .shard)) == file else {
                throw Refusal.foreign(
                    "\(file) is shard \(head.number): its name is \(folder.file(head.number, .shard))")
            }
            self.head = head
            number = head.number
            let source = [ShardFolder.Stage.done, .part].map { folder.file(head.number, $0) }
                .first { (try? ShardFolder.head(of: $0, copiedTo: local)) == head }
            try WholeCopy.write(source ?? file, to: local, mark: "work")
            let catalog = try CatalogLocation.openForWriting(local)
            defer { catalog.close() }
            guard let row = try ShardRows.all(ofRun: head.run, on: catalog).first else {
                throw Refusal.fault("\(file) has no items")
            }
            before = row
            var job = try Self.job(of: head, loader)
            let directory = try CatalogJob.directory(of: head.job, on: catalog) ?? job.output.directory
            job.output.directory = output.map { FilePath.absolute($0) } ?? directory
            if output == nil, row.finishedAt == nil { try Self.check(directory, of: head) }
            self.job = job
            self.options = try Self.options(options, head, job, mark)
            // What a machine could not store is tried on others, but not for ever.
            try ShardRows.reopen(inRun: head.run, diskFaults: row.attempt < 3, on: catalog)
            try ShardRows.setDirectory(job.output.directory, ofJob: head.job, on: catalog)
        } catch {
            scratch.remove()
            throw error
        }
    }

    deinit {
        scratch.remove()
    }

    private static func job(of head: ShardHead, _ loader: JobLoader) throws -> Job {
        let loaded = loader.load(head.text, ofFile: head.file, overrides: head.overrides)
        guard !loaded.hasErrors, var job = loaded.jobs.first(where: { $0.name == head.job }) else {
            let errors = loaded.diagnostics.filter { $0.severity == .error }.map(\.description)
            throw Refusal.job(errors.isEmpty ? ["\(head.file): the job '\(head.job)' is not in it"] : errors)
        }
        // Pictures are made where the catalog is.
        job.media = nil
        job.transfer.bandwidth = job.transfer.bandwidth.divided(by: head.shards)
        return job
    }

    /// Makes sure that this machine has the directory that the others have.
    private static func check(_ directory: String, of head: ShardHead) throws {
        guard let output = try? OutputDirectory(path: directory, create: false), let owner = try output.owner(),
            owner.catalog == head.catalog, owner.job == head.job
        else {
            throw Refusal.fault(
                "\(directory) is not the output directory of '\(head.job)' on this machine: is the shared folder "
                    + "mounted? Give --output DIR for a folder of this machine's own")
        }
    }

    private static func options(
        _ options: SessionOptions, _ head: ShardHead, _ job: Job, _ mark: String
    ) throws -> SessionOptions {
        var parts: [HTTPOrigin: Int] = [:]
        for (name, count) in head.parts { parts[try WebURL(name).origin] = count }
        var options = options
        // What needs no request was settled where the list was read.
        options.selection.isFailedOnly = true
        options.selection.isRefreshing = head.isRefreshing
        options.shard = ShardPart(
            run: head.run,
            workspace: try RelativePath(validating: "\(ShardRows.group(run: head.run, head.number))/\(mark)"),
            parts: parts)
        return options
    }

    // MARK: Working

    /// Asks for what is left, and leaves the result.
    ///
    /// - Parameters:
    ///   - interval: between checkpoints, microseconds.
    ///   - begun: called with the session, to stop it by.
    package func run(interval: Int64, begun: (Session) -> Void) async throws -> Ending {
        if before.finishedAt != nil { return try ending(.done, RunFigures(), fault: nil) }
        var options = options
        options.database = local
        let node = Self.node(options.environment)
        let row = ShardRow(
            number: number, items: before.items, host: hostName(), node: node, attempt: before.attempt + 1,
            startedAt: before.startedAt ?? startedAt)
        try write(row)
        let session = try Session(jobs: [job], options: options) { [tell] events in
            for case .warning(let warning) in events { tell("\(warning.job): \(warning.message)") }
        }
        begun(session)
        let timer = DispatchSource.makeTimerSource(queue: checkpoints)
        timer.schedule(deadline: .now() + .microseconds(Int(interval)), repeating: .microseconds(Int(interval)))
        timer.setEventHandler { [self] in
            do {
                let settled = try leave(.part)
                tell("shard \(number): \(settled) of \(before.items) items")
            } catch {
                tell("shard \(number): no checkpoint: \(error)")
            }
        }
        timer.activate()
        let results = await session.run()
        timer.cancel()
        // One that goes on is waited for.
        return try await withCheckedThrowingContinuation { continuation in
            checkpoints.async { continuation.resume(with: Result { try self.end(results, row) }) }
        }
    }

    private func end(_ results: [JobResult], _ row: ShardRow) throws -> Ending {
        var figures = RunFigures()
        var fault: String?
        switch results.first?.ending {
        case .ran(let run):
            figures = run.figures
            if run.outcome == .failed { fault = run.detail ?? "the disk or the catalog of this machine failed" }
        case .failed(let reason): fault = reason
        case .refused(let refusal): fault = refusal.description
        case .locked, nil: fault = "the copy of the shard is in use"
        }
        let isLast = row.attempt >= 3
        let settled = try change { catalog in
            try ShardRows.reopen(inRun: head.run, diskFaults: !isLast, on: catalog)
            let settled = try ShardRows.settled(inRun: head.run, on: catalog)
            let finishedAt = settled == row.items ? wallClockMicroseconds() : nil
            try ShardRows.write(
                ShardRow(
                    number: number, items: row.items, host: row.host, node: row.node, attempt: row.attempt,
                    startedAt: row.startedAt, finishedAt: finishedAt), ofRun: head.run, on: catalog)
            return settled
        }
        let stage = settled == row.items ? ShardFolder.Stage.done : .part
        try leave(stage)
        if stage == .done { unlink(folder.file(number, .part)) }
        return try ending(stage, figures, fault: fault)
    }

    private func ending(_ stage: ShardFolder.Stage, _ figures: RunFigures, fault: String?) throws -> Ending {
        let (settled, row) = try read { catalog in
            (
                try ShardRows.settled(inRun: head.run, on: catalog),
                try ShardRows.all(ofRun: head.run, on: catalog).first ?? before
            )
        }
        return Ending(
            run: head.run, number: number, file: folder.file(number, stage), items: row.items, settled: settled,
            figures: figures, attempt: row.attempt, node: row.node ?? row.host ?? "",
            time: wallClockMicroseconds() - startedAt, fault: fault)
    }

    // MARK: The files

    /// Puts what there is by now into the shared folder, whole.
    ///
    /// - Returns: how many items have their rows there.
    @discardableResult
    private func leave(_ stage: ShardFolder.Stage) throws -> Int {
        let copy = "\(scratch.path)/copy"
        try ShardFile.snapshot(of: local, to: copy)
        let settled = try ShardFile.seal(copy) { try ShardRows.settled(inRun: head.run, on: $0) }
        try WholeCopy.write(copy, to: folder.file(number, stage), mark: mark)
        unlink(copy)
        return settled
    }

    private func write(_ row: ShardRow) throws {
        try change { try ShardRows.write(row, ofRun: head.run, on: $0) }
    }

    private func change<T>(_ body: (Connection) throws -> T) throws -> T {
        let catalog = try CatalogLocation.openForWriting(local)
        defer { catalog.close() }
        return try catalog.transaction { try body(catalog) }
    }

    private func read<T>(_ body: (Connection) throws -> T) throws -> T {
        let catalog = try CatalogLocation.openForReading(local)
        defer { catalog.close() }
        return try body(catalog)
    }
}
