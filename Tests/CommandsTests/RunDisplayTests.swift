import Glibc
import Synchronization
import Testing

@testable import Commands
@testable import Core

@Suite("Display of a run", .timeLimit(.minutes(1)))
struct RunDisplayTests {
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(0)
        func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
        var now: Int64 { time.withLock(\.self) }
    }

    private func display(_ style: RunDisplay.Style, _ capture: ConsoleCapture, _ clock: Clock) -> RunDisplay {
        RunDisplay(
            jobs: ["flags"], style: style, verbosity: .normal, console: capture.console, now: { clock.now },
            width: { 60 })
    }

    @Test("the live line is redrawn in place, steps aside for lines, and is erased at the end")
    func bar() throws {
        let (capture, clock) = (try ConsoleCapture(), Clock())
        let display = display(.bar, capture, clock)
        display.handle([.started(), .listing(2, isComplete: true)])
        display.tick()
        display.handle([.finished("Aruba", .failed())])
        display.finish()
        display.tick()
        let line = "flags [--------------------]  0 of 2 items, 0 B"
        #expect(
            capture.errors
                == "\r\u{1B}[K\(line)"
                + "\r\u{1B}[Kfailed  flags Aruba: http: 404 Not Found (http://127.0.0.1/vn.png)\n"
                + "flags [##########----------]  1 of 2 items, 0 B, 1 failed" + "\r\u{1B}[K")
        #expect(capture.output.isEmpty)
    }

    @Test("plain progress is a line every five seconds")
    func plain() throws {
        let (capture, clock) = (try ConsoleCapture(), Clock())
        let display = display(.plain, capture, clock)
        display.handle([.started(), .listing(2, isComplete: true)])
        for _ in 0..<120 {
            clock.advance(100_000)
            display.tick()
        }
        #expect(
            capture.errors.split(separator: "\n") == [
                "flags: 0 of 2 items, 0 B, 0 B/s", "flags: 0 of 2 items, 0 B, 0 B/s",
            ])
    }

    @Test("JSON goes to stdout, words to stderr")
    func json() throws {
        let (capture, clock) = (try ConsoleCapture(), Clock())
        let display = display(.json, capture, clock)
        display.handle([.warning("slow"), .listing(2, isComplete: true)])
        #expect(capture.output == #"{"event": "warning", "at": 1500000, "job": "flags", "message": "slow"}"# + "\n")
        #expect(capture.errors == "warning  flags: slow\n")
    }

    @Test("a reader that goes away does not stop the run")
    func closedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        let capture = try ConsoleCapture()
        let console = Console(
            output: ByteOutput(descriptor: ends[1], capacity: 0), outputTerminal: .none,
            errors: capture.console.errors, errorTerminal: .none)
        let display = RunDisplay(
            jobs: ["flags"], style: .json, verbosity: .normal, console: console, now: { 0 }, width: { 80 })
        display.handle([.warning("one")])
        display.handle([.warning("two")])
        #expect(capture.errors == "warning  flags: one\nwarning  flags: two\n")
        close(ends[1])
    }

    @Test(
        "a bar is for terminals, and quiet is quiet",
        arguments: [
            (ProgressStyle.automatic, Verbosity.normal, true, RunDisplay.Style.bar),
            (.automatic, .normal, false, .none),
            (.automatic, .quiet, true, .none),
            (.bar, .normal, false, .bar),
            (.plain, .normal, true, .plain),
            (.plain, .quiet, true, .none),
            (.none, .normal, true, .none),
            (.json, .quiet, false, .json),
        ])
    func style(wanted: ProgressStyle, verbosity: Verbosity, isTerminal: Bool, style: RunDisplay.Style) {
        #expect(RunDisplay.style(wanted, verbosity, on: Terminal(isInteractive: isTerminal, width: 80)) == style)
    }
}
