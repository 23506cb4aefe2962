import Files
import Testing

@Suite("A relative path stays below its directory", .timeLimit(.minutes(1)))
struct RelativePathTests {
    @Test(
        "what would leave it, or no file system takes, is refused",
        arguments: [
            ("", InvalidPath.Fault.emptyComponent),
            ("/etc/passwd", .absolute),
            ("a//b", .emptyComponent),
            ("a/", .emptyComponent),
            ("./a", .dotComponent),
            ("a/../../b", .dotComponent),
            ("..", .dotComponent),
            ("a\u{0}b", .controlCharacter),
            ("a\nb", .controlCharacter),
            (String(repeating: "x", count: 256), .componentTooLong),
            (String(repeating: "x/", count: 2_000) + "x", .tooLong),
        ])
    func refused(text: String, fault: InvalidPath.Fault) {
        let error = #expect(throws: InvalidPath.self) { try RelativePath(validating: text) }
        #expect(error?.fault == fault)
        #expect(error?.text == text)
    }

    @Test(
        "ordinary paths and odd ones are accepted as they are",
        arguments: ["a", "Africa/Niger.png", "...", "a/.hidden/..b", "x y/ệ.png", String(repeating: "y", count: 255)])
    func accepted(text: String) throws {
        #expect(try RelativePath(validating: text).text == text)
    }

    @Test("a path knows its parts")
    func parts() throws {
        let path = try RelativePath(validating: "a/b/c.png")
        #expect(path.components == ["a", "b", "c.png"])
        #expect(path.last == "c.png")
        #expect(path.parent?.text == "a/b")
        #expect(path.parent?.parent?.parent == nil)
        #expect(try RelativePath(validating: "c.png").last == "c.png")
    }

    @Test("two spellings of one letter are two paths, as they are two files")
    func bytewise() throws {
        let composed = try RelativePath(validating: "\u{E9}")
        let decomposed = try RelativePath(validating: "e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }
}
