import CLinux
import CProcess
import Dispatch
import Glibc
import HTTP
import System

/// A script while it runs: lines to it, lines from it, and its end.
///
/// A thread of its own starts the script, moves the bytes and ends it. The script runs under a guard, a process that ends it
/// with all that it has started when that thread is gone: nothing outlives this process, however it ends.
final class ScriptProcess: @unchecked Sendable {  // what the thread does not own is behind the lock
    /// What is started.
    struct Launch: Sendable {
        /// The program's path.
        var program: String
        /// The arguments, without the program's own name.
        var arguments: [String]
        var environment: [String: String]
        /// The folder in which it runs.
        var folder: String
        /// A script that writes no line for so many microseconds is ended.
        var idleTimeout: Int64 = 300_000_000
        /// How long a script that was asked to end may take, and then one that got SIGTERM. Microseconds.
        var endTime: Int64 = 10_000_000
        var terminationTime: Int64 = 5_000_000
    }

    /// How a script ended.
    struct End: Sendable, Equatable {
        enum Cause: Sendable, Equatable {
            case exited(Int32)
            case signal(Int32)
            /// It could not be started.
            case notStarted(String)
            /// It wrote nothing for the idle time.
            case idle
            /// It wrote a line of more than ``ScriptProcess/longestLine`` bytes.
            case longLine
        }

        var cause: Cause
        /// The last lines that it wrote to its standard error.
        var words: [String]
    }

    enum Event: Sendable {
        case lines([[UInt8]])
        case ended(End)
    }

    static let longestLine = 1 << 20
    /// Lines of standard error that are kept.
    private static let wordCount = 20
    /// How long its output may be silent after the script's own end, where what it has started still holds it.
    private static let lingerTime: Int64 = 2_000_000

    private struct Shared {
        var outgoing: [UInt8] = []
        var closesInput = false
        var isKilled = false
        /// Lines that wait to be taken. No more are read while there are any.
        var lines: [[UInt8]] = []
        /// Lines of standard error that are of importance, and have not been taken.
        var warnings: [String] = []
        var end: End?
        var waiter: (@Sendable (Event) -> Void)?
        /// Requests of the script that are under way: while there are any it may be silent.
        var requests = 0
    }

    private let launch: Launch
    private let shared = Locked(Shared())
    private let wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    // MARK: The thread's own

    /// The guard.
    private var process: pid_t = 0
    private var watch: Int32 = -1
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var errors: Int32 = -1
    private var incoming: [UInt8] = []
    private var words: [String] = []
    private var unfinishedWords: [UInt8] = []
    private var status: Int32?
    private var cause: End.Cause?
    /// Set while the script is being ended: when the next step is due.
    private var endStep: (due: Int64, signal: Int32)?
    private var isAskedToEnd = false
    private var hasKilled = false

