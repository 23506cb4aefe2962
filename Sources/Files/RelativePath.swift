import System

/// A path below an output directory: `Africa/Niger.png`. It cannot name anything outside, whatever it was made from.
///
/// Two paths are equal when their bytes are: to the file system two spellings of one letter are two names, though a
/// `String` compares them as equal.
package struct RelativePath: Hashable, Sendable, CustomStringConvertible {
    /// The components, joined by `/`.
    package let text: String

    /// Takes a path that follows the rules: one or more components of at most 255 bytes, joined by `/`, at most 4,000
    /// bytes together; none empty, `.` or `..`; no control characters.
    /// - Throws: `InvalidPath`.
    package init(validating text: String) throws(InvalidPath) {
        if let fault = text.withBytes(Self.fault) { throw InvalidPath(text: text, fault: fault) }
        self.text = text
    }

    private init(trusted text: Substring) {
        self.text = String(text)
    }

    /// At least one. O(length).
    package var components: [Substring] { text.split(separator: "/") }

    /// The folder that the path is in; nil for a path of one component.
    package var parent: RelativePath? {
        lastSlash.map { RelativePath(trusted: text[..<$0]) }
    }

    /// The last component.
    package var last: String {
        lastSlash.map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }

    private var lastSlash: String.Index? {
        text.withBytes { $0.lastIndex(of: UInt8(ascii: "/")) }.map { text.utf8.index(text.startIndex, offsetBy: $0) }
    }

    package var description: String { text }

    package static func == (left: RelativePath, right: RelativePath) -> Bool {
        left.text.withBytes { left in right.text.withBytes { left.elementsEqual($0) } }
    }

    package func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private static func fault(in text: UnsafeBufferPointer<UInt8>) -> InvalidPath.Fault? {
        if text.count > 4_000 { return .tooLong }
        if text.first == UInt8(ascii: "/") { return .absolute }
        var length = 0
        var dots = 0
        for byte in text {
            if byte == UInt8(ascii: "/") {
                if let fault = componentFault(length: length, dots: dots) { return fault }
                (length, dots) = (0, 0)
                continue
            }
            if byte < 0x20 || byte == 0x7F { return .controlCharacter }
            length += 1
            if byte == UInt8(ascii: ".") { dots += 1 }
        }
        return componentFault(length: length, dots: dots)
    }

    private static func componentFault(length: Int, dots: Int) -> InvalidPath.Fault? {
        if length == 0 { return .emptyComponent }
        if length > 255 { return .componentTooLong }
        return length <= 2 && dots == length ? .dotComponent : nil
    }
}

/// A text that is no path below an output directory.
package struct InvalidPath: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken, in words that follow "the path".
    package enum Fault: String, Sendable {
        case absolute = "starts with '/'"
        case emptyComponent = "has an empty component"
        case dotComponent = "has a component '.' or '..'"
        case controlCharacter = "has a control character"
        case componentTooLong = "has a component of more than 255 bytes"
        case tooLong = "has more than 4000 bytes"
    }

    /// What was given.
    package let text: String
    /// The first rule that it breaks.
    package let fault: Fault

    package var description: String { "the path '\(text)' \(fault.rawValue)" }
}
