internal import CLinux
internal import Glibc
package import MediaProtocol
internal import Synchronization

/// A renderer: one process of `runner-media`, which makes the pictures of one file at a time.
///
/// Blocks; used on one thread at a time. The process is killed with the value.
package final class RenderProcess {
    /// Why there is no renderer.
    package struct StartError: Error, CustomStringConvertible {
        package let description: String
        /// Whether it was killed from outside: another may well start.
        package var isTransient = false
    }

    /// The end of a renderer while it made the pictures of a file.
    package struct Ended: Error, CustomStringConvertible {
        /// For people.
        package let description: String
        /// Whether the renderer ended by itself, as one does whose decoder has a fault; else something outside ended it,
        /// such as the system that was short of memory, or it had no processor for long. Then nothing is known of the file.
        package let isOwnDoing: Bool
        /// Whether another try may be worth its time.
        package let isWorthAnotherTry: Bool
    }

    /// Until a renderer that was started is ready; microseconds.
    private static let startTime: Int64 = 20_000_000
    /// How much of the processor one file may use, seconds, and how long it may take, microseconds: another process may
    /// have the processor.
    static let cpuSeconds = 30
    private static let longestTime: Int64 = 120_000_000
    /// Bytes of all pictures of one file.
    private static let mostBytes = 1 << 30
    private static let mostPictures = 20_000

    package let processID: Int32
    private var channel: MediaChannel
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var ending: Int32?
    /// Whether the process was killed here, which says nothing of why.
    private var isKilled = false
    private let socket: Int32
    private let isInterrupted = Atomic(false)
    /// What the renderer says of itself: "libvips 8.14.1".
    package private(set) var version = ""

    /// Whether the process takes another file.
    package var isAlive: Bool { ending == nil }

    /// Starts a renderer and waits until it is ready.
    package init(program: String) throws(StartError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw StartError(description: "no pair of sockets: \(String(cString: strerror(errno)))")
        }
        let (process, code) = Self.spawn(program, input: ends[1])
        close(ends[1])
        processID = process
        socket = ends[0]
        channel = MediaChannel(socket: ends[0], owned: true)
        guard code == 0 else {
            ending = 0
            throw StartError(description: "\(program) can't be started: \(String(cString: strerror(code)))")
        }
        channel.deadline = monotonicMicroseconds() + Self.startTime
        let reply = Result { () throws(ChannelError) in try channel.receiveReply() }
        switch reply {
        case .success(.ready(let version)):
            self.version = version
        case .success(.unable(let reason)):
            end()
            throw StartError(description: "\(program) refuses to work: \(reason)")
        case .success:
            end()
            throw StartError(description: "\(program) does not say what it should; is it another version's?")
        case .failure:
            let status = waitShortly()
            throw StartError(
                description: "\(program) does not start: \(Self.words(for: status))",
                isTransient: Self.isForeign(status) && !isKilled)
        }
    }

    deinit {
        end()
        buffer.deallocate()
    }

    /// Has the pictures of a file made.
    ///
    /// - Parameters:
    ///   - file: a descriptor open for reading, whose position is lost.
    ///   - cpuSeconds: how much of the processor the file may use.
    ///   - begin: called before the bytes of each picture.
    ///   - append: takes the next bytes of that picture.
    /// - Returns: what could not be made. After a limit was reached ``isAlive`` is false.
    /// - Throws: ``Ended``, after which ``isAlive`` is false; what the closures throw, after which the renderer is as good as
    ///   before.
    package func render(
        file: Int32, _ settings: RenderSettings, cpuSeconds: Int = cpuSeconds,
        begin: (RenderedPicture) throws -> Void,
        append: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> [RenderFault] {
        var faults: [RenderFault] = []
        var fault: (any Error)?
        var total = 0
        var count = 0
        channel.deadline = monotonicMicroseconds() + Self.longestTime
        do throws(ChannelError) {
            try channel.send(RenderRequest(settings: settings, cpuSeconds: cpuSeconds), file: file)
            while true {
                switch try channel.receiveReply() {
                case .picture(let picture):
                    total += picture.size
                    count += 1
                    guard total <= Self.mostBytes, count <= Self.mostPictures else { throw .malformed }
                    if fault == nil { do { try begin(picture) } catch { fault = error } }
                    let isWanted = fault == nil
                    let failure = try channel.receive(picture.size, into: buffer) { bytes in
                        if isWanted { try append(bytes) }
                    }
                    fault = fault ?? failure
                case .fault(let found):
                    if faults.count < 100 { faults.append(found) }
                case .done:
                    guard fault == nil else { throw .broken }
                    return faults
                case .ready, .unable:
                    throw .malformed
                }
            }
        } catch {
            if let fault { throw fault }
            return faults + [try self.fault(after: error, cpuSeconds)]
        }
    }

    /// What the end of the conversation says of the file, where it says something.
    private func fault(after error: ChannelError, _ cpuSeconds: Int) throws(Ended) -> RenderFault {
        if error == .timedOut {
            end()
            throw Ended(
                description: "its pictures are not made within \(Self.longestTime / 1_000_000) s, "
                    + "most of which the renderer has waited",
                isOwnDoing: false, isWorthAnotherTry: false)
        }
        let status = error == .broken && !wasInterrupted ? waitShortly() : end()
        if wasInterrupted || isKilled {
            return RenderFault(.corrupt, "the renderer says what it never says, or nothing")
        }
        switch status & 0x7F {
        case SIGXCPU:
            return RenderFault(
                .timeout, "its pictures are not made within \(cpuSeconds) s of the processor's time")
        case SIGXFSZ:
            return RenderFault(.tooLarge, "decoding it needs too much memory")
        default:
            let isForeign = Self.isForeign(status)
            throw Ended(
                description: isForeign
                    ? "the renderer was ended from outside (\(Self.words(for: status))), perhaps for want of memory"
                    : "decoding it needs too much memory or ends the renderer: \(Self.words(for: status))",
                isOwnDoing: !isForeign, isWorthAnotherTry: true)
        }
    }

    /// Whether a process ended by a signal that no limit and no fault of its own sends.
    private static func isForeign(_ status: Int32) -> Bool {
        ![0, SIGXCPU, SIGXFSZ, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS].contains(status & 0x7F)
    }

    /// Breaks off what is being made. May be called from any thread; the renderer is of no more use.
    package func interrupt() {
        isInterrupted.store(true, ordering: .releasing)
        // Whoever reads meets the end. It is closed with this value only, so that the number is no other file's.
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Whether ``interrupt()`` was called: then what a file lacks says nothing of it.
    package var wasInterrupted: Bool { isInterrupted.load(ordering: .acquiring) }

    // MARK: The process

    private func wait() -> Int32 {
        if let ending { return ending }
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        ending = status
        return status
    }

    /// Waits for a process that has closed its end and so is about to be over; one that is not is killed.
    private func waitShortly() -> Int32 {
        let process = clinux_open_process(processID)
        if process >= 0 {
            // Readable when the process is over.
            var wait = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
            while poll(&wait, 1, 2_000) < 0, errno == EINTR {}
            close(process)
        }
        return end()
    }

    @discardableResult
    private func end() -> Int32 {
        if let ending { return ending }
        var status: Int32 = 0
        if waitpid(processID, &status, WNOHANG) == processID {
            ending = status
            return status
        }
        isKilled = true
        kill(processID, SIGKILL)
        return wait()
    }

    private static func words(for status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "exit status \(status >> 8 & 0xFF)" : "\(String(cString: strsignal(signal)))"
    }

    /// The process has the socket, nothing else of this one's, and hardly an environment.
    private static func spawn(_ program: String, input: Int32) -> (pid_t, code: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals of the terminal are the program's to answer; it ends its renderers.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        var words = [strdup(program), nil]
        // Swift would start a program to tell of a crash.
        var variables = [strdup("LANG=C.UTF-8"), strdup("TZ=UTC0"), strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for word in words + variables { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, &attributes, &words, &variables)
        return (process, code)
    }
}
