import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("A file gets its name whole or not at all", .timeLimit(.minutes(1)))
struct PublishTests {
    @Test(
        "a published file has its bytes, its time and ordinary permissions; folders are made", arguments: [10, 500_000])
    func published(length: Int) async throws {
        let fixture = try Fixture()
        let bytes = pattern(length)
        let publication = try await fixture.publish(bytes, as: "Africa/West/Niger.png", modified: 1_234_567_890)
        #expect(publication == .published)
        #expect(fixture.bytes("Africa/West/Niger.png") == bytes)
        #expect(fixture.parts == [])
        var status = stat()
        #expect(stat(fixture.directory.path + "/Africa/West/Niger.png", &status) == 0)
        let path = try RelativePath(validating: "Africa/West/Niger.png")
        #expect(fixture.directory.information(path)?.modified == 1_234_567_890)
        let mask = umask(0o022)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
        #expect(stat(fixture.directory.path + "/Africa/West", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o777 & ~mask)
    }

    @Test("a file that is there is not overwritten, and the part is kept for another name")
    func exists() async throws {
        let fixture = try Fixture()
        try fixture.temporary.write("theirs", to: "out/a.txt")
        let part = try await fixture.sealed(Array("ours".utf8))
        let directory = fixture.directory
        #expect(
            try directory.publish(
                try fixture.directory.store(part), as: RelativePath(validating: "a.txt"), replacing: false)
                == .exists)
        #expect(fixture.bytes("a.txt") == Array("theirs".utf8))
        #expect(
            try directory.publish(
                try fixture.directory.store(part), as: RelativePath(validating: "b.txt"), replacing: false)
                == .published)
        #expect(fixture.bytes("b.txt") == Array("ours".utf8))
    }

    @Test("a file gives way when it is to be replaced")
    func replaced() async throws {
        let fixture = try Fixture()
        try await fixture.publish(Array("old".utf8), as: "a.txt")
        #expect(try await fixture.publish(Array("new".utf8), as: "a.txt", replacing: true) == .published)
        #expect(fixture.bytes("a.txt") == Array("new".utf8))
    }

    @Test("a link at the name itself is replaced, not followed")
    func replacedLink() async throws {
        let fixture = try Fixture()
        try fixture.temporary.write("outside", to: "outside")
        #expect(symlink("../outside", fixture.directory.path + "/a") == 0)
        #expect(try await fixture.publish([1], as: "a") == .exists)
        #expect(try await fixture.publish([1], as: "a", replacing: true) == .published)
        #expect(fixture.bytes("a") == [1])
        #expect(fixture.temporary.read("outside") == Array("outside".utf8))
    }

    @Test("a folder is never replaced by a file, nor a file by a folder")
    func folderInTheWay() async throws {
        let fixture = try Fixture()
        try await fixture.publish([1], as: "a/b")
        #expect(try await fixture.publish([2], as: "a", replacing: true) == .exists)
        #expect(try await fixture.publish([2], as: "a/b/c") == .blocked(RelativePath(validating: "a/b")))
        #expect(fixture.bytes("a/b") == [1])
    }

    @Test("a folder that was removed meanwhile is made again")
    func removedFolder() async throws {
        let fixture = try Fixture()
        try await fixture.publish([1], as: "a/b/one")
        #expect(unlink(fixture.directory.path + "/a/b/one") == 0)
        #expect(rmdir(fixture.directory.path + "/a/b") == 0)
        #expect(rmdir(fixture.directory.path + "/a") == 0)
        #expect(try await fixture.publish([2], as: "a/b/two") == .published)
        #expect(fixture.bytes("a/b/two") == [2])
    }

    @Test("a deep path of many folders is made")
    func deep() async throws {
        let fixture = try Fixture()
        let path = String(repeating: "d/", count: 200) + "file"
        #expect(try await fixture.publish([1], as: path) == .published)
        #expect(fixture.bytes(path) == [1])
    }

    @Test("where the file system has no exclusive rename, a second name serves")
    func linkInstead() async throws {
        let fixture = try Fixture()
        try fixture.temporary.write("part", to: "out/from")
        try fixture.temporary.write("theirs", to: "out/taken")
        let folder = fixture.directory.root.raw
        #expect(linkAndUnlink("from", in: folder, to: "taken", in: folder) == -1)
        #expect(errno == EEXIST)
        #expect(linkAndUnlink("from", in: folder, to: "free", in: folder) == 0)
        #expect(fixture.bytes("taken") == Array("theirs".utf8))
        #expect(fixture.bytes("free") == Array("part".utf8))
        #expect(fixture.bytes("from") == nil)
    }

    @Test("another name comes beside the first, makes folders, and never overwrites; then the first goes")
    func rename() async throws {
        let fixture = try Fixture()
        try await fixture.publish([1], as: "x/a")
        try await fixture.publish([2], as: "taken")
        let (a, taken) = (try RelativePath(validating: "x/a"), try RelativePath(validating: "taken"))
        let new = try RelativePath(validating: "b/c")
        #expect(try !fixture.directory.addName(taken, to: a))
        #expect(try fixture.directory.addName(new, to: a))
        #expect(fixture.bytes("x/a") == [1])
        #expect(fixture.bytes("b/c") == [1])
        #expect(fixture.bytes("taken") == [2])
        // As after a process that was killed here.
        #expect(try fixture.directory.addName(new, to: a))
        try fixture.directory.removeName(a, of: new)
        #expect(fixture.bytes("b/c") == [1])
        #expect(fixture.temporary.names(in: "out").filter { $0 != ".runner" } == ["b", "taken"])
    }

    @Test("the first name stays when the second one has gone meanwhile")
    func lostName() async throws {
        let fixture = try Fixture()
        try await fixture.publish([1], as: "a")
        let (a, b) = (try RelativePath(validating: "a"), try RelativePath(validating: "b"))
        #expect(throws: FileError.self) { try fixture.directory.removeName(a, of: b) }
        #expect(fixture.bytes("a") == [1])
    }

    @Test("removing removes, and what is not there is removed already")
    func remove() async throws {
        let fixture = try Fixture()
        try await fixture.publish([1], as: "a/b")
        let path = try RelativePath(validating: "a/b")
        try fixture.directory.remove(path)
        try fixture.directory.remove(path)
        try fixture.directory.remove(RelativePath(validating: "no/such/folder"))
        #expect(fixture.temporary.names(in: "out/a") == [])
    }

    @Test("a copy has the bytes and the digest of what was copied", arguments: ["/tmp", "/dev/shm"], [0, 10, 700_000])
    func copy(parent: String, length: Int) async throws {
        let fixture = try Fixture(in: parent)
        let bytes = pattern(length)
        try await fixture.publish(bytes, as: "one")
        let part = try fixture.directory.copy(RelativePath(validating: "one"), toPart: "copy")
        #expect(part.digest == digest(bytes))
        #expect(part.size == Int64(length))
        let two = try RelativePath(validating: "two")
        #expect(
            try fixture.directory.publish(try fixture.directory.store(part), as: two, replacing: false) == .published)
        #expect(fixture.bytes("two") == bytes)
        #expect(fixture.bytes("one") == bytes)
    }

    @Test("what cannot be copied leaves no part")
    func failedCopy() throws {
        let fixture = try Fixture()
        #expect(throws: FileError.self) {
            try fixture.directory.copy(RelativePath(validating: "missing"), toPart: "copy")
        }
        #expect(fixture.parts == [])
    }

    @Test("a sealed part that is not wanted goes")
    func discard() async throws {
        let fixture = try Fixture()
        try await fixture.sealed([1]).discard(in: fixture.directory)
        #expect(fixture.parts == [])
    }

    @Test("several threads may publish and look at once")
    func concurrent() async throws {
        let fixture = try Fixture(in: "/dev/shm")
        try await withThrowingTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    for index in 0..<50 {
                        let part = PartFile(in: fixture.directory, name: "part-\(worker)", hasher: fixture.worker)
                        try part.append(all: [UInt8(worker), UInt8(index)])
                        let path = try RelativePath(validating: "\(index % 5)/\(index % 7)/\(worker) \(index)")
                        let sealed = try await part.sealed()
                        let publication = try fixture.directory.publish(
                            try fixture.directory.store(sealed), as: path, replacing: false)
                        #expect(publication == .published)
                        #expect(fixture.directory.information(path)?.size == 2)
                        if index % 10 == 0 { try fixture.directory.flushFolders() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.parts == [])
    }
}
