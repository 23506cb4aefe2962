internal import Glibc
import System

/// The header fields of a reply, kept as the bytes that came and looked up on demand.
///
/// A lookup scans the block (typically 300 bytes); nothing is parsed or allocated for the fields that nobody
/// asks for. Names compare without case (RFC 9110, 5.1).
package struct HTTPHeaders: Sendable {
    /// The most bytes that one reply's header fields may have, trailers and interim replies included.
    static let maximumBytes = 256 * 1024

    /// The most lines that one reply's header fields may have, trailers and interim replies included.
    static let maximumLines = 1_000

    /// The final header block with its status line, each line ended by LF.
    private let bytes: [UInt8]
    /// A bit for each name that is there, see ``mark(first:length:)``: most of what is asked for is not.
    private let marks: UInt64

    /// No fields.
    package init() {
        bytes = []
        marks = 0
    }

    /// These fields, in order.
    package init(_ fields: [HTTPHeader]) {
        self.init(block: Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8))
    }

    /// Copies the block to its own size; the buffer it is collected in is larger and is used again.
    init(copying block: UnsafeRawBufferPointer) {
        bytes = Array(block)
        marks = Self.marks(of: block)
    }

    /// Takes a block.
    init(block: [UInt8]) {
        bytes = block
        marks = block.withUnsafeBytes { Self.marks(of: $0) }
    }

    package var isEmpty: Bool { bytes.isEmpty }

    /// The first field of that name, without the white space around it; nil when there is none.
    ///
    /// Text that is not UTF-8 is read as ISO 8859-1, what old servers mean.
    package subscript(name: String) -> String? {
        var found: String?
        forEachValue(of: name) { value in
            found = text(of: value)
            return false
        }
        return found
    }

    /// Every field, in order, its name as it was sent.
    package var fields: [HTTPHeader] {
        bytes.split(separator: 0x0A).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !line.starts(with: Array("HTTP/".utf8)) else {
                return nil
            }
            let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            let value = line[(colon + 1)...].drop(while: blank)
            let end = value.lastIndex { !blank($0) }.map { $0 + 1 } ?? value.startIndex
            return HTTPHeader(
                String(decoding: line[..<colon], as: UTF8.self), String(decoding: value[..<end], as: UTF8.self))
        }
    }

    /// All fields of that name, in order.
    package func all(_ name: String) -> [String] {
        var found: [String] = []
        forEachValue(of: name) { value in
            found.append(text(of: value))
            return true
        }
        return found
    }

    /// The length that Content-Length tells, nil where there is none.
    ///
    /// Several fields, or one with a list, are good where all are the same number (RFC 9112, 6.3). At most
    /// ``largestWholeNumber``.
    /// - Throws: `MalformedLength` for anything else.
    var contentLength: Int64? {
        get throws(MalformedLength) {
            var length: Int64?
            var isGood = true
            forEachValue(of: "content-length") { value in
                if let number = decimal(value), length == nil {
                    length = number
                    return true
                }
                for number in bytes[value].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                    guard let number = decimal(trimmed(number.indices)), length == nil || length == number else {
                        isGood = false
                        return false
                    }
                    length = number
                }
                return true
            }
            if !isGood { throw MalformedLength() }
            return length
        }
    }

    /// A Content-Length that is not one number.
    struct MalformedLength: Error {}

    /// Whether there is a field of that name.
    package func has(_ name: String) -> Bool {
        var isFound = false
        forEachValue(of: name) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// A number that none of 64 bits holds is no length.
    private func decimal(_ range: Range<Int>) -> Int64? {
        bytes[range].drop { $0 == UInt8(ascii: "0") }.count > 19 ? nil : wholeNumber(bytes: bytes[range])
    }

    /// Whether a header line may be a Repr-Digest or Content-Digest, judged by a few bytes, because every line is checked.
    @inline(__always)
    static func mayBeDigest(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > 14 else { return false }
        return switch line[0] | 0x20 {
        case UInt8(ascii: "r"): line[4] == UInt8(ascii: "-") && line[5] | 0x20 == UInt8(ascii: "d")
        case UInt8(ascii: "c"): line[7] == UInt8(ascii: "-") && line[10] | 0x20 == UInt8(ascii: "g")
        default: false
        }
    }

    /// Whether a header line is a Vary.
    @inline(__always)
    static func isVary(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > 4 && line[0] | 0x20 == UInt8(ascii: "v") && line[3] | 0x20 == UInt8(ascii: "y")
            && line[4] == UInt8(ascii: ":")
    }

    private static func marks(of block: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = block.baseAddress else { return 0 }
        var marks: UInt64 = 0
        var start = 0
        while start < block.count {
            let lineEnd = memchr(base + start, Int32(UInt8(ascii: "\n")), block.count - start)
            let end = lineEnd.map { base.distance(to: $0) } ?? block.count
            if let colon = memchr(base + start, Int32(UInt8(ascii: ":")), end - start) {
                marks |= mark(first: block[start], length: base.distance(to: colon) - start)
            }
            start = end + 1
        }
        return marks
    }

    /// The bit of a name, which few others share.
    private static func mark(first: UInt8, length: Int) -> UInt64 {
        1 << UInt64((Int(first | 0x20) + 7 * length) & 63)
    }

    /// Calls `body` with the range of each value of that name until it returns false.
    private func forEachValue(of name: String, _ body: (Range<Int>) -> Bool) {
        var name = name
        name.withUTF8 { name in
            guard let first = name.first, marks & Self.mark(first: first, length: name.count) != 0 else { return }
            bytes.withUnsafeBytes { block in
                guard let base = block.baseAddress else { return }
                var start = 0
                while start < block.count {
                    let lineEnd = memchr(base + start, Int32(UInt8(ascii: "\n")), block.count - start)
                    let end = lineEnd.map { base.distance(to: $0) } ?? block.count
                    defer { start = end + 1 }
                    let nameEnd = start + name.count
                    guard nameEnd < end, block[nameEnd] == UInt8(ascii: ":"), isName(name, base + start) else {
                        continue
                    }
                    if !body(trimmed(nameEnd + 1..<end)) { return }
                }
            }
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        while lower < upper, isBlank(bytes[lower]) { lower += 1 }
        while lower < upper, isBlank(bytes[upper - 1]) { upper -= 1 }
        return lower..<upper
    }

    private func text(of range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            let value = UnsafeBufferPointer(rebasing: bytes[range])
            if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
            return String(validating: value, as: UTF8.self)
                ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        }
    }
}

/// Whether there is a name, in any case.
private func isName(_ name: UnsafeBufferPointer<UInt8>, _ place: UnsafeRawPointer) -> Bool {
    for (offset, byte) in name.enumerated() {
        let found = place.load(fromByteOffset: offset, as: UInt8.self)
        if byte != found, asciiLowercase(byte) != asciiLowercase(found) { return false }
    }
    return true
}

/// The byte with an ASCII capital made small.
@inline(__always)
func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
