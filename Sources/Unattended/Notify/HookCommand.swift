import CLinux
import CProcess
import Glibc
import System

/// Starts a program of the operator's with JSON on its standard input, without a shell, in a process group of its own that is
/// gone when it ends or its time is up.
package struct HookCommand: Sendable {
    package var words: [String]
    /// The folder that it runs in, and that its path is seen from.
    package var folder: String
    package var environment: [String: String]
    /// How long it may take, and then how long it has after SIGTERM. Microseconds.
    package var time: Int64 = 30_000_000
    package var graceTime: Int64 = 5_000_000

    package init(_ words: [String], in folder: String, environment: [String: String]) {
        self.words = words
        self.folder = folder
        self.environment = environment
    }

    package struct End: Sendable, Hashable {
        /// What is wrong with how it ended; nil for exit code 0.
        package var problem: String?
        /// What it wrote, to either stream; the beginning.
        package var output: String
    }

    /// Bytes of its output that are kept.
    private static let longestOutput = 4_096

    /// Runs it to its end. Blocks: not from the cooperative pool.
    package func run(input: [UInt8]) -> End {
        let name = words.first ?? ""
        let searched = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        guard let program = executablePath(of: name, in: folder, searching: searched) else {
            return End(problem: "\(name) is not an executable file; chmod +x makes one", output: "")
        }
        // A file in memory: nobody waits for a program that does not read.
        let inputFile = Descriptor(owning: clinux_memory_file("event"))
        guard inputFile.raw >= 0, input.withUnsafeBytes({ writeAll($0, to: inputFile.raw, at: 0) }) == 0 else {
            return End(problem: "no memory for its input", output: "")
        }
        var ends: [Int32] = [-1, -1]
        guard cprocess_pipe(&ends) == 0 else { return End(problem: String(cString: strerror(errno)), output: "") }
        let reading = Descriptor(owning: ends[0])
        let writing = Descriptor(owning: ends[1])
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        // The process that ends with this thread, and takes all with it that was started.
        let process = cprocess_spawn_guarded(
            program, &arguments, &variables, folder, inputFile.raw, writing.raw, writing.raw)
        guard process > 0 else { return End(problem: String(cString: strerror(errno)), output: "") }
        _ = writing.close()
        cprocess_set_nonblocking(reading.raw)
        return follow(process, reading.raw)
    }

    /// Reads what it writes until it has ended.
    private func follow(_ process: pid_t, _ reading: Int32) -> End {
        let watch = Descriptor(owning: clinux_open_process(process))
        var due = Monotonic.now().advanced(byMicroseconds: time)
        var next = SIGTERM
        var isLate = false
        var output: [UInt8] = []
        var isOpen = true
        while true {
            var descriptors = [
                pollfd(fd: watch.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOpen ? reading : -1, events: Int16(POLLIN), revents: 0),
            ]
            let wait = next == 0 ? -1 : Int32(clamping: max(0, (due - Monotonic.now() + 999) / 1_000))
            _ = poll(&descriptors, 2, wait)
            if isOpen, descriptors[1].revents != 0 { isOpen = Self.read(reading, &output) }
            if descriptors[0].revents != 0 { break }
            guard next != 0, Monotonic.now() >= due else { continue }
            isLate = true
            // The guard passes SIGTERM on, and takes SIGHUP for the end of everything.
            kill(process, next)
            due = due.advanced(byMicroseconds: graceTime)
            next = next == SIGTERM ? SIGHUP : 0
        }
        var status: Int32 = 0
        _ = uninterrupted { waitpid(process, &status, 0) }
        while isOpen, output.count < Self.longestOutput {
            let count = output.count
            isOpen = Self.read(reading, &output) && output.count > count
        }
        let words = String(decoding: output.prefix(Self.longestOutput), as: UTF8.self)
        return End(problem: isLate ? "it took longer than \(time / 1_000_000) s" : Self.problem(status), output: words)
    }

    /// - Returns: false at the end.
    private static func read(_ descriptor: Int32, _ output: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if output.count < longestOutput { output += buffer[..<count] }
        return count > 0
    }

    private static func problem(_ status: Int32) -> String? {
        let signal = status & 0x7F
        if signal != 0 { return "it ended by signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "it ended with exit code \(code)"
    }
}
