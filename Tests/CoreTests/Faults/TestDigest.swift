import Files
import FoundationEssentials

/// A digest as a server writes it into Repr-Digest or Content-Digest.
enum TestDigest {
    case sha256, sha512

    func member(of bytes: [UInt8]) -> String {
        let digest = RunningDigest(self == .sha256 ? .sha256 : .sha512)
        bytes.withUnsafeBytes { digest.update($0) }
        let name = self == .sha256 ? "sha-256" : "sha-512"
        return "\(name)=:\(Data(digest.finalize()).base64EncodedString()):"
    }
}
