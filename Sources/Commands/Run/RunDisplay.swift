import Core
import Dispatch
import Reports
import Synchronization

/// Shows a session: reads its events, writes lines, the live line and JSON. It never holds the session up for more than
/// one write.
final class RunDisplay: Sendable {
    /// What `--progress` comes to on the outputs at hand.
    enum Style: Sendable {
        case none, bar, plain, json
    }

    /// Everything that events and ticks change; both may come at a time, from different threads.
    private struct State {
        var lines: RunLines
        var progress: Progress
        var meter: RateMeter
        /// Whether the live line is on the screen.
        var isDrawn = false
        var lastPlainLine: Int64
        var isOutputClosed = false
        var isFinished = false
    }

    /// Microseconds between two lines of `--progress plain`.
    static let plainInterval: Int64 = 5_000_000

    private let console: Console
    private let style: Style
    private let now: @Sendable () -> Int64
    private let width: @Sendable () -> Int
    private let state: Mutex<State>

    /// `now` tells monotonic microseconds, `width` the columns of the terminal behind stderr, at each drawing.
    init(
        jobs: [String], style: Style, verbosity: Verbosity, console: Console, now: @escaping @Sendable () -> Int64,
        width: @escaping @Sendable () -> Int
    ) {
        self.console = console
        self.style = style
        self.now = now
        self.width = width
        let start = now()
        state = Mutex(
            State(
                lines: RunLines(verbosity: verbosity, hasColour: console.errorTerminal.hasColour),
                progress: Progress(jobs: jobs), meter: RateMeter(start: start), lastPlainLine: start))
    }

    /// Chooses the style: a bar by default on a terminal; nothing of the kind under `--quiet`.
    static func style(_ wanted: ProgressStyle, _ verbosity: Verbosity, on terminal: Terminal) -> Style {
        switch wanted {
        case .json: .json
        case _ where verbosity == .quiet: .none
        case .none: .none
        case .plain: .plain
        case .bar: .bar
        case .automatic: terminal.isInteractive ? .bar : .none
        }
    }

    /// Takes a batch of events, in order.
    func handle(_ events: [RunEvent]) {
        state.withLock { state in
            var text = ""
            var json = JSONWriter()
            for event in events {
                state.progress.apply(event)
                text += state.lines.lines(for: event)
                if style == .json { EventLine.append(event, to: &json) }
            }
            if !json.bytes.isEmpty { writeOutput(json.bytes, &state) }
            if !text.isEmpty { writeLines(text, &state) }
        }
    }

    /// Draws the live line anew, or writes the next plain line when it is time. Called ten times a second.
    func tick() {
        state.withLock { state in
            // A tick that was on its way when the display ended comes too late.
            guard !state.isFinished else { return }
            let time = now()
            state.meter.record(items: state.progress.done, bytes: state.progress.bytes, at: time)
            switch style {
            case .bar:
                try? console.errors.write(Self.erasure + liveLine(state))
                state.isDrawn = true
            case .plain where time - state.lastPlainLine >= Self.plainInterval:
                state.lastPlainLine = time
                try? console.errors.write(line(state, width: nil) + "\n")
            case .plain, .json, .none:
                break
            }
        }
    }

    /// Writes a line for people, above the live line.
    func tell(_ text: String) {
        state.withLock { writeLines(displayable(text) + "\n", &$0) }
    }

    /// Removes the live line. Nothing may follow.
    func finish() {
        state.withLock { state in
            if state.isDrawn { try? console.errors.write(Self.erasure) }
            state.isDrawn = false
            state.isFinished = true
        }
    }

    /// Ticks until the returned timer is cancelled; nil where nothing moves between events.
    func startTicking() -> (any DispatchSourceTimer)? {
        guard style == .bar || style == .plain else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "runner.display"))
        timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
        timer.setEventHandler { [self] in tick() }
        timer.activate()
        return timer
    }

    /// Carriage return, erase to the end of the line (ECMA-48, EL).
    private static let erasure = "\r\u{1B}[K"

    private func writeLines(_ text: String, _ state: inout State) {
        try? console.errors.write(state.isDrawn ? Self.erasure + text + liveLine(state) : text)
    }

    private func writeOutput(_ bytes: [UInt8], _ state: inout State) {
        guard !state.isOutputClosed else { return }
        do throws(OutputError) {
            try console.output.write(bytes)
            try console.output.flush()
        } catch {
            // The run goes on: what it fetches does not depend on who watches.
            state.isOutputClosed = true
            if error != .closedPipe { writeLines("runner: \(error)\n", &state) }
        }
    }

    /// One column is left free, so that no terminal wraps the line.
    private func liveLine(_ state: State) -> String {
        line(state, width: max(1, width() - 1))
    }

    private func line(_ state: State, width: Int?) -> String {
        ProgressLine.text(
            state.progress, itemRate: state.meter.items, byteRate: state.meter.bytes, width: width)
    }
}
