internal import CCrypto

/// A digest in progress, computed by libcrypto.
///
/// libcrypto fails here only when there is no memory or the algorithm is not built in; no bytes could be trusted then, and the
/// process ends.
package struct RunningDigest: ~Copyable {
    package enum Algorithm: Sendable {
        case sha256, sha512

        /// Bytes of the digest.
        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        fileprivate var method: Method {
            switch self {
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    /// Looked up once: `EVP_sha256()` would make libcrypto search its providers at each start of a message.
    fileprivate struct Method: @unchecked Sendable {
        /// Unchecked because a method is immutable once fetched, and kept as long as the process.
        let pointer: OpaquePointer?

        static let sha256 = Method(pointer: EVP_MD_fetch(nil, "SHA256", nil))
        static let sha512 = Method(pointer: EVP_MD_fetch(nil, "SHA512", nil))
    }

    private let algorithm: Algorithm
    private let context: OpaquePointer

    /// Begins a message.
    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, algorithm.method.pointer, nil) == 1 else {
            fatalError("libcrypto cannot compute a digest")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes the next bytes of the message.
    package borrowing func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            fatalError("libcrypto failed within a digest")
        }
    }

    /// The digest of all bytes.
    package consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.length) { buffer, count in
            finalize(into: buffer)
            count = algorithm.length
        }
    }

    /// The same, into memory for at least the digest. Nothing may follow.
    borrowing func finalize(into buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1 else {
            fatalError("libcrypto failed to end a digest")
        }
    }
}
