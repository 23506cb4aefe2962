import TestSupport
import Testing
import YAML

@Suite("Damaged files", .timeLimit(.minutes(1)))
struct MutationTests {
    private static let seed = Array(
        """
        name: &n flags # comment
        path: "{title}\\t${A}.{extension}"
        exclude: [aq, 'b''l', "${B}"]
        expect: [a]
        refresh: !!str changed
        durable: true
        transfer:
          concurrency: 16
          headers: {X-A: *n, ? b : c}
        pins:
        - {name: é, latitude: 1.5e3}
        - name: |
            two
            lines
        ---
        name: >-
          folded
          ${A}
        ...
        """.utf8)

    private static let fragments: [[UInt8]] =
        [
            "{", "}", "[", "]", ": ", "- ", "\n", "\t", "'", "\"", "&a ", "*a", "!", "${", "}", "$${", "#", "|", ">",
            "?", "---\n", "\\",
            "\u{0}", "\u{FEFF}", "\u{2028}", "\r", "%", "@", ",", "<<: ", "  ", "é", "😀",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0]]

    @Test("two thousand damaged files are read or refused, and each fault can be printed")
    func mutations() {
        var accepted = 0
        for number in 0..<2_000 {
            var generator = SplitMix(UInt64(number))
            var bytes = Self.seed
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.removeSubrange(place..<end)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 2:
                    bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
                default:
                    let fragment = Self.fragments[Int.random(in: 0..<Self.fragments.count, using: &generator)]
                    bytes.insert(contentsOf: fragment, at: place)
                }
                if bytes.isEmpty { bytes = [0x61] }
            }
            let told = faults(in: bytes, set: ["transfer.ratio=${A}"], environment: ["A": "1", "B": "2"])
            let isSound = told.allSatisfy { $0.utf8.count < 3_000 && !$0.unicodeScalars.contains { $0.value < 10 } }
            #expect(isSound, "file \(number)")
            if told.isEmpty { accepted += 1 }
        }
        // The damage is small enough for some to survive, else this tests the first check alone.
        #expect((1..<2_000).contains(accepted))
    }
}
