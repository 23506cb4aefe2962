/// Writes JSON (RFC 8259) piece by piece into bytes, in the order of the calls.
///
/// The caller balances `begin` and `end` and puts a key before each value of an object. What would control a terminal
/// or reorder its line is escaped, so that output may be looked at.
package struct JSONWriter {
    /// What was written since the last `removeBytes`.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Whether there are no spaces between values.
    private let isCompact: Bool

    package init(isCompact: Bool = false) {
        self.isCompact = isCompact
    }

    /// Forgets the bytes, not the position in the document; the memory stays for what follows.
    package mutating func removeBytes() {
        bytes.removeAll(keepingCapacity: true)
    }

    package mutating func beginObject() { begin("{") }
    package mutating func endObject() { end("}") }
    package mutating func beginArray() { begin("[") }
    package mutating func endArray() { end("]") }

    /// Puts the next element of an array on a line of its own.
    package mutating func nextLine() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Ends the line after a document, or after the last element of an array: no comma follows.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// The name of the member whose value comes next.
    package mutating func key(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        if !isCompact { bytes.append(UInt8(ascii: " ")) }
        needsComma = false
    }

    package mutating func null() { literal("null") }
    package mutating func value(_ value: Bool) { literal(value ? "true" : "false") }
    package mutating func value(_ value: some FixedWidthInteger) { literal(String(value)) }

    /// JSON has no number for infinity and NaN: they are `null`.
    package mutating func value(_ value: Double) { literal(value.isFinite ? "\(value)" : "null") }

    package mutating func value(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = value
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A value that is JSON already.
    package mutating func value(encoded bytes: [UInt8]) {
        separate()
        self.bytes += bytes
        needsComma = true
    }

    /// A member of an object; `nil` is `null`.
    package mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    /// A member of an object; `nil` is `null`.
    package mutating func member(_ name: String, _ value: Int64?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }
}

extension JSONWriter {
    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        guard needsComma else { return }
        bytes.append(UInt8(ascii: ","))
        if !isCompact { bytes.append(UInt8(ascii: " ")) }
        needsComma = false
    }

    /// Copies runs of harmless bytes whole; most strings are one run.
    private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var index = 0
        while index < utf8.count {
            guard let scalar = escapedScalar(utf8, at: index) else {
                index += 1
                continue
            }
            bytes.append(contentsOf: utf8[start..<index])
            appendEscape(of: scalar)
            index += UTF8.width(scalar)
            start = index
        }
        bytes.append(contentsOf: utf8[start...])
    }

    /// The scalar that begins at `index`, if it must not appear as it is.
    private func escapedScalar(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> Unicode.Scalar? {
        let first = utf8[index]
        if first < 0x80 {
            let isEscaped = first < 0x20 || first == UInt8(ascii: "\"") || first == UInt8(ascii: "\\") || first == 0x7f
            return isEscaped ? Unicode.Scalar(first) : nil
        }
        // The first bytes of all other scalars that are unsafe to display; a String is well-formed UTF-8.
        let value: UInt32
        switch first {
        case 0xc2, 0xd8: value = UInt32(first & 0x1f) << 6 | UInt32(utf8[index + 1] & 0x3f)
        case 0xe2: value = 0x2000 | UInt32(utf8[index + 1] & 0x3f) << 6 | UInt32(utf8[index + 2] & 0x3f)
        default: return nil
        }
        guard let scalar = Unicode.Scalar(value), isUnsafeToDisplay(scalar) else { return nil }
        return scalar
    }

    private mutating func appendEscape(of scalar: Unicode.Scalar) {
        bytes.append(UInt8(ascii: "\\"))
        switch scalar {
        case "\"", "\\": bytes.append(UInt8(scalar.value))
        case "\n": bytes.append(UInt8(ascii: "n"))
        case "\r": bytes.append(UInt8(ascii: "r"))
        case "\t": bytes.append(UInt8(ascii: "t"))
        default:
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: "u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
    }
}

/// Whether a scalar would control a terminal or reorder its line: the control characters (C0, C1, DEL), line and paragraph
/// separators, and the directional formatting characters (UAX #9).
package func isUnsafeToDisplay(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f: true
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    case 0x2028, 0x2029: true
    default: false
    }
}

extension JSONWriter {
    /// Any value, the members of objects in the order of their names.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .flag(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .number(let number): self.value(number)
        case .text(let text): self.value(text)
        case .list(let values):
            beginArray()
            for value in values { self.value(value) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                key(name)
                self.value(value)
            }
            endObject()
        }
    }
}
