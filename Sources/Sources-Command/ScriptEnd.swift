import Glibc

extension ScriptProcess.End {
    /// Why the script failed, in one line, with the last that it said.
    ///
    /// - Parameter idleTimeout: microseconds.
    func words(for name: String, idleTimeout: Int64) -> String {
        let cause =
            switch cause {
            case .exited(let code): "exited with \(code)"
            case .signal(let number): "was ended by \(String(cString: strsignal(number)))"
            case .notStarted(let reason): "could not be started: \(reason)"
            case .idle: "wrote no line for \(idleTimeout / 1_000_000) s"
            case .longLine: "wrote a line of over \(ScriptProcess.longestLine) bytes"
            }
        return "\(name) \(cause)\(lastWords)"
    }

    var lastWords: String {
        words.isEmpty ? "" : "; its last words: \(words.suffix(3).joined(separator: " / "))"
    }
}
