/// The lines of a reply's header as they come, in memory that is used again.
///
/// Raw memory, since an array's growth would be guarded by a check of exclusive access for each line.
final class HeaderBlock {
    /// Memory that a reply with an uncommonly long header took is given back.
    private static let keptCapacity = 4_096

    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: keptCapacity, alignment: 1)
    private var count = 0

    deinit {
        storage.deallocate()
    }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    func append(_ line: UnsafeRawBufferPointer) {
        if count + line.count > storage.count { move(to: max(2 * storage.count, count + line.count)) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: line)
        count += line.count
    }

    func removeAll() {
        count = 0
        if storage.count > Self.keptCapacity { move(to: Self.keptCapacity) }
    }

    private func move(to capacity: Int) {
        let other = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        other.copyMemory(from: bytes)
        storage.deallocate()
        storage = other
    }
}
