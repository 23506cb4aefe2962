import Media
import Testing

/// What bytes are.
@Suite("Types of bodies", .timeLimit(.minutes(1)))
struct MediaTypeTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let bytes: [UInt8]
        let type: String?
        let testDescription: String

        init(_ bytes: [UInt8], _ type: String?) {
            self.bytes = bytes
            self.type = type
            testDescription = "\(type ?? "unknown") \(bytes.prefix(12))"
        }

        init(_ text: String, _ type: String?) {
            self.init(Array(text.utf8), type)
        }
    }

    private static func box(_ brand: String, _ compatible: String = "") -> [UInt8] {
        let size = 16 + compatible.utf8.count
        return [0, 0, 0, UInt8(size)] + Array("ftyp\(brand)\0\0\0\0\(compatible)".utf8)
    }

    @Test(
        "types are told by their first bytes",
        arguments: [
            Sample([0xFF, 0xD8, 0xFF, 0xE0, 0, 16], "jpg"), Sample([0xFF, 0xD8, 0xFF], "jpg"),
            Sample([0xFF, 0xD8], nil), Sample([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "png"),
            Sample([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A], nil), Sample("GIF87a.", "gif"), Sample("GIF89a", "gif"),
            Sample("GIF88a", nil), Sample("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ", "webp"),
            Sample("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt ", nil),
            Sample("RIFF\u{1}\u{2}", nil), Sample(box("avif"), "avif"), Sample(box("avis"), "avif"),
            Sample(box("mif1", "miafavif"), "avif"), Sample(box("mif1", "heic"), "heic"), Sample(box("heic"), "heic"),
            Sample(box("isom", "mp42"), "mp4"), Sample("\u{0}\u{0}\u{0}\u{10}ftyp", nil),
            Sample("<svg xmlns=''>", "svg"),
            Sample("<?xml version='1.0'?>\n<!-- a picture -->\n<svg>", "svg"),
            Sample("<!DOCTYPE svg PUBLIC ''><svg>", "svg"), Sample("<!-- x --><svg>", "svg"),
            Sample("<?xml version='1.0'?><rss>", "xml"), Sample("\u{FEFF}  \n<SVG>", "svg"),
            Sample("%PDF-1.7", "pdf"), Sample("\r\n\u{0}junk%PDF-1.4", "pdf"),
            Sample([0x50, 0x4B, 0x03, 0x04, 20], "zip"), Sample([0x50, 0x4B, 0x05, 0x06], "zip"), Sample("PK", nil),
            Sample([0x49, 0x49, 0x2A, 0x00, 8], "tif"), Sample([0x4D, 0x4D, 0x00, 0x2A], "tif"),
            Sample([0, 0, 1, 0, 1, 0], "ico"), Sample([0xFF, 0x0A, 1], "jxl"),
            Sample([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], "jxl"),
            Sample([0x1F, 0x8B, 8, 0], "gz"),
            Sample([0x1A, 0x45, 0xDF, 0xA3], "webm"), Sample([0x42, 0x4D, 1, 2, 3, 4, 0, 0, 0, 0, 54], "bmp"),
            Sample("BM is how many a text begins", nil), Sample("<!DOCTYPE html><html>", "html"),
            Sample("  <HTML>", "html"),
            Sample("<head><title>", "html"), Sample("<!-- error --><html><svg></html>", "html"),
            Sample("<?xml version='1.0'?><!DOCTYPE html><html><body><svg/>", "html"),
            Sample("<!DOCTYPE html><body><svg>", "html"), Sample("{\"error\": 1}", "json"), Sample("[1]", "json"),
            Sample("Not Found", nil), Sample("", nil), Sample("   \n", nil), Sample("<p>hello", nil),
        ])
    func sniffing(_ sample: Sample) {
        #expect(MediaType(sniffing: sample.bytes)?.extension == sample.type)
    }

    @Test(
        "a head that is cut anywhere gives its type or none, never another",
        arguments: ["png", "webp", "avif", "svg", "pdf"])
    func truncated(_ type: String) {
        let samples: [String: [UInt8]] = [
            "png": [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 20),
            "webp": Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8),
            "avif": Self.box("mif1", "miafavif"),
            "svg": Array("<?xml version='1.0'?>\n<svg>".utf8), "pdf": Array("%PDF-1.7".utf8),
        ]
        let whole = samples[type] ?? []
        let allowed: Set<String?> = [type, nil, type == "svg" ? "xml" : type, type == "avif" ? "heic" : type]
        for count in 0...whole.count {
            #expect(allowed.contains(MediaType(sniffing: Array(whole.prefix(count)))?.extension), "\(count) bytes")
        }
        #expect(MediaType(sniffing: whole)?.extension == type)
    }

    @Test(
        "names and Content-Type fields",
        arguments: [
            ("a.JPEG", "jpg"), ("a.b.tiff", "tif"), ("a.htm", "html"), ("a.txt", "txt"), ("a", nil), ("a.xyz", nil),
            ("a.", nil),
        ] as [(String, String?)])
    func names(_ name: String, _ type: String?) {
        #expect(MediaType(name: name)?.extension == type)
    }

    @Test(
        "Content-Type fields, parameters and case ignored",
        arguments: [
            ("image/png", "png"), ("Image/JPEG; q=1", "jpg"), (" text/html ;charset=utf-8", "html"), ("x/y", nil),
            ("", nil),
        ] as [(String, String?)])
    func contentTypes(_ field: String, _ type: String?) {
        #expect(MediaType(contentType: field)?.extension == type)
    }
}
