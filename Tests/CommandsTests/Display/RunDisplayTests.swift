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

    private static let size = ScreenSize(columns: 60, rows: 10)

    private func display(
        _ style: RunDisplay.Style, _ capture: ConsoleCapture, _ clock: Clock = Clock(), hasKeyboard: Bool = false
    ) -> RunDisplay {
        RunDisplay(
            jobs: ["flags"], style: style, verbosity: .normal, console: capture.console, hasKeyboard: hasKeyboard,
            now: { clock.now })
    }

    @Test("the screen is drawn in place, lines come above it, and at the end only the lines are left")
    func bar() throws {
        let capture = try ConsoleCapture()
        let display = display(.bar, capture)
        var screen = ScreenGrid(columns: 60, rows: 10)
        display.handle([.started(), .progress(0, of: 2)])
        #expect(capture.errors.isEmpty)
        display.draw(on: Self.size)
        screen.write(capture.errors)
        #expect(screen.lines == ["flags: 0 of 2 items, 0 s so far, 0 B"])
        display.handle([.finished("Aruba", .failed()), .progress(1, failed: 1, of: 2)])
        display.draw(on: Self.size)
        screen = ScreenGrid(columns: 60, rows: 10)
        screen.write(capture.errors)
        let failure = ["failed  flags Aruba: http: 404 Not Found (http://127.0.0.1/v", "n.png)"]
        #expect(screen.lines == failure + ["flags: 1 of 2 items, 1 failed, 0 s so far, 0 B"])
        display.handle([.ended(.of { $0.failed = 1 })])
        display.finish()
        display.draw(on: Self.size)
        screen = ScreenGrid(columns: 60, rows: 10)
        screen.write(capture.errors)
        // The space is in the last column.
        let figures = ["flags: 0 downloaded, 0 unchanged, 0 fresh, 1 failed, 0 B in", "1.4 s"]
        #expect(screen.lines == failure + figures + ["more: runner report flags --failures"])
        #expect(screen.isCursorVisible)
        #expect(capture.output.isEmpty)
    }

    @Test("what has not changed is not written again")
    func unchanged() throws {
        let capture = try ConsoleCapture()
        let display = display(.bar, capture)
        display.handle([.started(), .progress(0, of: 2)])
        display.draw(on: Self.size)
        let first = capture.errors
        display.draw(on: Self.size)
        #expect(capture.errors == first)
    }

    @Test("in the background lines are written and no screen is drawn")
    func background() throws {
        let capture = try ConsoleCapture()
        let display = display(.bar, capture)
        display.handle([.started(), .progress(0, of: 2), .warning("slow")])
        display.draw(on: nil)
        display.finish()
        #expect(capture.errors == "warning  flags: slow\n")
    }

    @Test("the keys are shown where there is a keyboard, all of them on request")
    func keys() throws {
        let capture = try ConsoleCapture()
        let display = display(.bar, capture, hasKeyboard: true)
        display.handle([.started(), .progress(0, of: 2)])
        display.draw(on: Self.size)
        #expect(capture.errors.contains("p pause   +/- concurrency (16)   q stop   ? help"))
        display.toggleHelp()
        display.draw(on: Self.size)
        #expect(capture.errors.contains("q    stop: what is in flight may end; again: at once"))
    }

    @Test("plain progress is a line every five seconds")
    func plain() throws {
        let (capture, clock) = (try ConsoleCapture(), Clock())
        let display = display(.plain, capture, clock)
        display.handle([.started(), .progress(0, of: 2)])
        for _ in 0..<120 {
            clock.advance(100_000)
            display.draw(on: nil)
        }
        #expect(
            capture.errors.split(separator: "\n") == [
                "flags: 0 of 2 items, 5 s so far, 0 B/s, 0 B", "flags: 0 of 2 items, 10 s so far, 0 B/s, 0 B",
            ])
    }

    @Test("JSON goes to stdout, words to stderr")
    func json() throws {
        let capture = try ConsoleCapture()
        let display = display(.json, capture)
        display.handle([.warning("slow"), .progress(0, of: 2)])
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
        let display = RunDisplay(jobs: ["flags"], style: .json, verbosity: .normal, console: console, now: { 0 })
        display.handle([.warning("one")])
        display.handle([.warning("two")])
        #expect(capture.errors == "warning  flags: one\nwarning  flags: two\n")
        close(ends[1])
    }

    @Test(
        "a screen is for terminals, and quiet is quiet",
        arguments: [
            (ProgressStyle.automatic, Verbosity.normal, true, RunDisplay.Style.bar),
            (.automatic, .normal, false, .none),
            (.automatic, .quiet, true, .none),
            (.bar, .normal, false, .plain),
            (.plain, .normal, true, .plain),
            (.plain, .quiet, true, .none),
            (.none, .normal, true, .none),
            (.json, .quiet, false, .json),
        ])
    func style(wanted: ProgressStyle, verbosity: Verbosity, isTerminal: Bool, style: RunDisplay.Style) {
        #expect(RunDisplay.style(wanted, verbosity, on: Terminal(isInteractive: isTerminal, width: 80)) == style)
    }

    @Test("a terminal whose cursor can't be moved has lines")
    func dumb() {
        var terminal = Terminal()
        terminal.isTerminal = true
        #expect(RunDisplay.style(.automatic, .normal, on: terminal) == .plain)
        #expect(RunDisplay.style(.automatic, .quiet, on: terminal) == .none)
    }

    @Test("only what is read is made")
    func interest() {
        #expect(RunDisplay.interest(.none, .normal) == EventInterest(includesItems: false))
        #expect(RunDisplay.interest(.json, .normal) == EventInterest(includesItems: true, activityInterval: 1_000_000))
        #expect(RunDisplay.interest(.bar, .normal) == EventInterest(includesItems: false, activityInterval: 100_000))
        #expect(RunDisplay.interest(.bar, .verbose).includesItems)
    }
}
