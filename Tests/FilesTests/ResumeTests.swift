import Files
import Glibc
import System
import TestSupport
import Testing

@Suite("A part is resumed only where its bytes are certain", .timeLimit(.minutes(1)))
struct ResumeTests {
    static let note = PartNote(
        url: "https://example.org/a b?c=%20", validator: .etag("\"weird \\\" tag\""), totalLength: 3_000_000)

    @Test("a part that was kept goes on where it stopped", arguments: [10, 70_000, 300_000, 2_000_000])
    func kept(length: Int) async throws {
        let fixture = try Fixture()
        let bytes = pattern(3_000_000)
        let first = fixture.part()
        first.note = Self.note
        try first.append(all: Array(bytes[..<length]), pieces: 30_000)
        try first.keep()

        let stored = try #require(fixture.directory.resumable("part"))
        #expect(stored.size == Int64(length))
        #expect(stored.note == Self.note)

        let second = fixture.part(resumingAt: stored.size)
        second.note = stored.note
        #expect(second.size == Int64(length))
        try second.append(all: Array(bytes[length...]), pieces: 30_000)
        let sealed = try await second.sealed()
        #expect(sealed.digest == digest(bytes))
        #expect(sealed.size == 3_000_000)
        let path = try RelativePath(validating: "x")
        #expect(
            try fixture.directory.publish(try fixture.directory.store(sealed), as: path, replacing: false) == .published
        )
        #expect(fixture.bytes("x") == bytes)
        #expect(fixture.parts == [])
    }

    @Test("a part that was complete already only needs its digest")
    func nothingMissing() async throws {
        let fixture = try Fixture()
        let bytes = pattern(100_000)
        let first = fixture.part()
        first.note = PartNote(
            url: "http://a/", validator: .lastModified("Sun, 06 Nov 1994 08:49:37 GMT"), totalLength: nil)
        try first.append(all: bytes)
        try first.keep()
        let stored = try #require(fixture.directory.resumable("part"))
        #expect(stored.note == first.note)
        #expect(try await fixture.part(resumingAt: stored.size).sealed().digest == digest(bytes))
    }

    @Test(
        "a run that is killed leaves a note once a part is worth it", arguments: [(500_000, false), (1_100_000, true)])
    func killed(length: Int, isResumable: Bool) throws {
        let fixture = try Fixture()
        let part = fixture.part()
        part.note = Self.note
        try part.append(all: pattern(length), pieces: 16_384)
        // What is written so far is what a killed process leaves.
        let stored = fixture.directory.resumable("part")
        #expect((stored != nil) == isResumable)
        if let stored { #expect(stored.size > 1_000_000) }
        part.discard()
    }

    @Test("a part without a note is not kept, and one that is there is not resumed")
    func withoutNote() throws {
        let fixture = try Fixture()
        let part = fixture.part()
        try part.append(all: pattern(2_000_000))
        #expect(fixture.directory.resumable("part") == nil)
        try part.keep()
        #expect(fixture.parts == [])
    }

    @Test("after a restart of the machine only flushed bytes count", arguments: [(0, nil), (400, 400), (2_000, 1_000)])
    func otherBoot(flushed: Int, size: Int64?) throws {
        let fixture = try Fixture()
        try fixture.temporary.write(pattern(1_000), to: "out/.runner/parts/part")
        try fixture.temporary.write(
            "runner part 1\nurl http://a/\netag \"x\"\nboot another\nflushed \(flushed)\nend\n",
            to: "out/.runner/parts/part.note")
        #expect(fixture.directory.resumable("part")?.size == size)
    }

    @Test("what lies beyond the flushed bytes is cut off")
    func cutToFlushed() async throws {
        let fixture = try Fixture()
        let bytes = pattern(1_000)
        try fixture.temporary.write(
            Array(bytes[..<400]) + [UInt8](repeating: 0, count: 600), to: "out/.runner/parts/part")
        let part = fixture.part(resumingAt: 400)
        try part.append(all: Array(bytes[400...]))
        #expect(try await part.sealed().digest == digest(bytes))
        #expect(fixture.bytes(".runner/parts/part") == bytes)
    }

    @Test(
        "a note that is torn or foreign does not count",
        arguments: [
            "", "runner part 1\n", "runner part 2\nurl a\netag \"x\"\nboot b\nflushed 1000\nend\n",
            "runner part 1\nurl a\netag \"x\"\nboot b\nflushed 1000\n",
            "runner part 1\nurl a\nboot b\nflushed 1000\nend\n",
            "runner part 1\nurl a\netag \"x\"\nlength many\nboot b\nflushed 1000\nend\n",
            "runner part 1\nurl a\netag \"x\"\nlength 999\nboot b\nflushed 1000\nend\n",
            "runner part 1\nurl a\netag \"x\"\nboot b\nflushed -1\nend\n",
        ])
    func badNote(text: String) throws {
        let fixture = try Fixture()
        try fixture.temporary.write(pattern(1_000), to: "out/.runner/parts/part")
        try fixture.temporary.write(text, to: "out/.runner/parts/part.note")
        #expect(fixture.directory.resumable("part") == nil)
    }

    @Test("a note whose text could not be read back leaves no part")
    func unwritableNote() throws {
        let fixture = try Fixture()
        let part = fixture.part()
        part.note = PartNote(url: "http://a/\nboot x", validator: .etag("\"x\""), totalLength: nil)
        try part.append(all: pattern(1_000))
        try part.keep()
        #expect(fixture.parts == [])
    }

    @Test("a second name of a published file is never resumed into")
    func linkedPart() async throws {
        let fixture = try Fixture()
        let part = fixture.part()
        part.note = Self.note
        try part.append(all: pattern(1_000))
        try part.keep()
        #expect(link(fixture.directory.path + "/.runner/parts/part", fixture.directory.path + "/published") == 0)
        #expect(fixture.directory.resumable("part") == nil)
        let resumed = fixture.part(resumingAt: 1_000)
        #expect(throws: FileError.self) { try resumed.append(all: pattern(100_000)) }
        #expect(fixture.bytes("published")?.count == 1_000)
    }

    @Test("the note of an older body never speaks for a new one")
    func staleNote() throws {
        let fixture = try Fixture()
        let old = fixture.part()
        old.note = Self.note
        try old.append(all: pattern(100_000))
        try old.keep()
        let new = fixture.part()
        try new.append(all: pattern(100_000, seed: 2))
        #expect(fixture.directory.resumable("part") == nil)
        #expect(fixture.parts == ["part"])
        new.discard()
    }

    @Test("a resumed part that starts over keeps nothing of the old body")
    func restartResumed() async throws {
        let fixture = try Fixture()
        let old = fixture.part()
        old.note = Self.note
        try old.append(all: pattern(100_000))
        try old.keep()
        let part = fixture.part(resumingAt: 100_000)
        try part.restart()
        #expect(fixture.parts == [])
        try part.append(all: [1, 2, 3])
        #expect(try await part.sealed().digest == digest([1, 2, 3]))
    }

    @Test("stored parts are listed with sizes and times, and removed with their notes")
    func listed() throws {
        let fixture = try Fixture()
        #expect(try fixture.directory.parts() == [])
        let before = wallClockMicroseconds() / 1_000_000 - 1
        let part = fixture.part("one")
        part.note = Self.note
        try part.append(all: pattern(1_000))
        try part.keep()
        try fixture.temporary.write(pattern(7), to: "out/.runner/parts/two")
        try fixture.temporary.write("torn", to: "out/.runner/parts/three.note.new")
        let parts = try fixture.directory.parts().sorted { $0.name < $1.name }
        #expect(parts.map(\.name) == ["one", "three", "two"])
        #expect(parts.map(\.size) == [1_000, 0, 7])
        #expect(parts.allSatisfy { $0.modified >= before })
        for part in parts { try fixture.directory.removePart(part.name) }
        #expect(fixture.parts == [])
    }
}
