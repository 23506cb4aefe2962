internal import CCrypto

/// A SHA-256 (FIPS 180-4) in progress, computed by libcrypto.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// Begins a message.
    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Algorithm.sha256.pointer, nil) == 1 else {
            fatalError("libcrypto cannot compute a SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes the next bytes of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            fatalError("libcrypto failed within a SHA-256")
        }
    }

    /// The digest of all bytes so far; the next `update` begins another message.
    package mutating func finalize() -> SHA256Digest {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
            guard EVP_DigestFinal_ex(context, bytes.baseAddress, nil) == 1, EVP_DigestInit_ex(context, nil, nil) == 1,
                let digest = SHA256Digest(bytes: bytes)
            else {
                fatalError("libcrypto failed to end a SHA-256")
            }
            return digest
        }
    }
}

/// Looked up once: `EVP_sha256()` would make libcrypto search its providers at each start of a message.
private struct Algorithm: @unchecked Sendable {
    /// Unchecked because the algorithm is immutable once fetched, and kept as long as the process.
    let pointer: OpaquePointer?

    static let sha256 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
}
