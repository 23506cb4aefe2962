import JSON
import Model
import Reports
import Run
import Synchronization

/// Shows a session: takes its events, writes lines, the live screen and JSON. It holds the session up for no longer than
/// one write.
///
/// The live screen is drawn by ``draw(on:)``, which somebody calls at most ten times a second; see ``DisplayDriver``.
final class RunDisplay: Sendable {
    /// What `--progress` comes to on the outputs at hand.
    enum Style: Sendable {
        case none, bar, plain, json
    }

    /// Everything that events and drawings change; both may come at a time, from different threads.
    private struct State {
        var lines: RunLines
        var model: RunModel
        var widths = NameWidths()
        var meter: RateMeter
        var painter: ScreenPainter
        /// Lines that wait for the next drawing, which puts them above the rows.
        var waiting = ""
        var size: ScreenSize?
        var showsHelp = false
        var lastPlainLine: Int64
        var isFinished = false
    }

    /// Microseconds between two lines of `--progress plain`.
    static let plainInterval: Int64 = 5_000_000

    let style: Style
    private let console: Console
    private let hasKeyboard: Bool
    /// Whether lines of events are written; a journal has them already.
    private let writesLines: Bool
    private let now: @Sendable () -> Int64
    private let start: Int64
    private let state: Mutex<State>
    /// Why stdout takes nothing more. Apart from the rest: a reader of stdout that is slow keeps no words from stderr.
    private let fault = Mutex<OutputError?>(nil)

    /// `now` tells monotonic microseconds.
    init(
        jobs: [String], style: Style, verbosity: Verbosity, console: Console, hasKeyboard: Bool = false,
        databaseClause: String = "", writesLines: Bool = true, now: @escaping @Sendable () -> Int64
    ) {
        self.console = console
        self.style = style
        self.hasKeyboard = hasKeyboard
        self.writesLines = writesLines
        self.now = now
        start = now()
        let hasColour = console.errorTerminal.hasColour
        state = Mutex(
            State(
                lines: RunLines(verbosity: verbosity, hasColour: hasColour, databaseClause: databaseClause),
                model: RunModel(jobs: jobs),
                meter: RateMeter(start: start), painter: ScreenPainter(hasColour: hasColour), lastPlainLine: start))
    }

    /// Chooses the style: the live screen by default where there is one; nothing of the kind under `--quiet`. Where a
    /// cursor can't be moved, what was wanted as a screen comes as lines.
    static func style(_ wanted: ProgressStyle, _ verbosity: Verbosity, on terminal: Terminal) -> Style {
        switch wanted {
        case .json: .json
        case _ where verbosity == .quiet: .none
        case .none: .none
        case .plain: .plain
        case .bar: terminal.isInteractive ? .bar : .plain
        case .automatic: terminal.isInteractive ? .bar : terminal.isTerminal ? .plain : .none
        }
    }

    /// The events that a style needs.
    static func interest(_ style: Style, _ verbosity: Verbosity) -> EventInterest {
        let interval: Int64? =
            switch style {
            case .bar: 100_000
            case .plain, .json: 1_000_000
            case .none: nil
            }
        return EventInterest(includesItems: style == .json || verbosity == .verbose, activityInterval: interval)
    }

    /// Takes a batch of events, in order; never two at a time.
    func handle(_ events: [RunEvent]) {
        if style == .json { writeOutput(events) }
        state.withLock { state in
            var text = ""
            let time = now()
            for event in events {
                state.model.apply(event, at: time)
                text += state.lines.lines(for: event)
            }
            if writesLines { writeLines(text, &state) }
        }
    }

    /// - Throws: why stdout did not take all events.
    func checkOutput() throws(OutputError) {
        if let fault = fault.withLock(\.self) { throw fault }
    }

    /// Draws the screen anew, with the lines that came since the last drawing above it; or writes the next plain line
    /// when it is time.
    ///
    /// - Parameter size: of the terminal now; nil while it is another job's, or where there is none.
    func draw(on size: ScreenSize?) {
        state.withLock { state in
            // A drawing that was on its way when the display ended comes too late.
            guard !state.isFinished else { return }
            let time = now()
            state.meter.record(items: state.model.done, bytes: state.model.bytes, at: time)
            switch style {
            case .bar: drawScreen(size, time, &state)
            case .plain where time - state.lastPlainLine >= Self.plainInterval:
                state.lastPlainLine = time
                let line = TotalsText.line(
                    state.model, itemRate: state.meter.items, byteRate: state.meter.bytes, elapsed: time - start)
                try? console.errors.write(line + "\n")
            case .plain, .json, .none: break
            }
        }
    }

    private func drawScreen(_ size: ScreenSize?, _ time: Int64, _ state: inout State) {
        var text = ""
        if size != state.size {
            text = state.painter.restart()
            state.size = size
        }
        let lines = state.waiting
        state.waiting = ""
        if let size {
            let keys: RunLayout.Keys = !hasKeyboard ? .none : state.showsHelp ? .help : .hint
            state.widths.update(state.model)
            let layout = RunLayout(
                model: state.model, size: size, time: time,
                rates: RunLayout.Rates(items: state.meter.items, bytes: state.meter.bytes), keys: keys,
                widths: state.widths, elapsed: time - start)
            text += state.painter.paint(layout.rows(), below: lines)
        } else {
            text += lines
        }
        if !text.isEmpty { try? console.errors.write(text) }
    }

    /// Writes a line for people, above the screen.
    func tell(_ text: String) {
        state.withLock { writeLines(displayable(text) + "\n", &$0) }
    }

    /// Tells how the run is being stopped, unless the screen does.
    func tellStop(_ text: String) {
        state.withLock { state in
            if style != .bar || state.size == nil { writeLines(displayable(text) + "\n", &state) }
        }
    }

    func toggleHelp() {
        state.withLock { $0.showsHelp.toggle() }
    }

    /// Has the next drawing show all rows, also those that have not changed.
    func redraw() {
        state.withLock { state in
            let text = state.painter.restart()
            if !text.isEmpty { try? console.errors.write(text) }
        }
    }

    /// Removes the screen until the next drawing.
    func hide() {
        state.withLock { hide(&$0) }
    }

    /// Removes the screen; it is not drawn again.
    func finish() {
        state.withLock { state in
            hide(&state)
            state.isFinished = true
        }
    }

    private func hide(_ state: inout State) {
        let text = state.painter.paint([], below: state.waiting)
        state.waiting = ""
        if !text.isEmpty { try? console.errors.write(text) }
    }

    private func writeLines(_ text: String, _ state: inout State) {
        guard !text.isEmpty else { return }
        if style == .bar, !state.isFinished {
            state.waiting += text
        } else {
            try? console.errors.write(text)
        }
    }

    private func writeOutput(_ events: [RunEvent]) {
        guard fault.withLock({ $0 == nil }) else { return }
        var json = JSONWriter()
        for event in events { EventLine.append(event, to: &json) }
        do throws(OutputError) {
            try console.output.write(json.bytes)
            try console.output.flush()
        } catch {
            // The run goes on: what it fetches does not depend on who watches.
            fault.withLock { $0 = error }
            if error != .closedPipe { tell("runner: \(error)") }
        }
    }
}
