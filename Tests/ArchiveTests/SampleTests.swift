import Archive
import Foundation
import TestSupport
import Testing

@Suite("ZIP files of other programs", .timeLimit(.minutes(1)))
struct SampleTests {
    @Test(
        "sound files are read, and what can't be read in them has its name",
        arguments: [
            ("big-compression", ["0x21000: 135168"]),
            ("bogus-compression-method", ["index.js: unsupported compression"]),
            ("cygwin-info-zip", ["a.txt: 5", "b.txt: 5"]),
            ("deflate", ["index.js: 10689"]),
            ("directories", ["a/a.txt: 0"]),
            ("empty", []),
            ("linux-info-zip", ["a.txt: 5", "b.txt: 5"]),
            ("ntfstimestamp", ["a: 0"]),
            ("sloppy-filenames", ["a\\txt: 5", "b.txt: 5"]),
            ("streaming", ["test1.txt: 25", "test2.txt: 25"]),
            ("traditional-encryption", ["a.txt: encrypted"]),
            ("traditional-encryption_deprecated", ["a.txt: encrypted"]),
            ("traditional-encryption-and-compression", ["a.bin: encrypted"]),
            ("traditional-encryption-and-compression_deprecated", ["a.bin: encrypted"]),
            ("unicode-path-extra-field", ["七个房间.txt: 0"]),
            (
                "unicode",
                [
                    "Turmion Kätilöt/Hoitovirhe/Rautaketju.mp3: 0",
                    "Turmion Kätilöt/Pirun nyrkki/Mistä veri pakenee.mp3: 0",
                ]
            ),
            ("unix-epoch", ["unix-epoch.txt: 0"]),
            ("windows-7-zip", ["a.txt: 5", "b.txt: 5"]),
            ("windows-compressed-folder", ["a.txt: 5", "b.txt: 5"]),
            ("wrong-entry-sizes", ["a.txt: wrong size", "b.txt: wrong size"]),
            ("zip64", ["test1.txt: 3", "test2.txt: 3"]),
        ])
    func sound(name: String, expected: [String]) throws {
        #expect(contents(of: try sample(name)) == expected)
    }

    @Test(
        "broken files are refused by the name of their fault, or read where the fault is harmless",
        arguments: [
            ("absolute", ["/atxt: 5", "b.txt: 5"]),
            ("backslash", ["a\\txt: 5", "b.txt: 5"]),
            ("code-lengths", ["index.js: damaged data"]),
            ("comment-length", ["damaged directory"]),
            ("data-out-of-file", ["damaged directory"]),
            ("data-overflow", ["data out of bounds"]),
            ("deflate-symbols", ["index.js: damaged data"]),
            ("directory-signature", ["damaged directory"]),
            ("drive-letter", ["C:/xt: 5", "b.txt: 5"]),
            ("extra-field-overrun", ["damaged directory"]),
            ("header-signature", ["damaged directory"]),
            ("method-1", ["a.txt: 5", "b.txt: inconsistent headers"]),
            ("multi-disk", ["several disks"]),
            ("no-end-record", ["not a ZIP file"]),
            ("nothing", ["not a ZIP file"]),
            ("stored-size-mismatch", ["data out of bounds"]),
            ("strong-encryption", ["a.txt: encrypted"]),
            ("too-long", ["zeros.bin: inconsistent headers"]),
            ("too-short", ["zeros.bin: inconsistent headers"]),
            ("traversal", ["../xt: 5", "b.txt: 5"]),
            ("zip64-end-signature", ["damaged directory"]),
            ("zip64-no-offset", ["damaged directory"]),
            ("zip64-no-packed-size", ["damaged directory"]),
            ("zip64-no-size", ["damaged directory"]),
        ])
    func broken(name: String, expected: [String]) throws {
        #expect(contents(of: try sample(name)) == expected)
    }

    @Test(
        "a name that would lead a path astray is told",
        arguments: [
            ("absolute", [NameOddity.absolute, .renamed]), ("drive-letter", [.driveLetter, .renamed]),
            ("backslash", [.backslash, .renamed]), ("traversal", [.leadsOut, .renamed]), ("deflate", []),
        ])
    func oddities(name: String, expected: [NameOddity]) throws {
        #expect(try OpenZip(try sample(name)).archive.entries.first?.oddities == expected)
    }

    @Test("cut short or with any byte changed, a file is read or refused, and never gives more than its limits")
    func damage() throws {
        var limits = ArchiveLimits()
        limits.entryBytes = 200_000
        limits.totalBytes = 400_000
        var generator = SplitMix(7)
        for name in ["deflate", "streaming", "zip64", "unicode", "windows-7-zip", "directories"] {
            let whole = try sample(name)
            for _ in 0..<300 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
                }
                guard let zip = try? OpenZip(bytes, limits: limits) else { continue }
                let total = zip.archive.entries.reduce(0) { $0 + ((try? zip.read($1).count) ?? 0) }
                #expect(total <= 400_000)
            }
        }
    }

    private func sample(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        // Not through Data, which leaks when a file is empty, as one of these is.
        let file = try #require(fopen(folder.appending(path: "\(name).zip").path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}
