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
        if let fault = Self.fault(in: text) { throw InvalidPath(text: text, fault: fault) }
        self.text = text
    }

    private init(trusted text: Substring) {
        self.text = String(text)
    }

    /// At least one. O(length).
    package var components: [Substring] { text.split(separator: "/") }

    /// The folder that the path is in; nil for a path of one component.
    package var parent: RelativePath? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return RelativePath(trusted: text[..<slash])
    }

    /// The last component.
    package var last: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    package var description: String { text }

    package static func == (left: RelativePath, right: RelativePath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private static func fault(in text: String) -> InvalidPath.Fault? {
        if text.utf8.count > 4_000 { return .tooLong }
        if text.utf8.first == UInt8(ascii: "/") { return .absolute }
        var length = 0
        var dots = 0
        for byte in text.utf8 {
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
