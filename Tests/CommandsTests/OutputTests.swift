import Foundation
import Glibc
import Testing

@testable import Commands

@Suite("Output", .timeLimit(.minutes(1)))
struct OutputTests {
    @Test("text reaches a slow pipe whole")
    func slowPipe() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let text = String(repeating: "0123456789", count: 100_000)
        let thread = Thread {
            let output = ByteOutput(descriptor: writer, capacity: 0)
            try? output.write(text)
            close(writer)
        }
        thread.start()
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let got = read(reader, &buffer, buffer.count)
            if got == 0 { break }
            if got > 0 {
                count += got
            } else {
                var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, -1)
            }
        }
        close(reader)
        #expect(count == text.utf8.count)
    }

    @Test("a closed pipe ends a command quietly, a full disk does not")
    func failures() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        let capture = try ConsoleCapture()
        func deliver(to descriptor: Int32) -> ExitCode {
            let console = Console(
                output: ByteOutput(descriptor: descriptor, capacity: 100), outputTerminal: .none,
                errors: capture.console.errors, errorTerminal: .none)
            return console.deliver { try console.output.write("text") }
        }
        #expect(deliver(to: ends[1]) == .success)
        #expect(capture.errors.isEmpty)
        let full = open("/dev/full", O_WRONLY)
        #expect(deliver(to: full) == .failed)
        #expect(capture.errors == "runner: cannot write the output: No space left on device\n")
        close(full)
        close(ends[1])
    }

    @Test("a file is written whole or stays as it was")
    func wholeFile() throws {
        struct Fault: Error {}
        let folder = FileManager.default.temporaryDirectory.appending(path: "whole-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "report.txt").path()
        try WholeFile.write(to: path) { try $0.write("first") }
        #expect(throws: Fault.self) {
            try WholeFile.write(to: path) { output in
                try output.write(String(repeating: "x", count: 100_000))
                throw Fault()
            }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["report.txt"])
        try WholeFile.write(to: path) { try $0.write("second") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "second")
        #expect(throws: OutputFileError(path: "/dev/full", code: ENOSPC)) {
            try WholeFile.write(to: "/dev/full") { try $0.write("x") }
        }
        #expect(throws: OutputFileError(path: "/nonexistent/x", code: ENOENT)) {
            try WholeFile.write(to: "/nonexistent/x") { try $0.write("x") }
        }
    }
}
