package import Media

/// The extension of a body's file and its media type.
package struct BodyType: Sendable, Hashable {
    /// Without the dot; ASCII letters and digits.
    package var `extension`: String
    package var mediaType: String?

    package init(extension: String, mediaType: String?) {
        self.extension = `extension`
        self.mediaType = mediaType
    }

    /// By the bytes; where they leave it open, by the URL's name, else by the Content-Type, else `bin`.
    ///
    /// - Parameters:
    ///   - type: what the first bytes show; nil where they show nothing.
    ///   - name: the last segment of the URL's path. Its extension is kept where the bytes don't contradict it: where they
    ///     show nothing, or only a form that files of many kinds have.
    ///   - contentType: without parameters, as in ``MediaType/essence(of:)``.
    package init(bytes type: MediaType?, name: String, contentType: String?) {
        let named = MediaType(name: name)
        // An extension that is no known type's may be anything.
        let written = named == nil ? writtenExtension(of: name).map(String.init) : nil
        if let type {
            let isKept = named.map { $0.isText && type.isForm } ?? type.isForm
            self.init(extension: (isKept ? named?.extension ?? written : nil) ?? type.extension, mediaType: type.name)
        } else {
            let declared = contentType.flatMap(MediaType.init(essence:))
            self.init(
                extension: named?.extension ?? written ?? declared?.extension ?? "bin",
                mediaType: contentType ?? named?.name)
        }
    }
}

/// The extension that a name is written with: up to ten ASCII letters and digits behind its last dot, a letter among them;
/// nil where there is none, or where it is a program's that made the reply.
func writtenExtension(of name: String) -> Substring? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
    let text = Substring(name.utf8[name.utf8.index(after: dot)...])
    guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy(isLetterOrDigit),
        text.utf8.contains(where: { $0 > UInt8(ascii: "9") })
    else { return nil }
    let lowercased = text.utf8.lazy.map { $0 | 0x20 }
    if programs.contains(where: { $0.utf8.elementsEqual(lowercased) }) { return nil }
    return text
}

/// Extensions of programs on servers, which say nothing of what they send.
private let programs = [
    "action", "ashx", "asp", "aspx", "cfm", "cgi", "do", "fcgi", "jsp", "jspx", "php", "phtml",
]

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: false
    }
}
