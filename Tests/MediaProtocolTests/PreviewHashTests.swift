import MediaProtocol
import Testing

/// The hashes that the reference implementation of ThumbHash gives for the same pixels.
@Suite("Blurred previews", .timeLimit(.minutes(1)))
struct PreviewHashTests {
    private func pixels(_ width: Int, _ height: Int, isOpaque: Bool) -> [UInt8] {
        (0..<width * height).flatMap { index -> [UInt8] in
            let (x, y) = (index % width, index / width)
            let opacity = isOpaque ? 255 : x * 3 + y * 7
            return [x * 2 + y, x * x / 16 + 3 * y, x * y / 8 + 40, opacity].map { UInt8($0 % 256) }
        }
    }

    private func hex(_ hash: PreviewHash) -> String {
        hash.bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    @Test(
        "a picture of any shape, with and without transparency, has the hash of the reference",
        arguments: [
            (100, 75, true, "5f080a1d9260667752669975a8789786b0750a7789"),
            (75, 100, true, "1e080a150e6066627639757ba8766778c0a40738c9"),
            (64, 64, true, "dbc709170a40867841a986855a6869788777577bf3c0e808"),
            (100, 10, true, "16090e298a50876886877887405b278f88"),
            (1, 100, true, "5189215120088669988887780883758fb8"),
            (60, 40, false, "18b8850b84177078757a98d11f9e688f86873b74024b6c"),
            (33, 64, false, "9887890b06288390a88888bf2779f75776787578590766"),
        ])
    func reference(_ width: Int, _ height: Int, _ isOpaque: Bool, _ expected: String) {
        let hash = PreviewHash(width: width, height: height, pixels: pixels(width, height, isOpaque: isOpaque))
        #expect(hex(hash) == expected)
    }

    @Test("a picture of one colour, or of none, has a hash too")
    func plain() {
        let clear = PreviewHash(width: 16, height: 16, pixels: [UInt8](repeating: 0, count: 1_024))
        #expect(hex(clear) == "00088205000000000000000000000000000000000000000000")
        let white = PreviewHash(width: 16, height: 16, pixels: [UInt8](repeating: 255, count: 1_024))
        #expect(hex(white).hasPrefix("3f08020700") && white.bytes.count <= PreviewHash.longest)
        #expect(PreviewHash(width: 1, height: 1, pixels: [1, 2, 3, 255]).bytes.count <= PreviewHash.longest)
    }
}
