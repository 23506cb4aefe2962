import Files
import Glibc
import TestSupport
import Testing

@Suite("A body that is received becomes a part", .timeLimit(.minutes(1)))
struct PartFileTests {
    @Test(
        "whatever its length and the size of its pieces, bytes and digest are right",
        arguments: [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 3 * 1024 * 1024],
        [1_000, 16_384, 100_000])
    func whole(length: Int, pieces: Int) async throws {
        let fixture = try Fixture()
        let bytes = pattern(length)
        let part = fixture.part()
        try part.append(all: bytes, pieces: pieces)
        #expect(part.size == Int64(length))
        let sealed = try await part.stored(in: fixture.directory)
        #expect(sealed.size == Int64(length))
        #expect(sealed.digest == digest(bytes))
        #expect(fixture.bytes(".runner/parts/part") == bytes)
    }

    @Test("a short body is sealed before the call returns")
    func inline() throws {
        let fixture = try Fixture()
        let part = fixture.part()
        try part.append(all: pattern(200_000))
        // Written within the call, on this thread: that is what the test is about.
        nonisolated(unsafe) var isSealed = false
        part.seal { _ in isSealed = true }
        #expect(isSealed)
    }

    @Test("a long body that is hashed where it is received is sealed before the call returns")
    func inlineLong() throws {
        let fixture = try Fixture()
        let bytes = pattern(3 * 1024 * 1024)
        let part = PartFile(in: fixture.directory, name: "part", hasher: fixture.worker, hashesAll: true)
        try part.append(all: bytes, pieces: 16_384)
        // Written within the call, on this thread: that is what the test is about.
        nonisolated(unsafe) var sealed: SealedPart?
        part.seal { sealed = try? $0.get() }
        #expect(sealed?.digest == digest(bytes))
        #expect(fixture.bytes(".runner/parts/part") == bytes)
    }

    @Test("a body that is discarded while it fits in memory never had a file")
    func discardUnwritten() throws {
        let fixture = try Fixture()
        let part = fixture.part()
        try part.append(all: pattern(65_536))
        part.discard()
        #expect(fixture.temporary.names(in: "out") == [])
    }

    @Test("a body that is discarded later leaves nothing", arguments: [100_000, 2_000_000])
    func discardWritten(length: Int) throws {
        let fixture = try Fixture()
        let part = fixture.part()
        part.note = PartNote(url: "http://a/", validator: .etag("\"x\""), totalLength: nil)
        try part.append(all: pattern(length))
        #expect(fixture.parts != [])
        part.discard()
        #expect(fixture.parts == [])
    }

    @Test("a body that starts over is only the second one", arguments: [10, 100_000, 2_000_000])
    func restart(length: Int) async throws {
        let fixture = try Fixture()
        let part = fixture.part()
        part.note = PartNote(url: "http://a/", validator: .etag("\"x\""), totalLength: nil)
        try part.append(all: pattern(length, seed: 1), pieces: 50_000)
        try part.restart()
        #expect(part.size == 0)
        #expect(part.note == nil)
        #expect(fixture.parts == [])
        let bytes = pattern(length / 2, seed: 2)
        try part.append(all: bytes, pieces: 50_000)
        #expect(try await part.stored(in: fixture.directory).digest == digest(bytes))
        #expect(fixture.bytes(".runner/parts/part") == bytes)
    }

    @Test("what an earlier run left under the name gives way, even a second name of a published file")
    func leftover() async throws {
        let fixture = try Fixture()
        try await fixture.publish(Array("published".utf8), as: "a.txt")
        #expect(link(fixture.directory.path + "/a.txt", fixture.directory.path + "/.runner/parts/part") == 0)
        _ = try await fixture.sealed(Array("new".utf8))
        #expect(fixture.bytes("a.txt") == Array("published".utf8))
        #expect(fixture.bytes(".runner/parts/part") == Array("new".utf8))
    }

    @Test("several long bodies share a worker")
    func shared() async throws {
        let fixture = try Fixture()
        let bodies = (0..<4).map { pattern(1_500_000 + $0, seed: UInt64($0 + 1)) }
        let parts = bodies.indices.map { fixture.part("part-\($0)") }
        for start in stride(from: 0, to: 1_500_003, by: 16_384) {
            for (part, body) in zip(parts, bodies) where start < body.count {
                try part.append(all: Array(body[start..<min(start + 16_384, body.count)]))
            }
        }
        for (part, body) in zip(parts, bodies) {
            #expect(try await part.sealed().digest == digest(body))
        }
    }

    @Test("a part that cannot be written says why, and where")
    func unwritable() throws {
        let fixture = try Fixture()
        try fixture.temporary.write("a file where the folder should be", to: "out/.runner")
        let part = fixture.part()
        let error = #expect(throws: FileError.self) { try part.append(all: pattern(70_000)) }
        #expect(error?.path.hasPrefix(fixture.directory.path + "/.runner") == true)
        part.discard()
    }

}
