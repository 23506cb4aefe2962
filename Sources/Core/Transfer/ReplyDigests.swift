import Files
import FoundationEssentials
import HTTP

/// What a reply says that its bytes hash to: Repr-Digest and Content-Digest (RFC 9530), of an uncoded body.
///
/// Of the whole file SHA-256 is known in any case and compared when the file is sealed. What is said of a part alone, or
/// only by SHA-512, is computed while the body comes.
final class ReplyDigests {
    /// What the whole file must hash to.
    private(set) var whole: SHA256Digest?
    /// What the bytes of this reply must hash to.
    private var content: DeclaredDigest?
    private var running: RunningDigest?

    /// - Parameter isRest: whether the reply is the rest of a part. Of such a file only SHA-256 covers the beginning, so
    ///   Repr-Digest by SHA-512 alone stays unchecked.
    /// - Returns: nil when there is nothing to check: an unknown algorithm, a field that is no dictionary (RFC 9530,
    ///   section 2 leaves both to the recipient), a body that arrives decoded.
    init?(_ headers: HTTPHeaders, isRest: Bool) {
        guard headers["Content-Encoding"].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
        let representation = DeclaredDigest.all(headers.all("Repr-Digest"))
        let content = DeclaredDigest.all(headers.all("Content-Digest"))
        whole = (representation + (isRest ? [] : content)).lazy.compactMap(\.sha256).first
        if isRest {
            self.content = content.first { $0.algorithm == .sha256 } ?? content.first
        } else if whole == nil {
            self.content = (representation + content).first
        }
        if whole == nil, self.content == nil { return nil }
        running = self.content.map { RunningDigest($0.algorithm) }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        running?.update(bytes)
    }

    /// Compares what came with what was said of it. To be called once, after the last byte.
    func faultOfContent() -> TransferFailure? {
        guard let content, let found = running?.finalize(), found != content.bytes else { return nil }
        return Self.fault("\(content.algorithm.name) \(hex(content.bytes))", hex(found))
    }

    /// Compares the whole file with what was said of it.
    func fault(of found: SHA256Digest) -> TransferFailure? {
        guard let whole, whole != found else { return nil }
        return Self.fault("SHA-256 \(whole.hex)", found.hex)
    }

    /// Bytes that a network or a cache has damaged may well come whole the next time.
    private static func fault(_ promised: String, _ found: String) -> TransferFailure {
        TransferFailure(.checksum, "the server promises \(promised), the body has \(found)", isTransient: true)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// One member of a digest field, by an algorithm that RFC 9530 section 5 calls safe.
struct DeclaredDigest: Equatable {
    let algorithm: RunningDigest.Algorithm
    let bytes: [UInt8]

    var sha256: SHA256Digest? {
        guard algorithm == .sha256 else { return nil }
        return bytes.withUnsafeBufferPointer { SHA256Digest(bytes: $0) }
    }

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
