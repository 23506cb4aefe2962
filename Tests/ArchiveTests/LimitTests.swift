import Archive
import TestSupport
import Testing

@Suite("ZIP files that lie", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test("an entry has the bytes that were packed, in any order of reading")
    func reading() throws {
        let zip = try OpenZip(ZipFile(["a.json": "[1]", "b.json": "[2, 2]", "c.json": ""]).bytes)
        let texts = try [2, 0, 1, 1].map { String(decoding: try zip.read(zip.archive.entries[$0]), as: UTF8.self) }
        #expect(texts == ["", "[1]", "[2, 2]", "[2, 2]"])
    }

    @Test("an entry that was begun and left does not disturb the next")
    func left() throws {
        let zip = try OpenZip(ZipFile(["a": String(repeating: "x", count: 300_000), "b": "hello"]).bytes)
        try zip.archive.begin(zip.archive.entries[0])
        _ = try zip.archive.next()
        #expect(try zip.read(zip.archive.entries[1]) == Array("hello".utf8))
    }

    @Test(
        "a false claim about one entry refuses that entry alone",
        arguments: [
            ("wrong checksum", "damaged data"), ("encrypted", "encrypted"), ("symbolic link", "symbolic link"),
            ("bzip2", "unsupported compression"), ("stored, yet shorter", "inconsistent headers"),
            ("twice", "duplicate name"), ("over the limit", "too large"),
            ("a bomb", "suspicious compression ratio"),
        ])
    func entryFaults(claim: String, fault: String) {
        var bad = ZipFile.Entry("bad", "some text")
        switch claim {
        case "wrong checksum": bad.checksum = 1
        case "encrypted": bad.flags |= 1
        case "symbolic link": bad.mode = 0o120777
        case "bzip2": bad.method = 12
        case "stored, yet shorter": bad.claimedSize = 3
        case "over the limit": bad = ZipFile.Entry("bad", String(repeating: "x", count: 101))
        case "a bomb":
            bad.method = 8
            bad.claimedSize = 2 << 20
        default: break
        }
        var entries = [bad, ZipFile.Entry("good", "text")]
        if claim == "twice" { entries.append(bad) }
        var limits = ArchiveLimits()
        if claim == "over the limit" { limits.entryBytes = 100 }
        let found = contents(of: ZipFile(entries).bytes, limits: limits)
        #expect(found.prefix(2) == ["bad: \(fault)", "good: 4"])
        #expect(found.dropFirst(2).allSatisfy { $0 == "bad: \(fault)" })
    }

    @Test("entries that share bytes are refused, as one run of bytes could become any number of files")
    func overlap() {
        let inner = ZipFile.Entry("inner", "some text")
        var same = ZipFile.Entry("other", "some text")
        same.offset = 0
        var within = ZipFile.Entry("within", "some text")
        within.offset = 40
        #expect(contents(of: ZipFile([inner, same]).bytes) == ["overlapping entries"])
        #expect(contents(of: ZipFile([inner, within]).bytes) == ["overlapping entries"])
    }

    @Test("more entries, longer names or more bytes together than allowed")
    func limits() throws {
        var limits = ArchiveLimits()
        limits.entries = 2
        limits.totalBytes = 7
        #expect(contents(of: ZipFile(["a": "", "b": "", "c": ""]).bytes, limits: limits) == ["too many entries"])
        #expect(
            contents(of: ZipFile(["a": "1234", "b": "1234"]).bytes, limits: limits) == [
                "a: 4", "b: too large together",
            ])
        let name = String(repeating: "n", count: 1_025)
        #expect(contents(of: ZipFile([ZipFile.Entry(name)]).bytes) == ["name too long"])
    }

    @Test("a file within a file is refused: what stands around it could be another archive")
    func surroundings() {
        var zip = ZipFile(["a": "text"])
        #expect(contents(of: zip.bytes + [0]) == ["damaged directory"])
        #expect(contents(of: [0] + zip.bytes) == ["damaged directory"])
        zip.comment = Array("a comment".utf8)
        #expect(contents(of: zip.bytes) == ["a: 4"])
        zip.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
        #expect(contents(of: zip.bytes) == ["not a ZIP file"] || contents(of: zip.bytes) == ["damaged directory"])
    }

    @Test("names are text, whatever encoding they came in, and have no NUL")
    func names() throws {
        var entries = [
            ZipFile.Entry(Array("a\0b".utf8), []), ZipFile.Entry([0x81, 0x2E, 0x6A], []), ZipFile.Entry("ü.json"),
            ZipFile.Entry([0xFF], []),
        ]
        entries[1].flags = 0
        entries[2].flags = 0
        let found = try OpenZip(ZipFile(entries).bytes).archive.entries
        #expect(found.map(\.name) == ["a\u{FFFD}b", "ü.j", "ü.json", "\u{FFFD}"])
        #expect(found[0].oddities == [.nul])
    }
}
