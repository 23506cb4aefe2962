import Archive
import Glibc
import TestSupport

/// A ZIP file that is open for a test.
final class OpenZip {
    let archive: ZipArchive
    private let descriptor: Int32

    init(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) throws {
        // Without a name it is gone when it is closed.
        var path = Array("/tmp/runner-zip-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        unlink(path)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
            throw TestSupportError("no file in memory")
        }
        self.descriptor = descriptor
        do {
            archive = try ZipArchive(descriptor: descriptor, limits: limits)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// All bytes of an entry.
    func read(_ entry: ArchiveEntry) throws -> [UInt8] {
        try archive.begin(entry)
        var bytes: [UInt8] = []
        while let chunk = try archive.next() { bytes += chunk }
        return bytes
    }

    /// What each file in it comes to: its length, or the name of its fault.
    var contents: [String] {
        archive.entries.filter { !$0.isFolder }.map { entry in
            do {
                return "\(entry.name): \(try read(entry).count)"
            } catch let error as ArchiveError {
                return "\(entry.name): \(error.kind.rawValue)"
            } catch {
                return "\(entry.name): \(error)"
            }
        }
    }
}

/// What a ZIP file comes to: that of its entries, or the name of its own fault.
func contents(of bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) -> [String] {
    do {
        return try OpenZip(bytes, limits: limits).contents
    } catch let error as ArchiveError {
        return [error.kind.rawValue]
    } catch {
        return ["\(error)"]
    }
}
