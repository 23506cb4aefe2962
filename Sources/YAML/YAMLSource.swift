/// The text that marks point into: a job file, or one flag such as `--set transfer.rate=5/s`.
package final class YAMLSource: Sendable {
    /// What kind of text it is; this decides how a fault names its place.
    enum Kind: Sendable {
        /// A file: `name:line:column`.
        case file
        /// A flag of the command line: its name alone, since the reader sees the whole of it.
        case flag
    }

    /// The file as the user wrote it on the command line, or the flag with its argument.
    package let name: String
    let kind: Kind

    /// The whole text, without a byte order mark.
    let bytes: [UInt8]

    /// The offset in `bytes` of the first byte of YAML: behind `KEY=` in a flag, else 0.
    let contentStart: Int

    /// The scalars before `contentStart`; columns of line 1 count from the start of the text.
    let contentColumn: Int

    /// The offset of the first byte of each line. Lines end where libyaml ends them.
    private let lineStarts: [Int]

    /// A file of that name. A UTF-8 byte order mark is passed over.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        kind = .file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        contentStart = 0
        contentColumn = 0
        lineStarts = Self.lineStarts(of: self.bytes)
    }

    /// A flag and its argument, in which YAML begins behind `prefix`.
    init(flag: String, argument: String, prefix: Substring) {
        name = "\(flag) \(argument)"
        kind = .flag
        bytes = Array(argument.utf8)
        contentStart = prefix.utf8.count
        contentColumn = prefix.unicodeScalars.count
        lineStarts = Self.lineStarts(of: bytes)
    }

    /// The name, of a flag without the value that it gives: `--set transfer.headers`.
    var nameWithoutValue: String {
        guard kind == .flag else { return name }
        let value = bytes.count - max(0, contentStart - 1)
        return String(decoding: name.utf8.dropLast(value), as: UTF8.self)
    }

    /// The text of line `number` (1-based) without its end, made harmless for a terminal: one space for a tab, U+FFFD
    /// for a control, format or undecodable character, so that columns stay what they are. Empty beyond the text.
    package func line(_ number: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars(ofLine: number).map(\.harmless))
        return String(text)
    }

    /// The text as written under `mark`, up to the end of its line.
    func text(at mark: Mark) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars(ofLine: mark.line).dropFirst(mark.column - 1).prefix(mark.length))
        return String(text)
    }

    /// The scalars of line `number`, lazily decoded.
    func scalars(ofLine number: Int) -> String.UnicodeScalarView {
        guard lineStarts.indices.contains(number - 1) else { return .init() }
        let start = lineStarts[number - 1]
        let end = number < lineStarts.count ? lineStarts[number] : bytes.count
        var scalars = String(decoding: bytes[start..<end], as: UTF8.self).unicodeScalars
        while let last = scalars.last, last.endsLine { scalars.removeLast() }
        return scalars
    }

    /// The place of the character that begins at byte `offset`; what is before it on its line must be UTF-8.
    func mark(atByte offset: Int) -> Mark {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let before = String(decoding: bytes[lineStarts[low]..<offset], as: UTF8.self)
        return Mark(line: low + 1, column: before.unicodeScalars.count + 1)
    }

    private static func lineStarts(of bytes: [UInt8]) -> [Int] {
        var starts = [0]
        var index = 0
        while index < bytes.count {
            let length = lineEndLength(in: bytes, at: index)
            index += max(length, 1)
            if length > 0 { starts.append(index) }
        }
        return starts
    }

    /// The bytes of the line end at `index`, 0 if there is none. YAML 1.1, which libyaml reads, has three more than
    /// YAML 1.2: U+0085, U+2028 and U+2029.
    private static func lineEndLength(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case 0x0A: 1
        case 0x0D: index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
        case 0xC2 where bytes[index...].starts(with: [0xC2, 0x85]): 2
        case 0xE2 where bytes[index...].starts(with: [0xE2, 0x80, 0xA8]): 3
        case 0xE2 where bytes[index...].starts(with: [0xE2, 0x80, 0xA9]): 3
        default: 0
        }
    }
}

extension Unicode.Scalar {
    /// Whether libyaml ends a line at it.
    fileprivate var endsLine: Bool {
        switch value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
