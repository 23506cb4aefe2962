import Foundation
import Media
import Testing

/// Whether a body is whole, as its structure tells.
@Suite("Structure of pictures and documents", .timeLimit(.minutes(1)))
struct StructureTests {
    static let pictures = [
        "baseline.jpg", "progressive.jpg", "plain.png", "interlaced.png", "palette.png", "alpha.png", "plain.gif",
        "animated.gif", "lossy.webp", "lossless.webp", "alpha.webp", "plain.avif", "plain.heic",
    ]
    static let others = ["plain.svg", "plain.pdf", "streams.pdf", "pictures.zip"]

    @Test("files of other programs are whole, and tell their size", arguments: pictures + others)
    func whole(name: String) throws {
        let bytes = try sample(name)
        // An HEVC picture is stored in blocks, and cut when it is shown.
        let size = name == "plain.heic" ? PixelSize(width: 64, height: 64) : PixelSize(width: 60, height: 40)
        #expect(try check(bytes) == (Self.pictures.contains(name) ? size : nil))
        #expect(MediaType(sniffing: bytes)?.extension == MediaType(name: name)?.extension)
    }

    @Test(
        "a file that is cut anywhere is told, or nothing that a viewer needs is missing",
        // Of an animated GIF the first picture is enough.
        arguments: (pictures + others).filter { $0 != "animated.gif" })
    func cut(name: String) throws {
        let bytes = try sample(name)
        // What a viewer can do without: the end mark of a GIF, what follows "startxref" in a PDF, white space.
        let needless = ["gif": 1, "pdf": 12, "svg": 1][bytes.type?.extension ?? ""] ?? 0
        for count in 32..<bytes.count - needless where MediaType(sniffing: Array(bytes.prefix(count))) == bytes.type {
            #expect(throws: MediaFault.self, "\(count) of \(bytes.count) bytes") {
                try check(Array(bytes.prefix(count)), as: bytes.type)
            }
        }
    }

    @Test(
        "what servers and cameras add behind the end does no harm",
        arguments: (pictures + others).filter { $0 != "plain.svg" })
    func appended(name: String) throws {
        let bytes = try sample(name)
        for junk in [[UInt8](repeating: 0, count: 5_000), Array("\r\n<!-- served in 3 ms -->".utf8)] {
            _ = try check(bytes + junk)
        }
    }

    @Test("a JPEG with another picture behind its end is whole, and so is one that has one in its metadata")
    func severalPictures() throws {
        let picture = try sample("baseline.jpg")
        #expect(try check(picture + picture.dropLast(100)) == PixelSize(width: 60, height: 40))
        // A thumbnail in APP1, cut: its end is not the picture's.
        let thumbnail: [UInt8] = [0xFF, 0xE1, 0x00, 0x06, 0xFF, 0xD8, 0xFF, 0xD9]
        let whole = picture[..<2] + thumbnail + picture[2...]
        #expect(try check(Array(whole)) == PixelSize(width: 60, height: 40))
        #expect(throws: MediaFault.self) { try check(Array(whole.dropLast(60))) }
    }

    @Test("a changed byte in what a PNG's viewer needs is told, and passed over in what it does not")
    func pngChecksums() throws {
        var picture = try sample("plain.png")
        let data = try #require(picture.firstRange(of: Array("IDAT".utf8)))
        picture[data.lowerBound + 50] ^= 1
        #expect {
            try check(picture)
        } throws: {
            "\($0)" == "the PNG's chunk IDAT has another checksum than it says"
        }
        var text = try sample("plain.png")
        text.insert(contentsOf: [0, 0, 0, 1] + Array("tEXtx".utf8) + [1, 2, 3, 4], at: 33)
        #expect(try check(text) == PixelSize(width: 60, height: 40))
    }

    @Test(
        "what is no picture says what it lacks",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "the PNG ends before its last chunk"),
            ([0xFF, 0xD8, 0xFF, 0xD9], "the JPEG ends before its picture begins"),
            (Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B], "the GIF has no picture in it"),
            (Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBP".utf8), "the WebP's first chunk is longer than the file"),
            (Array("%PDF-1.4 hello".utf8), "the PDF ends before its end mark"),
            (Array("<svg><g>".utf8), "the SVG ends before its root element does"),
            ([0x50, 0x4B, 0x03, 0x04, 0, 0], "the ZIP ends before its directory"),
        ] as [([UInt8], String)])
    func empty(_ bytes: [UInt8], _ words: String) throws {
        #expect {
            try check(bytes)
        } throws: {
            "\($0)" == words
        }
    }

    @Test("an empty ZIP file, and one with a long comment, are whole")
    func zipEnds() throws {
        let end: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
        _ = try check(end)
        var commented = try sample("pictures.zip")
        commented[commented.count - 2] = 0xFF
        commented[commented.count - 1] = 0xFF
        _ = try check(commented + [UInt8](repeating: 0x20, count: 65_535))
    }

    /// What takes the most reading: marks of which each leads to the next, or back to a far place.
    static let tiresome: [(name: String, bytes: [UInt8])] = {
        func filled(_ head: [UInt8], _ unit: [UInt8], _ tail: [UInt8] = []) -> [UInt8] {
            head + Array(repeatElement(unit, count: (1 << 20) / unit.count).joined()) + tail
        }
        let frame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        let scan: [UInt8] = frame + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0x3F, 0]
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]
        let brand: [UInt8] = [0, 0, 0, 16] + Array("ftypavif".utf8) + [0, 0, 0, 0]
        // A ZIP's end record whose directory would be just before it.
        let end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]
        return [
            ("a JPEG of markers behind its picture", filled(scan, [0xFF, 0xE1, 0, 2], [0])),
            ("a JPEG of long segments behind its picture", filled(scan, [0xFF, 0x04, 0xFF, 0xFF], [0])),
            ("a JPEG of empty segments", filled(frame, [0xFF, 0xE1, 0, 2])),
            ("a JPEG of fill bytes", filled(frame, [0xFF])),
            (
                "a PNG of empty chunks",
                filled(
                    png + [0, 0, 0, 13] + header + [0x90, 0x77, 0x53, 0xDE],
                    [0, 0, 0, 0] + Array("tEXt".utf8) + [0, 0, 0, 0])
            ),
            ("a GIF of short blocks", filled(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE], [1, 0x21])),
            ("an AVIF of empty boxes", filled(brand, [0, 0, 0, 8] + Array("free".utf8))),
            ("an AVIF of boxes of 100 bytes", filled(brand, [0, 0, 0, 100] + Array("free".utf8))),
            ("a PDF with much white space", filled(Array("%PDF-1.4".utf8), [0x20])),
            ("an SVG with much white space", filled(Array("<svg>".utf8), [0x0A])),
            ("a ZIP of end records", filled([0x50, 0x4B, 3, 4], end + [0xFF, 0x7F, 0, 0, 0, 0, 0, 0, 0, 0])),
        ]
    }()

    @Test("no file has more read than all of it, twice", arguments: tiresome.indices)
    func reading(index: Int) throws {
        let (name, bytes) = Self.tiresome[index]
        let type = try #require(bytes.type)
        var read = 0
        bytes.withUnsafeBytes { bytes in
            let window = ByteWindow(over: bytes) { read += $0 }
            #expect(throws: MediaFault.self, "\(name)") { try type.checkStructure(of: window) }
        }
        #expect(read <= 2 * bytes.count, "\(name): \(read) bytes read of \(bytes.count)")
    }

    @Test("what a window shows is what is there", arguments: pictures + others)
    func window(name: String) throws {
        let bytes = try sample(name)
        let size = try check(bytes)
        let type = try #require(bytes.type)
        #expect(try bytes.withUnsafeBytes { try type.checkStructure(of: ByteWindow(over: $0)) } == size)
    }

    @Test("a reading that is broken off ends")
    func brokenOff() throws {
        struct Stop: Error {}
        var reads = 0
        Self.tiresome[0].bytes.withUnsafeBytes { bytes in
            let window = ByteWindow(over: bytes) { _ in
                reads += 1
                if reads > 3 { throw Stop() }
            }
            #expect(throws: Stop.self) { try MediaType.jpeg.checkStructure(of: window) }
        }
        #expect(reads == 4)
    }

    @discardableResult
    private func check(_ bytes: [UInt8], as type: MediaType? = nil) throws -> PixelSize? {
        let type = try #require(type ?? bytes.type)
        #expect(type.hasCheckedStructure)
        return try bytes.withUnsafeBytes { try type.checkStructure(of: MemoryBytes($0)) }
    }
}

extension ByteWindow {
    /// Reads bytes in memory, and says so.
    fileprivate convenience init(
        over bytes: UnsafeRawBufferPointer, onRead: @escaping (Int) throws -> Void = { _ in }
    ) {
        self.init(size: Int64(bytes.count)) { offset, buffer in
            let piece = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
            try onRead(piece.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }
}

/// A file of Samples.
func sample(_ name: String) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return Array(try #require(FileManager.default.contents(atPath: "\(folder)/Samples/\(name)"), "\(name) is missing"))
}

extension [UInt8] {
    fileprivate var type: MediaType? { MediaType(sniffing: self) }
}
