/// What a ZIP file may hold, and how much of it is read. Everything is checked before a byte is inflated.
package struct ArchiveLimits: Hashable, Sendable {
    /// Entries in the directory, folders included.
    package var entries = 10_000
    /// Inflated bytes of one entry.
    package var entryBytes: Int64 = 256 << 20
    /// Inflated bytes of all entries that are read from one opened file.
    package var totalBytes: Int64 = 1 << 30
    /// How many times its packed size an entry may have; see ``ratioFloor``.
    package var ratio: Int64 = 200
    /// Entries that inflate to less are no bombs, whatever their ratio: deflate shrinks a run of one byte 1,032 times.
    static let ratioFloor: Int64 = 1 << 20
    /// Bytes of an entry's name. The longest that common file systems take is 255 a component.
    static let nameBytes = 1_024
    /// Bytes of the directory: a name, an extra field and a comment may have 64 KiB each.
    static let directoryBytes: Int64 = 16 << 20

    package init() {}
}
