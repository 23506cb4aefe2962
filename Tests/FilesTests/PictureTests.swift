import TestSupport
import Testing

@testable import Files

/// Pictures under the digest of their bytes.
@Suite("Pictures", .timeLimit(.minutes(1)))
struct PictureTests {
    private func write(_ text: String, number: Int, in output: OutputDirectory) throws -> PendingPicture {
        let writer = try PictureWriter(in: output, number: number, extension: "webp")
        for byte in Array(text.utf8) { try withUnsafeBytes(of: byte) { try writer.append($0) } }
        return writer.finish()
    }

    @Test("a picture has its name when it is published, not before, and equal bytes have one")
    func publishing() throws {
        let directory = try TemporaryDirectory()
        let output = try OutputDirectory(path: directory.path, create: false)
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        let first = try write("hello", number: 1, in: output)
        let second = try write("hello", number: 2, in: output)
        #expect(first.path == ".runner/pictures/\(digest).webp")
        #expect(first.size == 5)
        #expect(directory.read(first.path) == nil)
        try output.publish(first)
        try output.publish(second)
        try output.flushFolders()
        #expect(try output.pictureNames() == ["\(digest).webp"])
        #expect(directory.read(first.path) == Array("hello".utf8))
        try output.removePicture("\(digest).webp")
        try output.removePicture("\(digest).webp")
        #expect(try output.pictureNames() == [])
    }

    @Test("one that is given up leaves nothing, and one that a killed run left is cleared away")
    func unfinished() throws {
        let directory = try TemporaryDirectory()
        let output = try OutputDirectory(path: directory.path, create: false)
        try withUnsafeBytes(of: 1) { bytes in
            try PictureWriter(in: output, number: 1, extension: "png").append(bytes)
        }
        #expect(try output.pictureNames() == [])
        let left = try write("left", number: 2, in: output)
        let kept = try write("kept", number: 3, in: output)
        try output.publish(kept)
        try output.removeUnfinishedPictures()
        #expect(try output.pictureNames() == ["\(kept.digest.hex).webp"])
        left.discard(in: output)
    }

    @Test("a folder of pictures that is a link elsewhere is refused")
    func link() throws {
        let directory = try TemporaryDirectory()
        let elsewhere = try TemporaryDirectory()
        let output = try OutputDirectory(path: directory.path, create: false)
        try write("x", number: 1, in: output).discard(in: output)
        try Subprocess.run(["rmdir", directory.path(".runner/pictures")])
        try Subprocess.run(["ln", "-s", elsewhere.path, directory.path(".runner/pictures")])
        let fresh = try OutputDirectory(path: directory.path, create: false)
        #expect(throws: FileError.self) { try write("x", number: 1, in: fresh) }
        #expect(elsewhere.names() == [])
    }
}
