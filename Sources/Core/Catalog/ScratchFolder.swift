import FoundationEssentials
import Glibc

/// A folder of this process's own for what it throws away.
package struct ScratchFolder {
    package let path: String

    /// - Parameter purpose: a part of its name, for whoever finds it.
    /// - Throws: ``CatalogError``.
    package init(for purpose: String) throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/runner-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CatalogError("no temporary folder in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the folder with all that is in it.
    package func remove() {
        // What can't be removed is left to the system's own cleaning.
        try? FileManager.default.removeItem(atPath: path)
    }
}
