/// Row ids, a bit each: ids of one job's items lie close together.
package struct IDSet {
    private var words: [UInt64] = []
    private var base: Int64 = 0
    package private(set) var count = 0
    /// The highest id that was ever in it; 0 for none.
    package private(set) var highest: Int64 = 0

    package init() {}

    /// Adds an id; false when it was there.
    package mutating func insert(_ id: Int64) -> Bool {
        let block = id >> 6
        if words.isEmpty { base = block }
        if block < base {
            words.insert(contentsOf: repeatElement(0, count: Int(base - block)), at: 0)
            base = block
        }
        let index = Int(block - base)
        while index >= words.count { words.append(0) }
        let bit = UInt64(1) << UInt64(id & 63)
        guard words[index] & bit == 0 else { return false }
        words[index] |= bit
        count += 1
        highest = max(highest, id)
        return true
    }

    /// Takes an id out; false when it was not there.
    package mutating func remove(_ id: Int64) -> Bool {
        guard contains(id) else { return false }
        words[Int(id >> 6 - base)] &= ~(UInt64(1) << UInt64(id & 63))
        count -= 1
        return true
    }

    /// In the order of the ids.
    package func forEach(_ body: (Int64) throws -> Void) rethrows {
        for (index, word) in words.enumerated() where word != 0 {
            for bit in 0..<64 where word & UInt64(1) << UInt64(bit) != 0 {
                try body((base + Int64(index)) << 6 + Int64(bit))
            }
        }
    }

    package func contains(_ id: Int64) -> Bool {
        let index = id >> 6 - base
        guard index >= 0, index < Int64(words.count) else { return false }
        return words[Int(index)] & UInt64(1) << UInt64(id & 63) != 0
    }
}
