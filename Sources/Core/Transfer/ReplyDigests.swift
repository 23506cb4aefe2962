import Files
import FoundationEssentials
import HTTP
import Model

/// What a reply says that its bytes hash to: Repr-Digest and Content-Digest (RFC 9530), in its header or its trailer.
///
/// Both are of the body as it is coded (RFC 9530, sections 2 and 3). A coded body arrives decoded, so that nothing can be
/// said of it.
struct ReplyDigests: Sendable {
    /// Of the whole file, SHA-256 first: it is known in any case.
    private let whole: [DeclaredDigest]
    /// Of the rest of a part alone.
    private let rest: [DeclaredDigest]
    /// Where in the file that rest begins; 0 where all of it came.
    private let start: Int64

    /// - Parameter start: where in the file the reply's body begins.
    /// - Returns: nil when there is nothing to check: an unknown algorithm, a field that is no dictionary (RFC 9530,
    ///   section 2 leaves both to the recipient), a coded body.
    init?(_ headers: HTTPHeaders, trailers: HTTPHeaders, start: Int64) {
        guard headers["Content-Encoding"].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
        let representation = DeclaredDigest.all(headers.all("Repr-Digest") + trailers.all("Repr-Digest"))
        let content = DeclaredDigest.all(headers.all("Content-Digest") + trailers.all("Content-Digest"))
        whole = Self.sufficient(representation + (start == 0 ? content : []))
        rest = start == 0 ? [] : Self.sufficient(content)
        self.start = start
        if whole.isEmpty, rest.isEmpty { return nil }
    }

    /// The SHA-256 where there is one, which makes any SHA-512 needless.
    private static func sufficient(_ digests: [DeclaredDigest]) -> [DeclaredDigest] {
        let best = digests.filter { $0.algorithm == .sha256 }
        return best.isEmpty ? digests : best
    }

    /// Compares a complete body with what was said of it. What has not been hashed on its way is read again, which blocks.
    ///
    /// - Parameter isBrokenOff: asked before each piece; true ends the reading, as cancelled.
    func fault(
        of body: SealedPart, in output: OutputDirectory, isBrokenOff: () -> Bool
    ) throws(TransferFailure) -> TransferFailure? {
        for digest in whole {
            let found =
                digest.algorithm == .sha256
                ? body.digest.bytes : try hash(body, by: digest.algorithm, from: 0, in: output, isBrokenOff)
            if found != digest.bytes { return Self.fault(digest, found) }
        }
        for digest in rest {
            let found = try hash(body, by: digest.algorithm, from: start, in: output, isBrokenOff)
            if found != digest.bytes { return Self.fault(digest, found) }
        }
        return nil
    }

    private func hash(
        _ body: SealedPart, by algorithm: RunningDigest.Algorithm, from start: Int64, in output: OutputDirectory,
        _ isBrokenOff: () -> Bool
    ) throws(TransferFailure) -> [UInt8] {
        let digest = RunningDigest(algorithm)
        let isHeld: Void? = body.withHeldBytes { bytes in
            digest.update(UnsafeRawBufferPointer(rebasing: bytes[min(Int(start), bytes.count)...]))
        }
        guard isHeld == nil else { return digest.finalize() }
        do throws(FileError) {
            try output.readableFile(of: body).forEachPiece(from: start) { piece in
                digest.update(piece)
                return !isBrokenOff()
            }
        } catch {
            throw TransferFailure(error)
        }
        if isBrokenOff() { throw TransferCoordinator.stopped }
        return digest.finalize()
    }

    /// Bytes that a network or a cache has damaged may well come whole the next time.
    private static func fault(_ promised: DeclaredDigest, _ found: [UInt8]) -> TransferFailure {
        TransferFailure(
            .checksum,
            "the server promises \(promised.algorithm.name) \(hex(promised.bytes)), the body has \(hex(found))",
            isTransient: true)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// One member of a digest field, by an algorithm that RFC 9530 section 5 calls safe.
struct DeclaredDigest: Equatable {
    let algorithm: RunningDigest.Algorithm
    let bytes: [UInt8]

    /// The members of a dictionary of byte sequences, `sha-256=:…:, sha-512=:…:` (RFC 8941 sections 3.2 and 3.3.5), that are
    /// known and have their algorithm's length.
    static func all(_ fields: [String]) -> [DeclaredDigest] {
        fields.flatMap { $0.split(separator: ",") }.compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1)
            guard parts.count == 2,
                let algorithm = RunningDigest.Algorithm(field: String(parts[0].filter { $0 != " " && $0 != "\t" }))
            else { return nil }
            // What follows the closing colon are parameters, of which none is defined.
            let value = parts[1].drop { $0 == " " }
            guard value.first == ":", let end = value.dropFirst().firstIndex(of: ":"),
                let data = Data(base64Encoded: String(value[value.index(after: value.startIndex)..<end])),
                data.count == algorithm.length
            else { return nil }
            return DeclaredDigest(algorithm: algorithm, bytes: Array(data))
        }
    }
}

extension RunningDigest.Algorithm {
    /// By its key in the registry of RFC 9530 section 7.2.
    init?(field key: String) {
        switch key {
        case "sha-256": self = .sha256
        case "sha-512": self = .sha512
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .sha256: "SHA-256"
        case .sha512: "SHA-512"
        }
    }
}
