/// Words of 64 bits, found by their upper halves: eight bytes and a little an entry, for a million of them.
///
/// What the halves mean is the caller's; several entries may have one upper half. Open addressing in 64 segments that
/// grow by a quarter, each on its own: one large array would double, and be there twice while it does.
package struct HashTable: Sendable {
    /// 0 is a free place.
    private var segments: [[UInt64]] = Array(repeating: [], count: 64)
    private var counts: [Int] = Array(repeating: 0, count: 64)

    package init() {}

    /// Whether some entry with this upper half satisfies the condition.
    package func contains(_ upper: UInt32, where matches: (UInt64) -> Bool) -> Bool {
        let segment = segments[Self.segment(upper)]
        guard !segment.isEmpty else { return false }
        var place = Self.place(upper, in: segment)
        while segment[place] != 0 {
            if UInt32(truncatingIfNeeded: segment[place] >> 32) == upper, matches(segment[place]) { return true }
            place = place + 1 == segment.count ? 0 : place + 1
        }
        return false
    }

    /// Adds an entry other than 0.
    package mutating func insert(_ entry: UInt64) {
        let number = Self.segment(UInt32(truncatingIfNeeded: entry >> 32))
        // From 7/8 on probing would take long.
        if counts[number] * 8 >= segments[number].count * 7 { grow(number) }
        Self.put(entry, in: &segments[number])
        counts[number] += 1
    }

    private mutating func grow(_ number: Int) {
        let old = segments[number]
        var new = [UInt64](repeating: 0, count: old.count + max(16, old.count / 4))
        for entry in old where entry != 0 { Self.put(entry, in: &new) }
        segments[number] = new
    }

    private static func put(_ entry: UInt64, in segment: inout [UInt64]) {
        var place = place(UInt32(truncatingIfNeeded: entry >> 32), in: segment)
        while segment[place] != 0 { place = place + 1 == segment.count ? 0 : place + 1 }
        segment[place] = entry
    }

    private static func segment(_ upper: UInt32) -> Int { Int(upper & 63) }

    /// The upper half as a fraction of the segment's length.
    private static func place(_ upper: UInt32, in segment: [UInt64]) -> Int {
        // The parentheses matter: in Swift a shift binds closer than a product.
        Int((UInt64(upper) * UInt64(segment.count)) >> 32)
    }
}
