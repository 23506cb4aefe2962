/// Finds the elements of a JSON array, whatever is in them, without holding more than one.
///
/// It knows only strings and depth, so that a broken element ends at its comma and the rest goes on. What an element
/// means is for a real parser.
struct JSONScanner {
    private enum Place { case beforeList, inList, afterList, atEnd }

    private var bytes: ByteStream
    private var place = Place.beforeList

    init(_ bytes: ByteStream) {
        self.bytes = bytes
    }

    /// The text of the next element, without white space around it; nil after the list.
    ///
    /// - Throws: ``ElementFault`` for one that can't be an element, after which the next may be asked for; what the
    ///   stream throws.
    mutating func next() throws -> [UInt8]? {
        try bytes.skipWhiteSpace()
        if place == .beforeList {
            // The caller has seen the bracket.
            _ = try bytes.next()
            place = .inList
            try bytes.skipWhiteSpace()
        }
        if place == .inList { return try element() }
        guard place == .afterList, try bytes.peek() != nil else { return nil }
        place = .atEnd
        throw ElementFault("something follows the end of the list", losesOthers: true)
    }

    private mutating func element() throws -> [UInt8]? {
        guard let first = try bytes.peek() else {
            place = .atEnd
            throw ElementFault("the list ends without its ]", losesOthers: true)
        }
        if first == UInt8(ascii: "]") {
            // Also after a comma, which JSON forbids and people write; nothing is lost.
            _ = try bytes.next()
            place = .afterList
            return try next()
        }
        var text: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        var isCut = false
        var isEnded = false
        while !isEnded {
            // By chunks, since a list has many times as many bytes as elements.
            let run = try bytes.take { byte in
                if isInString {
                    switch byte {
                    case _ where isEscaped: isEscaped = false
                    case UInt8(ascii: "\\"): isEscaped = true
                    // A string has no line break: its closing quote is missing, and what follows may well be sound.
                    case UInt8(ascii: "\""), 0x0A: isInString = false
                    default: break
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isInString = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0: isEnded = true
                    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
                    default: break
                    }
                }
                return !isEnded
            }
            guard let run else { break }
            let room = ListElements.longest - text.count
            isCut = isCut || run.count > room
            text += run.prefix(room)
        }
        if try bytes.peek() == UInt8(ascii: ",") { _ = try bytes.next() }
        if isCut { throw ElementFault("it is over \(ListElements.longest) bytes", losesOthers: true) }
        let element = trimmed(text[...])
        if element.isEmpty { throw ElementFault("nothing between two commas") }
        return Array(element)
    }
}

/// What is wrong with one element of a list.
struct ElementFault: Error, CustomStringConvertible {
    /// In words that follow the element's name and a colon.
    let description: String
    /// Whether it is nothing like an element: no JSON, or an object of something else.
    let isForeign: Bool
    /// Whether other elements may be lost with it, as behind a quote that is not closed.
    let losesOthers: Bool
    /// The URL of an element whose other members are at fault, as it is written.
    var url: String?

    /// What is wrong with a size that no file can have, or that JSON's readers do not agree on.
    static let size = "its size is not a whole number from 0 to 2^53"

    init(_ description: String, url: String? = nil, isForeign: Bool = false, losesOthers: Bool = false) {
        self.description = description
        self.url = url
        self.isForeign = isForeign
        self.losesOthers = losesOthers
    }
}
