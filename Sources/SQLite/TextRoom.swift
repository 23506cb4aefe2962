/// Room for the texts of one run of a statement. SQLite would copy each into memory of its own, which costs more than to
/// write a short one into a row.
struct TextRoom: ~Copyable {
    private static let size = 2_048

    /// Nil until the first text.
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0

    deinit {
        storage.deallocate()
    }

    /// Copies a text to where it stays until ``empty()``; nil where there is no room for it.
    mutating func keep(_ text: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
        guard text.count <= Self.size - used else { return nil }
        if storage.baseAddress == nil { storage = .allocate(byteCount: Self.size, alignment: 1) }
        // It was allocated just now, if it was not before.
        let place = storage.baseAddress! + used
        place.copyMemory(from: text.baseAddress ?? UnsafeRawPointer(place), byteCount: text.count)
        used += text.count
        return UnsafePointer(place.assumingMemoryBound(to: CChar.self))
    }

    mutating func empty() {
        used = 0
    }
}
