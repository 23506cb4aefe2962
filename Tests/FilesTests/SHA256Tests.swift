import Files
import Testing

@Suite("SHA-256", .timeLimit(.minutes(1)))
struct SHA256Tests {
    @Test(
        "known messages have their known digests (FIPS 180-4 examples)",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func known(message: String, hex: String) {
        var hasher = SHA256()
        Array(message.utf8).withUnsafeBytes { hasher.update($0) }
        #expect(hasher.finalize().hex == hex)
    }

    @Test("a digest goes to text and bytes and back")
    func roundTrip() throws {
        let hex = "00ff7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
        let digest = try #require(SHA256Digest(hex: hex))
        #expect(digest.hex == hex)
        #expect(digest.bytes.count == 32)
        #expect(digest.bytes.prefix(3) == [0x00, 0xFF, 0x78])
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(SHA256Digest(hex: hex.uppercased()) == digest)
    }

    @Test(
        "what is no digest is refused",
        arguments: ["", "ab", String(repeating: "g", count: 64), String(repeating: "é", count: 32)])
    func refused(hex: String) {
        #expect(SHA256Digest(hex: hex) == nil)
        #expect(SHA256Digest(bytes: [1, 2, 3]) == nil)
    }
}
