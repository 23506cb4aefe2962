import Glibc
import Reports

/// The process's two outputs: data on stdout, words for people on stderr.
struct Console: Sendable {
    let output: ByteOutput
    let outputTerminal: Terminal
    let errors: ByteOutput
    let errorTerminal: Terminal

    /// The process's own; from now on a closed pipe is an error of `write(2)`, not a signal.
    static func standard(environment: [String: String]) -> Console {
        signal(SIGPIPE, SIG_IGN)
        return Console(
            output: ByteOutput(standard: STDOUT_FILENO, capacity: 65_536),
            outputTerminal: Terminal(descriptor: STDOUT_FILENO, environment: environment),
            errors: ByteOutput(standard: STDERR_FILENO, capacity: 0),
            errorTerminal: Terminal(descriptor: STDERR_FILENO, environment: environment))
    }

    /// Takes the standard descriptors that were closed when the process began, lest the next file that is opened, such as
    /// the catalog, get the number of an output. Reading and writing still fail, as the C library has it for programs
    /// with more rights than their callers.
    ///
    /// To be called before anything is opened.
    static func takeClosedDescriptors() {
        for (descriptor, file, mode) in [
            (STDIN_FILENO, "/dev/full", O_WRONLY), (STDOUT_FILENO, "/dev/null", O_RDONLY),
            (STDERR_FILENO, "/dev/null", O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is given, and those below are taken.
            _ = open(file, mode)
        }
    }

    /// From now on a reader of an output is waited for while it takes nothing for at most so many microseconds.
    func limitWaiting(to microseconds: Int64) {
        output.limitWaiting(to: microseconds)
        errors.limitWaiting(to: microseconds)
    }

    /// Writes lines for people. Control characters other than line feeds are replaced. When stderr itself can't be
    /// written there is nobody to tell.
    func tell(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        try? errors.write(lines.map { displayable(String($0)) + "\n" }.joined())
    }

    /// Lets a command write its data, and empties the buffer. A reader that went away ends the command quietly.
    ///
    /// - Returns: success, or failed after words on stderr.
    func deliver(_ body: () throws -> Void) -> ExitCode {
        do {
            try body()
            try output.flush()
            return .success
        } catch OutputError.closedPipe {
            return .success
        } catch {
            complain("\(error)")
            return .failed
        }
    }

    /// Whether a person is there to answer.
    var canAsk: Bool { errorTerminal.isInteractive && isatty(STDIN_FILENO) == 1 }

    /// Asks on stderr, and reads a line of stdin.
    ///
    /// - Returns: whether the answer is yes; all else, and the end of the input, is no.
    func ask(_ question: String) -> Bool {
        try? errors.write("\(displayable(question)) [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Lets a command write a long text for people: through a pager where stdout is a terminal, and as ``deliver(_:)`` has
    /// it where it is none or the pager can't be run. `body` may be called a second time then.
    func deliver(through pager: Pager?, _ body: (ByteOutput) throws -> Void) -> ExitCode {
        if let pager, outputTerminal.isInteractive {
            do {
                if try pager.show(body) { return .success }
            } catch OutputError.closedPipe {
                return .success
            } catch {
                complain("\(error)")
                return .failed
            }
        }
        return deliver { try body(output) }
    }

    /// `runner: …`, for what ends a command.
    func complain(_ text: String) {
        tell("runner: \(text)")
    }
}
