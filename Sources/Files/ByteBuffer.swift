/// Bytes in memory of the C heap, growing by doubling.
struct ByteBuffer: ~Copyable {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0

    deinit {
        storage.deallocate()
    }

    /// Valid until the next change, and no longer than the buffer: for one that is not a stored property, `withBytes`.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// The bytes for the time of a call, over which the buffer lives.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(bytes) }

    /// Makes room for so many bytes in all.
    mutating func reserve(_ capacity: Int) {
        if capacity > storage.count { move(to: capacity) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if count + bytes.count > storage.count { grow(toHold: count + bytes.count) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Empties the buffer and keeps its memory.
    mutating func removeAll() {
        count = 0
    }

    private mutating func grow(toHold wanted: Int) {
        var capacity = max(storage.count, 4 * 1024)
        while capacity < wanted { capacity *= 2 }
        move(to: capacity)
    }

    private mutating func move(to capacity: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: bytes)
        storage.deallocate()
        storage = larger
    }
}
