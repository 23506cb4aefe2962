import TestSupport
import Testing

@testable import Commands

@Suite("Pager", .timeLimit(.minutes(1)))
struct PagerTests {
    private let path = ["PATH": "/usr/bin:/bin"]

    @Test(
        "is what PAGER says; none where that is empty or cat",
        arguments: [("most -s", "most -s"), (" less ", "less"), ("", nil), (" ", nil), ("cat", nil)]
            as [(String, String?)])
    func choice(value: String, command: String?) {
        #expect(Pager(environment: path.merging(["PAGER": value]) { $1 })?.command == command)
    }

    @Test("is less where PAGER is not set, and there is one")
    func byDefault() throws {
        let directory = try TemporaryDirectory()
        #expect(Pager(environment: ["PATH": directory.path]) == nil)
        #expect(Pager(environment: [:]) == nil)
        try Subprocess.run(["ln", "-s", "/bin/true", directory.path("less")])
        #expect(Pager(environment: ["PATH": "/nonexistent:\(directory.path)"])?.command == "less")
    }

    @Test("only less scrolls sideways, and not where LESS has other flags")
    func sideways() {
        func scrolls(_ command: String, _ environment: [String: String] = [:]) -> Bool {
            Pager(command: command, environment: environment).scrollsSideways
        }
        #expect(scrolls("less") && scrolls("/usr/bin/less -N") && scrolls("less", ["LESS": "-SR"]))
        #expect(!scrolls("more") && !scrolls("less", ["LESS": "FRX"]) && !scrolls("lesspipe"))
    }

    @Test("gets all that is written, and less's flags where none are set")
    func text() throws {
        let directory = try TemporaryDirectory()
        let text = String(repeating: "line\n", count: 100_000)
        let pager = Pager(
            command: "cat > \(directory.path("text")); echo $LESS > \(directory.path("less"))", environment: path)
        #expect(try pager.show { output in try output.write(text) })
        #expect(directory.read("text") == Array(text.utf8))
        #expect(directory.read("less") == Array("FRSX\n".utf8))
        let own = Pager(
            command: "echo $LESS > \(directory.path("own"))", environment: path.merging(["LESS": "i"]) { $1 })
        #expect(try own.show { _ in })
        #expect(directory.read("own") == Array("i\n".utf8))
    }

    @Test("one that is left early ends the output as a closed pipe does")
    func closed() throws {
        let pager = Pager(command: "head -n 1 > /dev/null", environment: path)
        #expect(throws: OutputError.closedPipe) {
            _ = try pager.show { output in
                for _ in 0..<1_000_000 { try output.write("line\n") }
            }
        }
    }

    @Test("one that is not there shows nothing, and the text comes without it")
    func missing() throws {
        let capture = try ConsoleCapture(outputTerminal: Terminal(isInteractive: true, width: 80))
        let pager = Pager(command: "exec no-such-pager 2> /dev/null", environment: path)
        let code = capture.console.deliver(through: pager) { output in try output.write("text\n") }
        #expect(code == .success)
        #expect(capture.output == "text\n")
    }

    @Test("is not used where stdout is no terminal")
    func pipe() throws {
        let capture = try ConsoleCapture()
        let pager = Pager(command: "false", environment: path)
        #expect(capture.console.deliver(through: pager) { output in try output.write("text\n") } == .success)
        #expect(capture.output == "text\n")
    }
}
