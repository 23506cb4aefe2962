/// Room for the texts of one run of a statement. SQLite would copy each into memory of its own, which costs more than to
/// write a short one into a row. A class: each change of a struct within one is checked for others when it runs.
final class TextRoom {
    private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 1)
    private var used = 0

    deinit {
        storage.deallocate()
    }

    /// Copies a text to where it stays until ``empty()``; nil where there is no room for it.
    func keep(_ text: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
        guard text.count <= storage.count - used, let start = storage.baseAddress else { return nil }
        let place = start + used
        place.copyMemory(from: text.baseAddress ?? UnsafeRawPointer(place), byteCount: text.count)
        used += text.count
        return UnsafePointer(place.assumingMemoryBound(to: CChar.self))
    }

    func empty() {
        used = 0
    }
}
