import Archive
import Glibc
import TestSupport

/// A ZIP file that is open for a test.
final class OpenZip {
    let archive: ZipArchive
    private let descriptor: Int32

    init(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) throws {
        // Its name goes with the directory; its bytes stay until it is closed.
        let directory = try TemporaryDirectory()
        let descriptor = open(try directory.write(bytes, to: "archive.zip"), O_RDONLY)
        guard descriptor >= 0 else { throw TestSupportError("the archive can't be opened") }
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
