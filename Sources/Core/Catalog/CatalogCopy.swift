import FoundationEssentials
import Glibc
import SQLite

/// A catalog for readers that may write neither its file nor its folder.
///
/// SQLite reads a file with a write-ahead log through the files `-wal` and `-shm` beside it. Where there are none, as after
/// the end of the last run, it would have to make them (<https://www.sqlite.org/wal.html#readonly>). A copy of one's own
/// needs no such thing.
enum CatalogCopy {
    /// Opens a copy of the catalog as it is now, which is gone with the connection.
    ///
    /// - Returns: nil where the file and its log can't be read, or changed each time while they were copied.
    /// - Throws: ``CatalogError`` without a temporary folder; what SQLite throws.
    static func open(_ path: String) throws -> Connection? {
        for _ in 0..<3 {
            let scratch = try ScratchFolder(for: "catalog")
            // Once it is open its names are not needed.
            defer { scratch.remove() }
            let copy = "\(scratch.path)/catalog.sqlite"
            let before = State(of: path)
            guard (try? FileManager.default.copyItem(atPath: path, toPath: copy)) != nil else { return nil }
            if before.hasLog {
                guard (try? FileManager.default.copyItem(atPath: "\(path)-wal", toPath: "\(copy)-wal")) != nil else {
                    return nil
                }
            }
            guard State(of: path) == before else { continue }
            chmod(copy, 0o600)
            chmod("\(copy)-wal", 0o600)
            let connection = try Connection(path: copy, mode: .readWrite)
            try connection.execute("PRAGMA journal_mode = DELETE")
            connection.close()
            return try Connection(path: copy, mode: .readOnly)
        }
        return nil
    }

    /// What changes whenever a process writes.
    private struct State: Equatable {
        private let file: [Int]
        private let log: [Int]

        init(of path: String) {
            file = Self.information(path)
            log = Self.information("\(path)-wal")
        }

        /// Whether the log has anything in it.
        var hasLog: Bool { log.first.map { $0 > 0 } ?? false }

        /// Empty where there is no such file.
        private static func information(_ path: String) -> [Int] {
            var found = stat()
            guard stat(path, &found) == 0 else { return [] }
            return [found.st_size, Int(found.st_ino), found.st_mtim.tv_sec, found.st_mtim.tv_nsec]
        }
    }
}
