/// A body that is read where it is looked at, through a buffer.
///
/// Whoever goes forward reads each byte once, in steps of ``ByteSource/longestRead``, or of little where he passes over more;
/// a look back reads what is looked at.
package final class ByteWindow: ByteSource {
    /// Bytes that are read at a place beyond those read before.
    private static let shortRead = 4_096

    package let size: Int64
    private let read: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longestRead, alignment: 16)
    private var window: Range<Int64> = 0..<0

    /// - Parameters:
    ///   - size: of the body, in bytes.
    ///   - read: fills a buffer with the bytes from a place on, and tells how many there were: fewer only where they end.
    ///     What it throws ends the look.
    package init(size: Int64, read: @escaping (Int64, UnsafeMutableRawBufferPointer) throws -> Int) {
        self.size = size
        self.read = read
    }

    deinit {
        buffer.deallocate()
    }

    package func withBytes<Result>(
        at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset < size else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let end = min(offset + Int64(count), size)
        if offset < window.lowerBound || end > window.upperBound { try load(at: offset, count: count) }
        return try body(piece(from: offset, to: end))
    }

    package func withSomeBytes<Result>(
        at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset < size else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        if !window.contains(offset) { try load(at: offset, count: Self.shortRead) }
        return try body(piece(from: offset, to: window.upperBound))
    }

    private func load(at offset: Int64, count: Int) throws {
        let goesOn = window.contains(offset) || offset == window.upperBound
        let length = goesOn ? buffer.count : offset < window.lowerBound ? count : max(count, Self.shortRead)
        let start = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(length, buffer.count)])
        window = offset..<offset + Int64(try read(offset, start))
    }

    /// What the window has of a range.
    private func piece(from start: Int64, to end: Int64) -> UnsafeRawBufferPointer {
        let available = max(0, min(end, window.upperBound) - start)
        let first = Int(start - window.lowerBound)
        return UnsafeRawBufferPointer(rebasing: buffer[first..<first + Int(available)])
    }
}
