internal import CLinux
internal import Dispatch
internal import Glibc
internal import HTTP
import System

/// This program once more, in a session of its own: it lives on when the page ends, and no signal of the page's terminal
/// reaches it.
final class ChildProgram: Sendable {
    let pid: Int32
    /// What it writes to stderr, in memory.
    private let words: Int32
    /// The status of waitpid(2) once it is over.
    private let status = Locked<Int32?>(nil)

    /// So much of what it writes is read.
    private static let longestWords = 16 * 1024

    /// - Parameters:
    ///   - whenOver: called on a queue of the child's, with this object.
    /// - Throws: `ChildError`.
    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        whenOver: @escaping @Sendable (ChildProgram) -> Void = { _ in }
    ) throws(ChildError) {
        words = clinux_memory_file("words")
        guard words >= 0 else { throw ChildError(errno) }
        let (code, pid) = Self.spawn(program, arguments, environment, words)
        guard code == 0 else {
            close(words)
            throw ChildError(code)
        }
        self.pid = pid
        // Waits for the end on a thread of its own: there are few such children, and each lives long.
        DispatchQueue(label: "page child").async {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            self.status.withLock { $0 = status }
            whenOver(self)
        }
    }

    deinit {
        close(words)
    }

    /// Nil while it runs; 128 and the signal where that ended it.
    var exitCode: Int32? {
        status.withLock { $0 }.map { $0 & 0x7f == 0 ? $0 >> 8 & 0xff : 128 + ($0 & 0x7f) }
    }

    /// What it wrote to stderr so far, its beginning.
    var text: String {
        var bytes = [UInt8](repeating: 0, count: Self.longestWords)
        let count = pread(words, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ words: Int32
    ) -> (code: Int32, pid: pid_t) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that this process ignores or blocks are as usual there.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | 0x80  // POSIX_SPAWN_SETSID
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, words, 2)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
        return (code, pid)
    }
}

/// The program could not be started.
struct ChildError: Error, CustomStringConvertible {
    let code: Int32

    init(_ code: Int32) {
        self.code = code
    }

    var description: String { String(cString: strerror(code)) }
}
