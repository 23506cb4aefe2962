/// Why a ZIP file, or one entry of it, is refused.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the fault; its raw value is used in messages.
    package enum Kind: String, Sendable, CaseIterable {
        /// There is no end of a central directory where it must be.
        case notAnArchive = "not a ZIP file"
        /// The system refused to read the file.
        case unreadable = "unreadable"
        /// Parts of it are in other files.
        case multipleDisks = "several disks"
        /// The directory contradicts itself or the file around it.
        case damagedDirectory = "damaged directory"
        case tooManyEntries = "too many entries"
        case nameTooLong = "name too long"
        /// Two entries share bytes, as in a bomb that inflates one run of bytes many times.
        case overlapping = "overlapping entries"
        /// Its data would begin or end outside the part of the file that holds data.
        case outOfBounds = "data out of bounds"
        /// The entries read together are over the limit.
        case totalTooLarge = "too large together"

        // Of one entry; the others can be read.

        /// Two entries have this name, and programs differ in which of them they take.
        case duplicateName = "duplicate name"
        /// The directory and the entry's own header say different things.
        case inconsistent = "inconsistent headers"
        case encrypted = "encrypted"
        case symbolicLink = "symbolic link"
        /// Packed in another way than stored or deflated.
        case unsupportedMethod = "unsupported compression"
        case entryTooLarge = "too large"
        /// It inflates to many times its size in the file.
        case ratio = "suspicious compression ratio"
        /// More or fewer bytes come than its headers say.
        case wrongSize = "wrong size"
        /// The bytes, or their CRC-32, are not what was packed.
        case damagedData = "damaged data"
    }

    package let kind: Kind
    /// The name of the entry at fault; nil where the whole file is.
    package let entry: String?
    /// What was found, for people.
    package let detail: String

    init(_ kind: Kind, _ detail: String, entry: String? = nil) {
        self.kind = kind
        self.entry = entry
        self.detail = detail
    }

    /// "encrypted: entry 'a.txt' needs a password".
    package var description: String { "\(kind.rawValue): \(detail)" }
}
