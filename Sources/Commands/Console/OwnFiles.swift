import Catalog
import Files
import Glibc
import Jobs
import Reports
import SQLite
import SourceKit
import System

/// The files that the program lives on: nothing else, such as a log or a report, is written over them.
struct OwnFiles {
    private struct Entry {
        let path: String
        /// What it is, for a message.
        let words: String
    }

    private struct Directory {
        let job: String
        let path: String
    }

    private var entries: [Entry] = []
    private var directories: [Directory] = []
    private let database: String?

    /// - Parameters:
    ///   - jobs: those of the command; the catalog has further ones.
    ///   - database: the catalog's file, which need not be there; nil where it has no place.
    init(_ jobs: [Job], database: String?) {
        self.database = database.map(Self.place)
        for job in jobs {
            entries.append(Entry(path: job.file, words: "the file of the job '\(job.name)'"))
            let read = job.source.files.map { $0.path.hasPrefix("/") ? $0.path : "\(job.folder)/\($0.path)" }
            for path in read + [job.transfer.caFile].compactMap(\.self) {
                entries.append(Entry(path: path, words: "a file that the job '\(job.name)' reads"))
            }
            directories.append(Directory(job: job.name, path: job.output.directory))
        }
        guard let database else { return }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            entries.append(Entry(path: database + suffix, words: "the catalog"))
        }
        guard let catalog = Self.open(database) else { return }
        defer { catalog.close() }
        for job in (try? CatalogJob.names(on: catalog)) ?? [] {
            if let file = try? CatalogJob.file(of: job, on: catalog) {
                entries.append(Entry(path: file, words: "the file of the job '\(job)'"))
            }
            if let directory = try? CatalogJob.directory(of: job, on: catalog) {
                directories.append(Directory(job: job, path: directory))
            }
        }
    }

    /// Which of them a path leads to, by whatever names and links; nil where it leads to none.
    func words(for path: String) -> String? {
        let place = Self.place(path)
        var information = stat()
        let isThere = stat(place, &information) == 0
        for entry in entries {
            if Self.place(entry.path) == place { return entry.words }
            var own = stat()
            if isThere, stat(entry.path, &own) == 0, own.st_dev == information.st_dev, own.st_ino == information.st_ino
            {
                return entry.words
            }
        }
        if let database, place.hasPrefix(database + "."), place.hasSuffix(".lock") { return "a lock of the catalog" }
        for directory in directories {
            let folder = Self.place(directory.path)
            guard place.hasPrefix(folder + "/") else { continue }
            let rest = String(place.dropFirst(folder.count + 1))
            if rest == ".runner" || rest.hasPrefix(".runner/") {
                return "in \(folder)/.runner, where the program keeps files of its own"
            }
            if isThere, isStored(rest, directory.job) { return "a file that the job '\(directory.job)' has stored" }
        }
        return nil
    }

    /// The job whose output directory a folder is, or is in; nil where it is none's.
    func owner(ofDirectoryAround path: String) -> String? {
        let place = Self.place(path)
        return directories.first { directory in
            let folder = Self.place(directory.path)
            return place == folder || place.hasPrefix(folder + "/")
        }?.job
    }

    private func isStored(_ path: String, _ job: String) -> Bool {
        guard let database, let path = try? RelativePath(validating: path), let catalog = Self.open(database) else {
            return false
        }
        defer { catalog.close() }
        let claims = try? StoredFileRows.claims(ofJob: job, on: catalog) { $0 == path }
        return claims?.isEmpty == false
    }

    private static func open(_ database: String) -> Connection? {
        guard access(database, R_OK) == 0 else { return nil }
        return try? CatalogLocation.openForReading(database)
    }

    /// A path without links and dots.
    private static func place(_ path: String) -> String { DirectoryPlace(FilePath.absolute(path)).path }
}

extension CommandContext {
    /// Why a file that a flag or a job file names can't be written; nil where nothing is against it.
    func refusal(ofWriting path: String, _ jobs: [Job], _ options: Options) -> String? {
        let database = try? CatalogLocation.path(flag: options.database, environment: environment)
        return OwnFiles(jobs, database: database).words(for: path).map { words in
            "\(displayable(path)) is \(words); give another file"
        }
    }
}
