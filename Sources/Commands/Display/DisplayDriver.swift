import Dispatch
import Glibc

/// Draws a display ten times a second at most, hands keys on, and steps aside when the process is stopped or in the
/// background.
final class DisplayDriver: @unchecked Sendable {  // all but `queue` is used on it alone
    private let display: RunDisplay
    private let terminal: LiveTerminal?
    private let queue = DispatchQueue(label: "runner.display")
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameter terminal: what the live screen is drawn on; it is this object's from now on.
    init(_ display: RunDisplay, terminal: sending LiveTerminal?) {
        self.display = display
        self.terminal = terminal
    }

    /// Begins; nothing happens for a style in which nothing moves between events.
    ///
    /// - Parameter press: called with the keys that the display does not handle itself, on a queue of its own.
    func start(press: @escaping @Sendable (Key) -> Void) {
        guard display.style == .bar || display.style == .plain else { return }
        queue.sync {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let interval = DispatchTimeInterval.milliseconds(terminal == nil ? 1_000 : 100)
            timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(10))
            timer.setEventHandler { [self] in tick(press) }
            sources.append(timer)
            if terminal != nil {
                sources.append(source(SIGTSTP) { [self] in suspend() })
                sources.append(source(SIGCONT) { [self] in resume() })
            }
            for source in sources { source.activate() }
        }
    }

    /// Removes the screen and gives the terminal back. Nothing is drawn after it returns.
    func end() {
        queue.sync {
            for source in sources { source.cancel() }
            // They refer to this object.
            sources = []
            display.finish()
            terminal?.leave()
        }
    }

    private func source(_ number: Int32, _ body: @escaping () -> Void) -> any DispatchSourceProtocol {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: body)
        return source
    }

    private func tick(_ press: (Key) -> Void) {
        guard let terminal else { return display.draw(on: nil) }
        guard terminal.isForeground else { return display.draw(on: nil) }
        terminal.enter()
        for key in terminal.keys() {
            switch key {
            case .help: display.toggleHelp()
            case .redraw: display.redraw()
            default: press(key)
            }
        }
        display.draw(on: terminal.size)
    }

    /// Ctrl-Z: the shell gets the terminal as it was.
    private func suspend() {
        if terminal?.isForeground == true { display.hide() }
        terminal?.leave()
        LiveTerminal.stopProcess()
        // Back in the foreground, or in the background by `bg`: the next tick sees which.
        terminal?.resume()
    }

    private func resume() {
        terminal?.resume()
        if terminal?.isForeground == true { display.redraw() }
    }
}