    /// Starts the script.
    init(_ launch: Launch) {
        self.launch = launch
        // Signals are for the program's main thread. That SIGPIPE, too, is blocked makes writing to a script that reads no
        // more an error.
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        // Retained for the thread, which releases it.
        let code = pthread_create(&thread, nil, runScript, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread for a script: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    deinit { close(wakeup) }

    // MARK: From any thread

    /// Sends a line, whose end is added.
    func send(_ line: [UInt8]) {
        shared.withLock { shared in
            guard !shared.closesInput, shared.end == nil else { return }
            shared.outgoing += line
            shared.outgoing.append(0x0A)
        }
        wake()
    }

    /// Closes the script's standard input once all lines are sent, which asks it to end. One that does not gets SIGTERM
    /// after 10 s and SIGKILL 5 s later, with all that it has started.
    func finish() {
        shared.withLock { $0.closesInput = true }
        wake()
    }

    /// Ends the script at once, with all that it has started, and waits until it is over.
    func end() async {
        shared.withLock { $0.isKilled = true }
        wake()
        while case .lines = await next() {}
    }

    /// The next lines, at least one, or the end.
    func next() async -> Event {
        await withCheckedContinuation { continuation in
            take { continuation.resume(returning: $0) }
        }
    }

    /// The same, while the calling thread waits.
    func awaitNext() -> Event {
        let (arrival, event) = (DispatchSemaphore(value: 0), Locked<Event?>(nil))
        take { arrived in
            event.withLock { $0 = arrived }
            arrival.signal()
        }
        while true {
            arrival.wait()
            if let event = event.withLock({ $0 }) { return event }
        }
    }

    /// Hands on the next event, from this thread or the script's.
    private func take(_ receive: @escaping @Sendable (Event) -> Void) {
        let event: Event? = shared.withLock { shared in
            if !shared.lines.isEmpty {
                defer { shared.lines = [] }
                return .lines(shared.lines)
            }
            if let end = shared.end { return .ended(end) }
            shared.waiter = receive
            return nil
        }
        if let event { receive(event) }
        wake()
    }

    /// What the script wrote to its standard error as warnings and errors since the last call.
    func takeWarnings() -> [String] {
        shared.withLock { shared in
            defer { shared.warnings = [] }
            return shared.warnings
        }
    }

    /// Counts requests of the script that begin, and with a negative number those that end.
    func addRequests(_ count: Int) {
        shared.withLock { $0.requests += count }
        wake()
    }

    private func wake() {
        eventfd_write(wakeup, 1)
    }

    // MARK: The thread

    fileprivate func run() {
        clinux_name_thread("script")
        if let fault = start() {
            return end(.notStarted(fault))
        }
        var heard = now()
        while true {
            let (isReading, hasOutgoing, closes, isKilled, requests) = shared.withLock {
                ($0.lines.isEmpty, !$0.outgoing.isEmpty, $0.closesInput, $0.isKilled, $0.requests)
            }
            if isKilled, !hasKilled { kill() }
            if requests > 0 || !isReading { heard = now() }
            if closes, !hasOutgoing { askToEnd() }
            if status != nil, output < 0 { break }

            let idle = endStep == nil && isReading && output >= 0 ? heard + launch.idleTimeout : Int64.max
            let due = min(idle, endStep?.due ?? .max)
            var descriptors = [pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)]
            func add(_ descriptor: Int32, _ events: Int32) {
                if descriptor >= 0 { descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0)) }
            }
            if isReading { add(output, POLLIN) }
            add(errors, POLLIN)
            if hasOutgoing { add(input, POLLOUT) }
            if status == nil { add(watch, POLLIN) }
            let wait = due == .max ? -1 : Int32(clamping: max(0, (due - now() + 999) / 1_000))
            _ = poll(&descriptors, nfds_t(descriptors.count), wait)

            var count: UInt64 = 0
            eventfd_read(wakeup, &count)
            for ready in descriptors.dropFirst() where ready.revents != 0 {
                switch ready.fd {
                case output where output >= 0:
                    if readOutput() { heard = now() }
                case errors where errors >= 0: readErrors()
                case input where input >= 0: writeInput()
                case watch where status == nil: reap()
                default: break
                }
            }
            let time = now()
            if let step = endStep, time >= step.due {
                takeStep(step.signal, time)
            } else if endStep == nil, time >= idle {
                cause = cause ?? .idle
                kill()
            }
        }
        end(cause ?? .exited(0))
    }

    private func now() -> Int64 { Monotonic.now().microseconds }

    /// - Returns: why it could not be started.
    private func start() -> String? {
        var ends: [[Int32]] = []
        defer { for end in ends.joined() where end >= 0 { close(end) } }
        for _ in 0..<3 {
            var pair: [Int32] = [-1, -1]
            guard cprocess_pipe(&pair) == 0 else { return String(cString: strerror(errno)) }
            ends.append(pair)
        }
        var words = ([launch.program] + launch.arguments).map { strdup($0) } + [nil]
        var variables = launch.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        process = cprocess_spawn_guarded(
            launch.program, &words, &variables, launch.folder, ends[0][0], ends[1][1], ends[2][1])
        guard process > 0 else { return String(cString: strerror(errno)) }
        watch = clinux_open_process(process)
        (input, output, errors) = (ends[0][1], ends[1][0], ends[2][0])
        for descriptor in [input, output, errors] { cprocess_set_nonblocking(descriptor) }
        ends[0][1] = -1
        ends[1][0] = -1
        ends[2][0] = -1
        return nil
    }

    // MARK: Its streams

    /// - Returns: whether a line came.
    private func readOutput() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        guard count > 0 else {
            close(output)
            output = -1
            // A last line may have no end; of a script that was ended it is half a line.
            if !incoming.allSatisfy(Self.isBlank), !hasKilled { deliver([incoming]) }
            incoming = []
            if status == nil { askToEnd() }
            return true
        }
        if status != nil { endStep = (now() + Self.lingerTime, SIGHUP) }
        incoming += buffer[..<count]
        var lines: [[UInt8]] = []
        var start = incoming.startIndex
        while let end = incoming[start...].firstIndex(of: 0x0A) {
            if !incoming[start..<end].allSatisfy(Self.isBlank) { lines.append(Array(incoming[start..<end])) }
            start = end + 1
        }
        incoming.removeFirst(start)
        let long = lines.firstIndex { $0.count > Self.longestLine }
        deliver(Array(lines[..<(long ?? lines.endIndex)]))
        if long != nil || incoming.count > Self.longestLine {
            cause = cause ?? .longLine
            kill()
            close(output)
            output = -1
            return true
        }
        return !lines.isEmpty
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0D || byte == 0x09 }

    private func deliver(_ lines: [[UInt8]]) {
        guard !lines.isEmpty else { return }
        let waiter = shared.withLock { shared -> (@Sendable (Event) -> Void)? in
            guard let waiter = shared.waiter else {
                shared.lines += lines
                return nil
            }
            shared.waiter = nil
            return waiter
        }
        waiter?(.lines(lines))
    }

    private func readErrors() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(errors, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            if !unfinishedWords.isEmpty { note(unfinishedWords[...]) }
            close(errors)
            errors = -1
            return
        }
        unfinishedWords += buffer[..<count]
        while let end = unfinishedWords.firstIndex(of: 0x0A) {
            note(unfinishedWords[..<end])
            unfinishedWords.removeFirst(end + 1)
        }
        // Nobody reads a longer line.
        if unfinishedWords.count > 65_536 { unfinishedWords.removeAll() }
    }

    /// Takes a line of standard error; `W! ` and `E! ` at its front make it one that people are shown.
    private func note(_ bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes.prefix(2_000), as: UTF8.self)
        guard !text.isEmpty else { return }
        words.append(text)
        if words.count > Self.wordCount { words.removeFirst() }
        guard text.hasPrefix("W! ") || text.hasPrefix("E! ") else { return }
        shared.withLock { shared in
            if shared.warnings.count < 100 { shared.warnings.append(String(text.dropFirst(3))) }
        }
    }

    private func writeInput() {
        shared.withLock { shared in
            let count = shared.outgoing.withUnsafeBytes { write(input, $0.baseAddress, min($0.count, 65_536)) }
            if count > 0 {
                shared.outgoing.removeFirst(count)
            } else if errno != EAGAIN, errno != EINTR {
                // It reads no more.
                shared.outgoing = []
                shared.closesInput = true
            }
        }
    }

    // MARK: Its end

    private func askToEnd() {
        guard !isAskedToEnd else { return }
        isAskedToEnd = true
        if input >= 0 { close(input) }
        input = -1
        if status == nil { endStep = (now() + launch.endTime, SIGTERM) }
    }

    private func takeStep(_ signal: Int32, _ time: Int64) {
        guard status == nil else {
            guard shared.withLock({ $0.lines.isEmpty }) else {
                endStep = (time + Self.lingerTime, signal)
                return
            }
            // What it has started holds its output, in a session of its own.
            if output >= 0 { close(output) }
            output = -1
            endStep = nil
            return
        }
        Glibc.kill(process, signal)
        endStep = (time + launch.terminationTime, SIGHUP)
    }

    /// Ends the script at once, with all that it has started.
    private func kill() {
        hasKilled = true
        isAskedToEnd = true
        if input >= 0 { close(input) }
        input = -1
        guard status == nil else { return }
        Glibc.kill(process, SIGHUP)
        endStep = (now() + launch.terminationTime, SIGHUP)
    }

    private func reap() {
        var code: Int32 = 0
        guard waitpid(process, &code, WNOHANG) == process else { return }
        status = code
        let signal = code & 0x7F
        cause = cause ?? (signal == 0 ? .exited(code >> 8 & 0xFF) : .signal(signal))
        endStep = (now() + Self.lingerTime, SIGHUP)
    }

    private func end(_ cause: End.Cause) {
        if errors >= 0 { readErrors() }
        for descriptor in [input, output, errors, watch] where descriptor >= 0 { close(descriptor) }
        let end = End(cause: cause, words: words)
        let waiter = shared.withLock { shared -> (@Sendable (Event) -> Void)? in
            shared.end = end
            defer { shared.waiter = nil }
            return shared.waiter
        }
        waiter?(.ended(end))
    }
}

private func runScript(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The initializer always gives a retained process.
    context.map { Unmanaged<ScriptProcess>.fromOpaque($0).takeRetainedValue().run() }
    return nil
}
