/// A complete body, hashed and ready to be published: in `.runner/parts`, or a short one still in memory.
///
/// An object, for it is handed on many times between the loop and the catalog.
package final class SealedPart: Sendable {
    package let name: String
    /// Length in bytes.
    package let size: Int64
    package let digest: SHA256Digest
    /// Whether a note is stored beside it, to be removed with it: what is left of it can be resumed.
    package let hasNote: Bool
    /// The body, when nothing of it is stored yet.
    let held: HeldBody?

    init(name: String, size: Int64, digest: SHA256Digest, hasNote: Bool, held: HeldBody? = nil) {
        self.name = name
        self.size = size
        self.digest = digest
        self.hasNote = hasNote
        self.held = held
    }

    /// Bytes that are in memory still, as long as the part is held; nil where they are in its file.
    package func withHeldBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        guard let held else { return nil }
        return try body(held.bytes)
    }

    /// Removes the part: it is not to be published.
    package func discard(in directory: OutputDirectory) throws(FileError) {
        if held == nil { try directory.removePart(name) }
    }
}

/// The bytes of a short body between its seal and its file.
final class HeldBody: @unchecked Sendable {  // never changed once it is made
    private let buffer: ByteBuffer

    init(_ buffer: consuming ByteBuffer) {
        self.buffer = buffer
    }

    var bytes: UnsafeRawBufferPointer { buffer.bytes }
}
