import Glibc

/// A program that a test started, and ends by its process id.
package final class Subprocess: Sendable {
    package let processID: Int32

    /// Starts a program, found in PATH, with its output and errors in the file `log` or nowhere.
    package init(_ arguments: [String], log: String? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier = pid_t()
        let code = withSpawnAttributes { attributes in
            posix_spawnp(&identifier, arguments[0], &actions, attributes, &words, environ)
        }
        guard code == 0 else {
            throw TestSupportError("cannot start \(arguments[0]): \(String(cString: strerror(code)))")
        }
        processID = identifier
    }

    /// Runs a program to its end; throws unless its status is 0.
    package static func run(_ arguments: [String]) throws {
        let status = try Subprocess(arguments).wait()
        guard status == 0 else { throw TestSupportError("\(arguments.joined(separator: " ")): status \(status)") }
    }

    /// Waits for the end; returns the exit status, or 128 and the signal's number.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    /// Asks the program to end, and waits for it.
    package func terminate() {
        kill(processID, SIGTERM)
        wait()
    }

    /// Whether it has ended; after that it must not be waited for.
    func hasEnded() -> Bool {
        var status: Int32 = 0
        return waitpid(processID, &status, WNOHANG) == processID
    }
}
