import Glibc
import SQLite
import TestSupport
import Testing

/// A folder of its own for the files of one test, removed with the value.
struct TemporaryFolder: ~Copyable {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path }

    /// The path of a database in the folder; nothing is made there yet.
    func database(_ name: String = "catalog") -> String { "\(path)/\(name).sqlite" }

    func connection(_ mode: Connection.Mode = .readWriteCreate, busyTimeout: Int32 = 10_000) throws -> Connection {
        try Connection(path: database(), mode: mode, busyTimeout: busyTimeout)
    }
}

/// Writes a file that is not made by SQLite.
func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
}

/// The bytes of a whole file.
func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}
