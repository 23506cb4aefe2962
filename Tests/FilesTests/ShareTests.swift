import Glibc
import TestSupport
import Testing

@testable import Files

/// On a file system in memory, which has second names and no shared blocks.
@Suite("Equal bytes take their room once", .timeLimit(.minutes(1)))
struct ShareTests {
    private func publish(_ part: SealedPart, as path: String, in fixture: Fixture) throws {
        let publication = try fixture.directory.publish(part, as: RelativePath(validating: path), replacing: false)
        #expect(publication == .published)
    }

    private func information(_ path: String, _ fixture: Fixture) throws -> FileInformation? {
        try fixture.directory.information(RelativePath(validating: path))
    }

    @Test("a part with the bytes of a stored file becomes a second name of it", arguments: [10, 500_000])
    func shared(length: Int) async throws {
        let fixture = try Fixture(in: "/dev/shm")
        let bytes = pattern(length)
        try await fixture.publish(bytes, as: "first/a", modified: 1_234_567_890)
        let part = try await fixture.sealed(bytes)
        #expect(try fixture.directory.share(part, with: RelativePath(validating: "first/a")) == .shared)
        try publish(part, as: "second/b", in: fixture)
        let (first, second) = (try information("first/a", fixture), try information("second/b", fixture))
        #expect(first?.inode == second?.inode)
        #expect(second?.modified == 1_234_567_890)
        #expect(fixture.bytes("second/b") == bytes)
        #expect(fixture.parts == [])
    }

    @Test("a file that replaces one of two names leaves the other's bytes alone")
    func replaced() async throws {
        let fixture = try Fixture(in: "/dev/shm")
        try await fixture.publish(Array("same".utf8), as: "a")
        let part = try await fixture.sealed(Array("same".utf8))
        #expect(try fixture.directory.share(part, with: RelativePath(validating: "a")) == .shared)
        try publish(part, as: "b", in: fixture)
        try await fixture.publish(Array("new".utf8), as: "b", replacing: true, modified: 1)
        #expect(fixture.bytes("a") == Array("same".utf8))
        #expect(fixture.bytes("b") == Array("new".utf8))
        #expect(try information("a", fixture)?.links == 1)
    }

    @Test("a stored file that was changed, or is no file, is not shared; the part keeps its bytes")
    func changed() async throws {
        let fixture = try Fixture(in: "/dev/shm")
        try fixture.temporary.write("diff", to: "out/a")
        try fixture.temporary.write("same", to: "elsewhere")
        #expect(symlink("../elsewhere", fixture.directory.path + "/link") == 0)
        let part = try await fixture.sealed(Array("same".utf8))
        for path in ["a", "link", "missing"] {
            #expect(try fixture.directory.share(part, with: RelativePath(validating: path)) == .different)
        }
        try publish(part, as: "b", in: fixture)
        #expect(fixture.bytes("b") == Array("same".utf8))
    }

    @Test("a stored file on another file system is not shared", .enabled(if: geteuid() == 0, "needs to mount"))
    func otherFileSystem() async throws {
        let fixture = try Fixture(in: "/dev/shm")
        try fixture.temporary.makeFolder("out/mounted")
        let folder = fixture.directory.path + "/mounted"
        // A container may keep its root from mounting.
        guard mount("tmpfs", folder, "tmpfs", 0, nil) == 0 else { return }
        // Detached: the directory keeps its folders open.
        defer { umount2(folder, Int32(MNT_DETACH)) }
        try fixture.temporary.write("same", to: "out/mounted/a")
        let part = try await fixture.sealed(Array("same".utf8))
        #expect(try fixture.directory.share(part, with: RelativePath(validating: "mounted/a")) == .impossible)
        try publish(part, as: "b", in: fixture)
        #expect(fixture.bytes("b") == Array("same".utf8))
    }
}
