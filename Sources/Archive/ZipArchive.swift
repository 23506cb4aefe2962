/// A ZIP file, read in memory under limits; nothing is ever written by the names in it.
///
/// Opening checks all that the headers say, so that only entries are inflated whose claims fit each other. Used on one
/// thread at a time.
package final class ZipArchive {
    /// In the order of the directory, folders included.
    package let entries: [ArchiveEntry]
    private let file: FileReader
    private let limits: ArchiveLimits
    private var reader: ZipReader?
    private var current: ArchiveEntry?
    /// Bytes of the current entry that are still to come.
    private var remaining: Int64 = 0
    /// Inflated sizes of the entries that were begun.
    private var total: Int64 = 0

    /// Opens the ZIP file behind a descriptor, which must stay open, and whose position is the archive's from now on.
    ///
    /// - Throws: a fault of the whole file. The fault of one entry is in ``ArchiveEntry/fault``.
    package init(descriptor: Int32, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
        file = try FileReader(descriptor: descriptor)
        self.limits = limits
        entries = try CentralDirectory(of: file, limits: limits).entries
    }

    /// Begins to read an entry; one that was begun before is left.
    ///
    /// Entries are read fastest in the order of their data. To go back opens the file anew.
    package func begin(_ entry: ArchiveEntry) throws(ArchiveError) {
        current = nil
        if let fault = entry.fault { throw fault }
        guard entry.size <= limits.totalBytes - total else {
            throw ArchiveError(
                .totalTooLarge, "with entry '\(entry.name)' over \(limits.totalBytes) bytes would be read",
                entry: entry.name)
        }
        total += entry.size
        if reader == nil || (reader?.next ?? 0) > entry.rank { reader = try ZipReader(descriptor: file.descriptor) }
        do throws(ArchiveError) {
            try reader?.advance(to: entry)
        } catch {
            reader = nil
            throw error
        }
        current = entry
        remaining = entry.size
    }

    /// The next bytes of the entry that was begun, some ten or hundred KiB; nil at its end, when size and CRC-32 were right.
    package func next() throws(ArchiveError) -> [UInt8]? {
        guard let entry = current else { return nil }
        do throws(ArchiveError) {
            let bytes = try reader?.nextBytes(of: entry, remaining: remaining) ?? []
            remaining -= Int64(bytes.count)
            if remaining < 0 { throw wrongSize(entry, "is longer than the \(entry.size) bytes it says") }
            if !bytes.isEmpty { return bytes }
            if remaining > 0 { throw wrongSize(entry, "ends \(remaining) bytes before its \(entry.size)") }
            current = nil
            return nil
        } catch {
            // The library may be in any state.
            reader = nil
            current = nil
            throw error
        }
    }

    private func wrongSize(_ entry: ArchiveEntry, _ detail: String) -> ArchiveError {
        ArchiveError(.wrongSize, "entry '\(entry.name)' \(detail)", entry: entry.name)
    }
}
