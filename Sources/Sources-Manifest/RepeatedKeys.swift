import System

/// Tells repeats within a list of any length apart: `a`, then `a#2`, `a#3`.
///
/// It keeps some nine bytes a key, a hash that is the same in every run. Two texts with one hash, which a million keys have
/// with a chance of 1 in 30 million, cost nothing but a number where none were needed.
struct RepeatedKeys {
    private var known = HashTable()
    /// The last number of each text that came twice.
    private var repeats: [UInt64: Int] = [:]

    /// The text, or the text with the first number that makes it another one than all before.
    mutating func unique(_ text: String) -> String {
        let hash = Self.hash(text)
        if insert(hash) { return text }
        var number = repeats[hash] ?? 1
        while true {
            number += 1
            let candidate = "\(text)#\(number)"
            // A list may have that very text as well.
            if insert(Self.hash(candidate)) {
                repeats[hash] = number
                return candidate
            }
        }
    }

    /// Whether the hash is new.
    private mutating func insert(_ hash: UInt64) -> Bool {
        if known.contains(UInt32(hash >> 32), where: { $0 == hash }) { return false }
        known.insert(hash)
        return true
    }

    /// FNV-1a of 64 bits, mixed once more so that its upper bits are good; never 0.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var text = text
        text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        hash ^= hash >> 32
        hash = hash &* 0xD6E8_FEB8_6659_FD93
        return max(1, hash ^ hash >> 32)
    }
}
