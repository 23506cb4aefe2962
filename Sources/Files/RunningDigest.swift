internal import CCrypto

/// A digest in progress by an algorithm that is chosen as it begins; where it is always SHA-256, `SHA256` costs less.
package final class RunningDigest {
    package enum Algorithm: Sendable {
        case sha256, sha512

        /// Bytes of the digest.
        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    private let algorithm: Algorithm
    private let context: OpaquePointer

    /// Begins a message.
    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        let method = algorithm == .sha256 ? EVP_sha256() : EVP_sha512()
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, method, nil) == 1 else {
            fatalError("libcrypto cannot compute a digest")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes the next bytes of the message.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            fatalError("libcrypto failed within a digest")
        }
    }

    /// The digest of all bytes. To be called once.
    package func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.length) { buffer, count in
            guard EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1 else {
                fatalError("libcrypto failed to end a digest")
            }
            count = algorithm.length
        }
    }
}
