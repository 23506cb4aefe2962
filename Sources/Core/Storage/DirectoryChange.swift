package import Catalog
import Dispatch
package import Files
import Glibc
package import Jobs
package import SQLite

/// A job whose job file names another output directory than before.
///
/// A directory that was moved, or copied, is taken as it is. Of all else the rows claim nothing in the new directory: what
/// is not there is fetched again, and what somebody else has there is not overwritten. Files in the old directory stay.
package struct DirectoryChange: Sendable {
    /// Rows that are read at a time.
    private static let portion = 500

    /// As the catalog has it.
    private let old: String
    private let new: String
    /// Items whose files are not in the new directory, and how many are.
    private var lost: [Int64] = []
    private var kept = 0
    /// Items of whose pictures one is not in the new directory.
    private var pictureless: Set<Int64> = []

    /// Compares the directory with what rows claim. Files are read on a queue of their own: the catalog's has other work.
    ///
    /// - Returns: nil when the directory is the same as ever, or the job is new.
    /// - Throws: what can't be read; `FileError.isCancelled` once it is stopped.
    package static func find(
        _ job: Job, in output: OutputDirectory, _ store: CatalogStore, isStopped: @escaping @Sendable () -> Bool
    ) async throws -> DirectoryChange? {
        guard var change = try await store.perform({ try DirectoryChange(job, on: $0) }) else { return nil }
        let files = DispatchQueue(label: "files")
        var last: Int64 = 0
        while true {
            let from = last
            let claims = try await store.perform {
                try StoredFileRows.claims(ofJob: job.name, after: from, limit: Self.portion, on: $0)
            }
            guard let end = claims.last else { break }
            last = end.item
            let before = change
            change = try await withCheckedThrowingContinuation { continuation in
                files.async {
                    continuation.resume(
                        with: Result {
                            var change = before
                            try change.look(at: claims, in: output, isStopped: isStopped)
                            return change
                        })
                }
            }
        }
        let before = change
        return try await store.perform { catalog in
            var change = before
            try change.lookAtPictures(of: job, in: output, on: catalog)
            return change
        }
    }

    /// nil when the directory is the same as ever, or the job is new.
    private init?(_ job: Job, on catalog: Connection) throws {
        new = job.output.directory
        guard let old = try Self.oldDirectory(of: job, on: catalog) else { return nil }
        self.old = old
    }

    /// Looks which of them are in the new directory. It may read all files, and blocks meanwhile.
    ///
    /// - Throws: what can't be read; `FileError.isCancelled` once it is stopped.
    private mutating func look(at claims: [FileClaim], in output: OutputDirectory, isStopped: () -> Bool) throws {
        // In a directory that no run has written to only the bytes can tell whose a file is.
        let isOwn = PublishJournal.exists(in: output)
        for claim in claims {
            if isStopped() {
                throw FileError(operation: "read", path: output.path, errno: ECANCELED, reason: "the run was stopped")
            }
            if let size = claim.size, let sha256 = claim.sha256,
                let path = try? RelativePath(validating: claim.path), let found = output.information(path),
                found.isRegular, found.size == size,
                try isOwn || output.digest(of: path, unless: isStopped).hex == sha256
            {
                kept += 1
            } else {
                lost.append(claim.item)
            }
        }
    }

    /// Looks which items have lost a picture.
    private mutating func lookAtPictures(of job: Job, in output: OutputDirectory, on catalog: Connection) throws {
        let pictures = Set(try output.pictureNames())
        try PictureRows.forEach(ofJob: job.name, on: catalog) { item, path in
            let name = path.split(separator: "/").last.map(String.init)
            if name.map(pictures.contains) != true { pictureless.insert(item) }
        }
    }

    /// Has the rows claim nothing that is not there.
    package func apply(on catalog: Connection) throws {
        for id in lost { try StoredFileRows.forgetMissingFile(ofItem: id, on: catalog) }
        for id in pictureless { _ = try PictureRows.delete(ofItem: id, on: catalog) }
    }

    /// What to report of it; nil when all files are there.
    package var warning: String? {
        guard !lost.isEmpty else { return nil }
        return "output.directory has changed, and \(lost.count) of \(lost.count + kept) files are not in \(new): "
            + "they are fetched again, and what is in \(old) stays there"
    }
}
