import Glibc

/// A program under test: its output as it comes, signals to it, and how it ends.
///
/// It is killed when the value goes, and when it does not end in time.
package final class RunningProgram: Sendable {
    /// How a process ended, as waitpid(2) tells it.
    package enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    /// An ended program.
    package struct Result: Sendable {
        package let ending: Ending
        /// All that it wrote to its standard output.
        package let output: String
        /// All that it wrote to its standard error.
        package let errors: String
        /// The most bytes that were resident of it, or of a process that it started and waited for.
        package let peakMemory: Int

        /// The lines of its standard output.
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        /// Streams that may still bring something.
        var openStreams = 0
        var ending: Ending?
        var peakMemory = 0
    }

    package let processID: Int32
    private let state: Monitor<State>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: all of it; nothing is inherited.
    ///   - directory: the folder it starts in.
    ///   - output: a descriptor for its standard output, which is gathered where this is nil.
    ///   - line: called with each line of the standard output and its number from 0, on a thread of its own.
    package init(
        _ arguments: [String], environment: [String: String], directory: String, output descriptor: Int32? = nil,
        line: (@Sendable (_ number: Int, _ text: String, _ processID: Int32) -> Void)? = nil
    ) throws {
        let output = descriptor == nil ? try Pipe() : nil
        let errors = try Pipe()
        processID = try Self.spawn(
            arguments, environment, directory, output: descriptor ?? output?.writing ?? -1, errors: errors.writing)
        output.map { _ = close($0.writing) }
        close(errors.writing)

        let state = Monitor(State(openStreams: output == nil ? 1 : 2))
        self.state = state
        let processID = processID
        if let output {
            spawnThread { Self.read(output.reading, state, \.output) { line?($0, $1, processID) } }
        }
        spawnThread { Self.read(errors.reading, state, \.errors) { _, _ in } }
        spawnThread {
            // The zombie stays until the state is changed, so that a signal never meets another process of its number.
            var information = siginfo_t()
            while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            state.withLock { state in
                var status: Int32 = 0
                var usage = rusage()
                wait4(processID, &status, 0, &usage)
                state.peakMemory = usage.ru_maxrss << 10
                state.ending = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
            }
        }
    }

    deinit {
        send(SIGKILL)
    }

    /// Sends a signal; nothing happens when the program has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            if state.ending == nil { _ = kill(processID, signal) }
        }
    }

    /// Waits for the end, and for all that was written before it.
    package func wait(seconds: Int = 60) throws -> Result {
        let result = state.wait(seconds: seconds) { state -> Result? in
            guard let ending = state.ending, state.openStreams == 0 else { return nil }
            return Result(
                ending: ending, output: String(decoding: state.output, as: UTF8.self),
                errors: String(decoding: state.errors, as: UTF8.self), peakMemory: state.peakMemory)
        }
        if let result {
            if let report = SanitizerReport.text(of: processID, errors: result.errors) {
                throw TestSupportError(report)
            }
            return result
        }
        send(SIGKILL)
        throw TestSupportError("the program does not end; so far it wrote:\n\(written)")
    }

    /// Waits until the standard output so far fulfils a condition.
    package func waitForOutput(until condition: (String) -> Bool) throws {
        try wait(for: \.output, condition)
    }

    /// Waits until the standard error so far fulfils a condition.
    package func waitForErrors(until condition: (String) -> Bool) throws {
        try wait(for: \.errors, condition)
    }

    private func wait(for stream: KeyPath<State, [UInt8]>, _ condition: (String) -> Bool) throws {
        let isFulfilled = state.wait { state -> Bool? in
            if condition(String(decoding: state[keyPath: stream], as: UTF8.self)) { return true }
            return state.openStreams == 0 ? false : nil
        }
        guard isFulfilled == true else { throw TestSupportError("what was awaited never came:\n\(written)") }
    }

    private var written: String {
        state.withLock { String(decoding: $0.output + $0.errors, as: UTF8.self) }
    }

    private static func read(
        _ descriptor: Int32, _ state: Monitor<State>, _ stream: any WritableKeyPath<State, [UInt8]> & Sendable,
        line: (Int, String) -> Void
    ) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var rest: [UInt8] = []
        var number = 0
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            state.withLock { $0[keyPath: stream] += buffer[..<count] }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line(number, String(decoding: rest[..<end], as: UTF8.self))
                number += 1
                rest.removeSubrange(...end)
            }
        }
        close(descriptor)
        state.withLock { $0.openStreams -= 1 }
    }

    /// Two ends that no other program inherits. A pair of sockets, since POSIX has no pipe(2) that is closed on exec.
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw TestSupportError("no pair of sockets") }
            (reading, writing) = (ends[0], ends[1])
        }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ directory: String, output: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)

        // env(1) changes the folder and becomes the program.
        let arguments = ["/usr/bin/env", "--chdir=\(directory)"] + arguments
        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var identifier = pid_t()
        let code = withSpawnAttributes { attributes in
            posix_spawn(&identifier, arguments[0], &actions, attributes, &words, &variables)
        }
        guard code == 0 else {
            throw TestSupportError("cannot start \(arguments[2]): \(String(cString: strerror(code)))")
        }
        return identifier
    }
}
