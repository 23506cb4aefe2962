internal import CArchive
internal import Glibc

/// libarchive's reader of ZIP files, over a descriptor that it does not own.
///
/// It hands entries in the order of their data. It has parsed the directory by itself: every entry is compared with what
/// ``CentralDirectory`` has found at that rank.
struct ZipReader: ~Copyable {
    private let archive: ArchiveHandle
    /// The rank of the entry that comes next.
    private(set) var next = 0

    init(descriptor: Int32) throws(ArchiveError) {
        let archive = try ArchiveHandle()
        // The library reads on from the descriptor's current position.
        guard lseek(descriptor, 0, SEEK_SET) == 0, archive_read_support_format_zip_seekable(archive.raw) == ARCHIVE_OK,
            archive_read_open_fd(archive.raw, descriptor, Self.blockSize) == ARCHIVE_OK
        else { throw ArchiveError(.unreadable, archive.lastMessage) }
        self.archive = archive
    }

    private static let blockSize = 64 * 1024

    /// Goes to an entry that was not passed yet.
    mutating func advance(to entry: ArchiveEntry) throws(ArchiveError) {
        var header: OpaquePointer?
        while next <= entry.rank {
            let code = archive_read_next_header(archive.raw, &header)
            next += 1
            let isWanted = next == entry.rank + 1
            // A warning is a name that has no form in the C locale; an entry that is passed over may have any fault.
            guard code == ARCHIVE_OK || code == ARCHIVE_WARN || (code == ARCHIVE_FAILED && !isWanted) else {
                throw failure(.damagedData, entry)
            }
        }
        guard let header, archive_entry_size(header) == entry.size else {
            throw ArchiveError(
                .inconsistent, "entry '\(entry.name)' is not where the directory says", entry: entry.name)
        }
    }

    /// The next bytes of the entry; none at its end, where its CRC-32 has been checked.
    ///
    /// - Parameter remaining: how many are to come by the entry's size.
    func nextBytes(of entry: ArchiveEntry, remaining: Int64) throws(ArchiveError) -> [UInt8] {
        var block: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        var code: Int32
        // Bytes in do not always make bytes out.
        repeat {
            code = archive_read_data_block(archive.raw, &block, &count, &offset)
        } while code == ARCHIVE_OK && count == 0
        if code == ARCHIVE_EOF { count = 0 }
        // The library warns of a wrong size and of a wrong CRC-32 with the last bytes.
        guard code == ARCHIVE_OK || code == ARCHIVE_EOF else {
            let isSize = code == ARCHIVE_WARN && Int64(count) != remaining
            throw failure(isSize ? .wrongSize : .damagedData, entry)
        }
        return [UInt8](UnsafeRawBufferPointer(start: block, count: count))
    }

    private func failure(_ kind: ArchiveError.Kind, _ entry: ArchiveEntry) -> ArchiveError {
        ArchiveError(kind, "entry '\(entry.name)': \(archive.lastMessage)", entry: entry.name)
    }
}

/// Owns a reading handle of libarchive.
private struct ArchiveHandle: ~Copyable {
    let raw: OpaquePointer

    init() throws(ArchiveError) {
        guard let raw = archive_read_new() else { throw ArchiveError(.unreadable, "no memory is left") }
        self.raw = raw
    }

    deinit {
        archive_read_free(raw)
    }

    /// What the library says of its last failure.
    var lastMessage: String {
        let message = archive_error_string(raw).map { String(cString: $0) } ?? String(cString: strerror(errno))
        // Some of its messages end with a line break.
        return message.split(separator: "\n").joined(separator: " ")
    }
}
