import Glibc

@testable import Commands

/// A console whose two outputs are files that a test reads back.
final class ConsoleCapture {
    private let files: (output: Int32, errors: Int32)
    let console: Console

    struct Fault: Error {}

    init(outputTerminal: Terminal = .none) throws {
        guard let output = tmpfile(), let errors = tmpfile() else { throw Fault() }
        // The streams stay open as long as the process; a test makes few.
        files = (fileno(output), fileno(errors))
        console = Console(
            output: ByteOutput(descriptor: files.output, capacity: 65_536), outputTerminal: outputTerminal,
            errors: ByteOutput(descriptor: files.errors, capacity: 0), errorTerminal: .none)
    }

    /// Everything written to stdout that was flushed.
    var output: String { read(files.output) }
    var errors: String { read(files.errors) }

    private func read(_ file: Int32) -> String {
        let size = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        let count = pread(file, &bytes, size, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
