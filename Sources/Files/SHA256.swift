extension SHA256Digest {
    /// The digest of some bytes.
    package init(of bytes: [UInt8]) {
        var hasher = SHA256()
        bytes.withUnsafeBytes { hasher.update($0) }
        self = hasher.finalize()
    }
}

/// A SHA-256 (FIPS 180-4) in progress.
package struct SHA256: ~Copyable {
    private let digest = RunningDigest(.sha256)

    /// Begins a message.
    package init() {}

    /// Takes the next bytes of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        digest.update(bytes)
    }

    /// The digest of all bytes.
    package consuming func finalize() -> SHA256Digest {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
            digest.finalize(into: bytes)
            return SHA256Digest(bytes: bytes)!  // nil only of another length than 32
        }
    }
}
