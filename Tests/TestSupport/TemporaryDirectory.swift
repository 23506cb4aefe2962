import FoundationEssentials
import Glibc

/// A new, empty directory, removed with all that is in it when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// Absolute, without a slash at its end.
    package let path: String

    /// - Parameter parent: where it is made, by default `$TMPDIR` or `/tmp`; /dev/shm is a file system in memory.
    package init(in parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/runner-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // What cannot be removed is left to the system's own cleaning; a test has nothing to do about it.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the directory.
    package func path(_ relative: String) -> String { "\(path)/\(relative)" }

    /// Writes a file, making the folders above it, and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to relative: String) throws -> String {
        let target = path(relative)
        let folder = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: target))
        return target
    }

    @discardableResult
    package func write(_ text: String, to relative: String) throws -> String {
        try write(Array(text.utf8), to: relative)
    }

    /// Makes a folder, and those above it.
    package func makeFolder(_ relative: String) throws {
        try FileManager.default.createDirectory(atPath: path(relative), withIntermediateDirectories: true)
    }

    /// The bytes of a file; nil where there is none.
    package func read(_ relative: String) -> [UInt8]? {
        guard let file = fopen(path(relative), "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return ferror(file) == 0 ? bytes : nil
    }

    /// Removes a file or a folder with all that is in it.
    package func remove(_ relative: String) throws {
        try FileManager.default.removeItem(atPath: path(relative))
    }

    /// The names in a folder, sorted; empty where there is none.
    package func names(in relative: String = ".") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(relative))) ?? []).sorted()
    }
}
