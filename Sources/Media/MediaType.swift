internal import Glibc

/// What a file is, judged by its first bytes.
package struct MediaType: Hashable, Sendable {
    /// As in `{extension}` and `item.path`.
    package let `extension`: String
    /// As in `item.media_type`.
    package let name: String
    /// What it satisfies of `expect`, beside `any`.
    package let kind: Kind

    /// The types that jobs tell apart.
    package enum Kind: Sendable {
        case image, pdf, zip, other
    }

    /// How many bytes of a body ``init(sniffing:)`` wants to see at most. A PDF's header may be anywhere in the
    /// first 1,024 bytes (ISO 32000-1, Annex H, implementation note 13).
    package static let sniffLength = 1_024

    package static let jpeg = MediaType("jpg", "image/jpeg", .image)
    package static let png = MediaType("png", "image/png", .image)
    package static let gif = MediaType("gif", "image/gif", .image)
    package static let webp = MediaType("webp", "image/webp", .image)
    package static let avif = MediaType("avif", "image/avif", .image)
    package static let heic = MediaType("heic", "image/heic", .image)
    package static let svg = MediaType("svg", "image/svg+xml", .image)
    package static let bmp = MediaType("bmp", "image/bmp", .image)
    package static let tiff = MediaType("tif", "image/tiff", .image)
    static let icon = MediaType("ico", "image/vnd.microsoft.icon", .image)
    static let jpegXL = MediaType("jxl", "image/jxl", .image)
    package static let pdf = MediaType("pdf", "application/pdf", .pdf)
    package static let zip = MediaType("zip", "application/zip", .zip)
    package static let json = MediaType("json", "application/json", .other)
    package static let html = MediaType("html", "text/html", .other)
    package static let xml = MediaType("xml", "application/xml", .other)
    package static let gzip = MediaType("gz", "application/gzip", .other)
    package static let mp4 = MediaType("mp4", "video/mp4", .other)
    package static let webm = MediaType("webm", "video/webm", .other)

    /// Types without magic bytes; for extensions and Content-Type only.
    private static let text = MediaType("txt", "text/plain", .other)
    private static let csv = MediaType("csv", "text/csv", .other)

    private static let all = [
        jpeg, png, gif, webp, avif, heic, svg, bmp, tiff, icon, jpegXL, pdf, zip, json, html, xml, gzip, mp4, webm,
        text, csv,
    ]

    private static let byExtension: [String: MediaType] = {
        var table = Dictionary(uniqueKeysWithValues: all.map { ($0.extension, $0) })
        for (alias, type) in [
            ("jpeg", jpeg), ("jpe", jpeg), ("jfif", jpeg), ("tiff", tiff), ("heif", heic), ("htm", html), ("svgz", svg),
        ] {
            table[alias] = type
        }
        return table
    }()

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private init(_ fileExtension: String, _ name: String, _ kind: Kind) {
        self.extension = fileExtension
        self.name = name
        self.kind = kind
    }

    /// Whether files of many kinds begin like this: text in some form, or a container. Office documents and e-books are
    /// ZIP files, notes and maps are JSON or XML, camera files TIFF.
    package var isForm: Bool { Self.forms.contains(self) }

    /// Whether its files are plain text, which may begin like anything.
    package var isText: Bool { self == Self.text || self == Self.csv }

    private static let forms: Set<MediaType> = [zip, gzip, json, xml, mp4, webm, tiff]

    package static func isKnown(extension text: some StringProtocol) -> Bool {
        byExtension[text.lowercased()] != nil
    }

    /// The type by a name's extension, as in a URL's last segment.
    package init?(name: String) {
        var name = name
        let ending = name.withUTF8 { bytes in
            bytes.lastIndex(of: UInt8(ascii: ".")).map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
        }
        guard let ending, let type = Self.byExtension[ending.lowercased()] else { return nil }
        self = type
    }

    /// The type by a Content-Type field, its parameters ignored.
    package init?(contentType: String) {
        self.init(essence: Self.essence(of: contentType))
    }

    /// The type by what ``essence(of:)`` tells.
    package init?(essence: String) {
        guard let type = Self.byName[essence] else { return nil }
        self = type
    }

    /// The media type of a Content-Type field without parameters, lower-case.
    package static func essence(of contentType: String) -> String {
        var contentType = contentType
        let isEssence = contentType.withUTF8 { bytes in
            bytes.allSatisfy { $0 > 0x20 && $0 < 0x41 && $0 != UInt8(ascii: ";") || $0 > 0x5A }
        }
        if isEssence { return contentType }  // as most servers write it
        let essence = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
        return String(decoding: essence.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }

    /// The type by magic bytes and, for text formats, by their first words.
    ///
    /// - Parameter head: the beginning of the file, ``sniffLength`` bytes or all of it.
    package init?(sniffing head: [UInt8]) {
        guard let first = head.first else { return nil }
        if let type = Self.signatures[Int(first)].first(where: { $0.matches(head) })?.type {
            self = type
        } else if let type = Self.isoMedia(head) ?? Self.markup(head) {
            self = type
        } else if Self.hasPDFHeader(head) {
            self = .pdf
        } else {
            return nil
        }
    }

    private struct Signature {
        let type: MediaType
        let bytes: [UInt8]
        var second: (offset: Int, bytes: [UInt8])?

        init(_ type: MediaType, _ bytes: [UInt8], then second: (offset: Int, bytes: [UInt8])? = nil) {
            self.type = type
            self.bytes = bytes
            self.second = second
        }

        func matches(_ head: [UInt8]) -> Bool {
            head.has(bytes, at: 0) && (second.map { head.has($0.bytes, at: $0.offset) } ?? true)
        }
    }

    /// By first byte, so that most bodies are compared with one or none.
    private static let signatures: [[Signature]] = {
        let all = [
            Signature(jpeg, [0xFF, 0xD8, 0xFF]),
            Signature(png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            Signature(gif, Array("GIF87a".utf8)),
            Signature(gif, Array("GIF89a".utf8)),
            Signature(webp, Array("RIFF".utf8), then: (8, Array("WEBP".utf8))),
            Signature(pdf, Array("%PDF-".utf8)),
            Signature(zip, [0x50, 0x4B, 0x03, 0x04]),
            Signature(zip, [0x50, 0x4B, 0x05, 0x06]),
            Signature(zip, [0x50, 0x4B, 0x07, 0x08]),
            Signature(tiff, [0x49, 0x49, 0x2A, 0x00]),
            Signature(tiff, [0x4D, 0x4D, 0x00, 0x2A]),
            Signature(icon, [0x00, 0x00, 0x01, 0x00]),
            Signature(jpegXL, [0xFF, 0x0A]),
            Signature(jpegXL, [0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
            Signature(gzip, [0x1F, 0x8B, 0x08]),
            Signature(webm, [0x1A, 0x45, 0xDF, 0xA3]),
            // "BM" alone begins many a text; the header's reserved field is zero.
            Signature(bmp, [0x42, 0x4D], then: (6, [0, 0, 0, 0])),
        ]
        return (0...255).map { first in all.filter { $0.bytes[0] == UInt8(first) } }
    }()

    /// ISO base media files carry their brand in the first box (ISO/IEC 14496-12, 4.3).
    private static func isoMedia(_ head: [UInt8]) -> MediaType? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let brands = stride(from: 8, to: min(max(size, 12), head.count, 64), by: 4).compactMap { offset -> String? in
            offset == 12 || offset + 4 > head.count ? nil : String(decoding: head[offset..<offset + 4], as: UTF8.self)
        }
        if brands.contains(where: { ["avif", "avis"].contains($0) }) { return .avif }
        if brands.contains(where: { ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1"].contains($0) }) {
            return .heic
        }
        return .mp4
    }

    /// Text formats, after a byte order mark and white space.
    private static func markup(_ head: [UInt8]) -> MediaType? {
        let hasMark = head.count >= 3 && head[0] == 0xEF && head[1] == 0xBB && head[2] == 0xBF
        var start = hasMark ? 3 : 0
        while start < head.count, head[start] == 0x20 || (0x09...0x0D).contains(head[start]) { start += 1 }
        guard start < head.count else { return nil }
        let first = head[start]
        let rest = head[start...]
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            // JSON has no control characters but white space (RFC 8259, sections 2 and 7); a binary file soon has one.
            return rest.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) } ? nil : .json
        }
        guard first == UInt8(ascii: "<") else { return nil }
        let text = rest.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        func begins(_ word: String) -> Bool { text.starts(with: word.utf8) }
        if begins("<!doctype html") || begins("<html") || begins("<head") { return .html }
        if begins("<svg") { return .svg }
        guard begins("<?xml") || begins("<!--") || begins("<!doctype") else { return nil }
        // What the root element is: a picture, or a page that has pictures in it.
        let svg = text.firstPlace(of: "<svg")
        let html = text.firstPlace(of: "<html")
        if let svg, html.map({ svg < $0 }) ?? true { return .svg }
        return html == nil ? .xml : .html
    }

    private static func hasPDFHeader(_ head: [UInt8]) -> Bool {
        let header: StaticString = "%PDF-"
        return head.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var start = 0
            let end = bytes.count - header.utf8CodeUnitCount + 1  // of the places where it may begin
            while start < end, let percent = memchr(base + start, Int32(UInt8(ascii: "%")), end - start) {
                if memcmp(percent, header.utf8Start, header.utf8CodeUnitCount) == 0 { return true }
                start = base.distance(to: percent) + 1
            }
            return false
        }
    }
}

extension [UInt8] {
    /// Whether these bytes are at that place.
    fileprivate func has(_ bytes: [UInt8], at offset: Int) -> Bool {
        count >= offset + bytes.count && bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }

    /// Where a word begins; nil when it is not there.
    fileprivate func firstPlace(of word: String) -> Int? {
        indices.first { self[$0...].starts(with: word.utf8) }
    }
}
