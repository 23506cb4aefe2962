/// Finds items by the hash of what they have, a URL or a digest: some nine bytes an entry, for lists of a million.
///
/// An entry holds 32 bits of the hash beside 32 bits of the id, so that a hit is a candidate only; the caller compares
/// what was hashed.
package struct HashIndex {
    private var table = HashTable()

    package init() {}

    /// Ids that may have been inserted with this hash.
    package func candidates(_ hash: Int) -> [Int64] {
        var result: [Int64] = []
        _ = table.contains(UInt32(truncatingIfNeeded: hash)) { entry in
            result.append(Int64(entry & 0xFFFF_FFFF))
            return false
        }
        return result
    }

    /// Whether some id may have been inserted with this hash.
    package func contains(_ hash: Int) -> Bool {
        table.contains(UInt32(truncatingIfNeeded: hash)) { _ in true }
    }

    /// Ids over 32 bits are not kept, nor is 0: such an item is only never found.
    package mutating func insert(_ id: Int64, hash: Int) {
        guard let number = UInt32(exactly: id), number > 0 else { return }
        table.insert(UInt64(UInt32(truncatingIfNeeded: hash)) << 32 | UInt64(number))
    }
}
