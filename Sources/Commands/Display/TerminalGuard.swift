import Glibc

/// Gives the terminal back when the process dies of a signal that ends it at once: SIGQUIT, or a fault of its own.
enum TerminalGuard {
    private static let signals = [SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]

    /// What the handler needs, made before it can run.
    fileprivate struct Rescue {
        var modes: termios
        let keyboard: Int32
        let screen: Int32
        let text: UnsafeMutableBufferPointer<UInt8>
    }

    /// Restores these modes, and the screen, if the process dies. On one thread at a time.
    static func arm(_ modes: termios, keyboard: Int32, screen: Int32) {
        if let rescue {
            rescue.pointee.modes = modes
        } else {
            let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ScreenPainter.rescue.utf8.count)
            _ = text.initialize(from: ScreenPainter.rescue.utf8)
            let new = UnsafeMutablePointer<Rescue>.allocate(capacity: 1)
            new.initialize(to: Rescue(modes: modes, keyboard: keyboard, screen: screen, text: text))
            rescue = new
        }
        for number in signals where !isIgnored(number) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = restoreAndDie
            sigaction(number, &action, nil)
        }
    }

    /// Gives the terminal back before the process is ended from within; waits for nobody.
    static func giveBackTerminal() {
        guard let rescue else { return }
        tcsetattr(rescue.pointee.keyboard, TCSANOW, &rescue.pointee.modes)
        var wait = pollfd(fd: rescue.pointee.screen, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, 0) > 0 else { return }
        _ = write(rescue.pointee.screen, rescue.pointee.text.baseAddress, rescue.pointee.text.count)
    }

    static func disarm() {
        guard rescue != nil else { return }
        for number in signals where !isIgnored(number) { signal(number, SIG_DFL) }
    }
}

// Written before the handler is installed, by the display's queue; read when the process ends, and never freed.
nonisolated(unsafe) private var rescue: UnsafeMutablePointer<TerminalGuard.Rescue>?

/// Only what signal-safety(7) allows.
private func restoreAndDie(_ number: Int32) {
    if let rescue {
        tcsetattr(rescue.pointee.keyboard, TCSANOW, &rescue.pointee.modes)
        _ = write(rescue.pointee.screen, rescue.pointee.text.baseAddress, rescue.pointee.text.count)
    }
    signal(number, SIG_DFL)
    raise(number)
}
