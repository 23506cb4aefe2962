import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("An output directory is the only way to its files", .timeLimit(.minutes(1)))
struct OutputDirectoryTests {
    @Test("it is made with its parents, under the umask, and opened again")
    func made() throws {
        let temporary = try TemporaryDirectory()
        _ = try OutputDirectory(path: temporary.path("a/b/c/"), create: true)
        _ = try OutputDirectory(path: temporary.path("a/b/c"), create: true)
        _ = try OutputDirectory(path: temporary.path("a/b/c"), create: false)
        #expect(temporary.names(in: "a/b") == ["c"])
    }

    @Test("one that is missing, or a file, is refused with its path")
    func missing() throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("", to: "file")
        let absent = #expect(throws: FileError.self) {
            try OutputDirectory(path: temporary.path("absent"), create: false)
        }
        #expect(absent?.isAbsent == true)
        #expect(absent?.description == "cannot open \(temporary.path("absent")): No such file or directory")
        let file = #expect(throws: FileError.self) { try OutputDirectory(path: temporary.path("file"), create: true) }
        #expect(file?.errno == ENOTDIR)
    }

    @Test("it may itself be reached through a symbolic link")
    func linkAbove() throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("hello", to: "real/file")
        #expect(symlink(temporary.path("real"), temporary.path("link")) == 0)
        let directory = try OutputDirectory(path: temporary.path("link"), create: true)
        #expect(try directory.information(RelativePath(validating: "file"))?.size == 5)
    }

    @Test("information tells size, kind, identity and time of a file, and nothing where there is none")
    func information() async throws {
        let fixture = try Fixture()
        try await fixture.publish(pattern(1_234), as: "a/b.bin", modified: 1_700_000_000)
        let found = try fixture.directory.information(RelativePath(validating: "a/b.bin"))
        let information = try #require(found)
        #expect(information.size == 1_234)
        #expect(information.isRegular)
        #expect(information.modified == 1_700_000_000)
        var status = stat()
        #expect(stat(fixture.directory.path + "/a/b.bin", &status) == 0)
        #expect(information.inode == UInt64(status.st_ino))
        #expect(information.device == UInt64(status.st_dev))
        #expect(try fixture.directory.information(RelativePath(validating: "a"))?.isRegular == false)
        for absent in ["a/c.bin", "x/y/z", "a/b.bin/c"] {
            #expect(try fixture.directory.information(RelativePath(validating: absent)) == nil)
        }
    }

    @Test("the digest of a stored file is that of its bytes", arguments: [0, 1, 262_144, 1_000_000])
    func digestOfFile(length: Int) async throws {
        let fixture = try Fixture()
        let bytes = pattern(length)
        try await fixture.publish(bytes, as: "x")
        #expect(try fixture.directory.digest(of: RelativePath(validating: "x")) == digest(bytes))
    }

    @Test("folders, pipes and missing files have no digest and hold nobody up")
    func noDigest() throws {
        let fixture = try Fixture()
        #expect(mkdir(fixture.directory.path + "/folder", 0o777) == 0)
        #expect(mkfifo(fixture.directory.path + "/pipe", 0o666) == 0)
        for name in ["folder", "pipe", "missing"] {
            #expect(throws: FileError.self) { try fixture.directory.digest(of: RelativePath(validating: name)) }
        }
    }

    @Test("a link planted below it leads nowhere", arguments: [PathResolution.kernel, .componentWise])
    func plantedLinks(resolution: PathResolution) async throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("secret", to: "outside/file")
        let directory = try OutputDirectory(path: temporary.path("out"), create: true, resolution: resolution)
        #expect(symlink("../outside", temporary.path("out/link")) == 0)
        #expect(symlink("../outside/file", temporary.path("out/file")) == 0)
        #expect(mkdir(temporary.path("out/deep"), 0o777) == 0)
        #expect(symlink("../../outside", temporary.path("out/deep/link")) == 0)

        for name in ["link/file", "deep/link/file"] {
            let path = try RelativePath(validating: name)
            #expect(directory.information(path) == nil)
            #expect(throws: FileError.self) { try directory.digest(of: path) }
            #expect(throws: FileError.self) { try directory.remove(path) }
            let part = PartFile(in: directory, name: "part", hasher: HashWorker())
            try part.append(all: [1, 2, 3])
            let sealed = try await part.sealed()
            for target in [path, try RelativePath(validating: name + "s/deeper")] {
                let error = #expect(throws: FileError.self) {
                    try directory.publish(try directory.store(sealed), as: target, replacing: true)
                }
                #expect(error?.reason == "a symbolic link is in the way")
            }
        }
        let final = try RelativePath(validating: "file")
        #expect(directory.information(final)?.isRegular == false)
        let error = #expect(throws: FileError.self) { try directory.digest(of: final) }
        #expect(error?.description == "cannot read \(temporary.path("out/file")): a symbolic link is in the way")
        #expect(temporary.read("outside/file") == Array("secret".utf8))
        #expect(temporary.names(in: "outside") == ["file"])
    }

    @Test(
        "folders are found alike with the kernel's check and without",
        arguments: [PathResolution.kernel, .componentWise])
    func resolutions(resolution: PathResolution) throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("hello", to: "out/a/b/c/file")
        let directory = try OutputDirectory(path: temporary.path("out"), create: false, resolution: resolution)
        #expect(try directory.information(RelativePath(validating: "a/b/c/file"))?.size == 5)
        #expect(try directory.information(RelativePath(validating: "a/x/c/file")) == nil)
    }

    @Test("a private folder that is a link is refused")
    func privateLink() throws {
        let fixture = try Fixture()
        #expect(symlink("/tmp", fixture.directory.path + "/.runner") == 0)
        let error = #expect(throws: FileError.self) { try PublishJournal(in: fixture.directory) }
        #expect(error?.errno == ELOOP || error?.errno == ENOTDIR)
    }

    @Test("nothing is published into the private folder")
    func reserved() async throws {
        let fixture = try Fixture()
        let error = await #expect(throws: FileError.self) {
            try await fixture.publish([1], as: ".runner/parts/x")
        }
        #expect(error?.errno == EPERM)
    }

    @Test("the private folders are for their owner only")
    func privacy() throws {
        let fixture = try Fixture()
        let part = fixture.part()
        try part.append(all: pattern(70_000))
        for name in [".runner", ".runner/parts"] {
            var status = stat()
            #expect(stat(fixture.directory.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
        part.discard()
    }

    @Test("flushing works, with few folders touched and with many")
    func flush() async throws {
        let fixture = try Fixture()
        try fixture.directory.flushFolders()
        for count in [3, 100] {
            for index in 0..<count { try await fixture.publish([1], as: "\(count)/\(index)/x") }
            try fixture.directory.flushData()
            try fixture.directory.flushFolders()
        }
    }

    @Test("many folders at once need no more than their share of descriptors")
    func boundedDescriptors() async throws {
        let fixture = try Fixture(in: "/dev/shm")
        for index in 0..<200 { try await fixture.publish([1], as: "folder \(index)/x") }
        for index in 0..<200 {
            #expect(try fixture.directory.information(RelativePath(validating: "folder \(index)/x"))?.size == 1)
        }
        let mine = descriptors().filter { $0.hasPrefix(fixture.directory.path + "/folder ") }
        #expect(mine.count <= 128)
    }

    /// What this process's open descriptors lead to.
    private func descriptors() -> [String] {
        (0..<2_048).compactMap { descriptor in
            var target = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            guard length > 0 else { return nil }
            return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
