import YAML

/// What a page of Flickr is about, so that its address can be given instead.
protocol PageKind: Sendable {
    /// `user`, for messages.
    static var name: String { get }
    /// How one is written, for messages.
    static var examples: String { get }
    /// The number or name that the path of a page has, by its parts; nil for a page of something else.
    static func reference(inPath parts: [Substring]) -> Substring?
    /// Whether a text is a number or a name of one.
    static func accepts(_ text: Substring) -> Bool
}

/// A user, an album, a group or a photo: by number, by the name in addresses, or by the address of its page.
struct PageReference<Kind: PageKind>: Hashable, Sendable {
    /// The number or the name in addresses.
    let text: String

    /// nil for what is neither.
    init?(_ written: String) {
        let text = trimmed(written)
        guard let parts = Self.path(ofPage: text) else {
            guard Kind.accepts(text[...]) else { return nil }
            self.text = text
            return
        }
        guard let reference = Kind.reference(inPath: parts), Kind.accepts(reference) else { return nil }
        self.text = String(reference)
    }

    /// Whether it has digits alone, as the numbers of albums and photos.
    var isPlainNumber: Bool { isDigits(text[...]) }

    /// Whether it is one of Flickr's numbers of users and groups, such as `34427469121@N01`.
    var isNumber: Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && isDigits(parts[0]) && parts[1].first == "N" && isDigits(parts[1].dropFirst())
    }

    /// The parts of the path of an address of Flickr's; nil for what is no such address.
    private static func path(ofPage text: String) -> [Substring]? {
        for scheme in ["https://", "http://", ""] where text.hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.utf8.count)
            let host = rest.prefix { !"/?#".contains($0) }
            guard ["www.flickr.com", "flickr.com", "m.flickr.com", "flic.kr"].contains(host.lowercased()) else {
                continue
            }
            let path = rest.dropFirst(host.count).prefix { !"?#".contains($0) }
            return path.split(separator: "/")
        }
        return nil
    }
}

extension PageReference: YAMLDecodable {
    static var yamlType: String { "\(Kind.name)" }

    static func decode(_ node: Node, _ context: inout DecodingContext) -> PageReference? {
        guard let reference = node.scalar.flatMap({ PageReference($0.text) }) else {
            context.mismatch(node, wanted: "a \(Kind.name), such as \(Kind.examples)")
            return nil
        }
        return reference
    }
}

// MARK: - Kinds

enum UserPage: PageKind {
    static let name = "user"
    static let examples = "george, 34427469121@N01 or https://www.flickr.com/photos/george/"

    static func reference(inPath parts: [Substring]) -> Substring? {
        parts.count >= 2 && ["photos", "people"].contains(parts[0]) ? parts[1] : nil
    }

    static func accepts(_ text: Substring) -> Bool { isName(text) }
}

enum AlbumPage: PageKind {
    static let name = "album"
    static let examples =
        "72157629487842968, https://www.flickr.com/photos/george/albums/72157629487842968, or george for all of a user"

    static func reference(inPath parts: [Substring]) -> Substring? {
        guard parts.count >= 3, parts[0] == "photos", ["albums", "sets"].contains(parts[2]) else { return nil }
        return parts.count == 3 ? parts[1] : parts[3]
    }

    /// The name or number of a user stands for all albums of theirs.
    static func accepts(_ text: Substring) -> Bool { isDigits(text) || isName(text) }
}

enum GroupPage: PageKind {
    static let name = "group"
    static let examples = "lighthouses, 51035612836@N01 or https://www.flickr.com/groups/lighthouses/"

    static func reference(inPath parts: [Substring]) -> Substring? {
        parts.count >= 2 && parts[0] == "groups" ? parts[1] : nil
    }

    static func accepts(_ text: Substring) -> Bool { isName(text) }
}

enum PhotoPage: PageKind {
    static let name = "photo"
    static let examples = "53574198477 or https://www.flickr.com/photos/george/53574198477/"

    static func reference(inPath parts: [Substring]) -> Substring? {
        if parts.count == 2, parts[0] == "p" { return number(ofShort: parts[1])[...] }
        return parts.count >= 3 && parts[0] == "photos" ? parts[2] : nil
    }

    static func accepts(_ text: Substring) -> Bool { isDigits(text) }

    /// The number in a short address, `https://flic.kr/p/2pCkvzF`, which is written in base 58; empty for another text.
    private static func number(ofShort text: Substring) -> String {
        let alphabet = Array("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ")
        var number: UInt64 = 0
        for character in text {
            guard let digit = alphabet.firstIndex(of: character) else { return "" }
            let (product, overflow) = number.multipliedReportingOverflow(by: 58)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { return "" }
            number = sum
        }
        return number == 0 ? "" : String(number)
    }
}

/// Whether a text has digits alone, and not more than a number of Flickr's ever has.
private func isDigits(_ text: Substring) -> Bool {
    (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
}

/// Whether a text may be a name in addresses or a number with `@N`.
private func isName(_ text: Substring) -> Bool {
    (1...100).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x5F, 0x40].contains(byte)
        }
}
