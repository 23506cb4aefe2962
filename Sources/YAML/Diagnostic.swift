/// One fault of a job file or a flag, with the place where the user mends it.
package struct Diagnostic: Sendable, Error {
    /// What a fault does to the job: an error keeps it from running.
    package enum Severity: String, Sendable {
        case error, warning
    }

    /// Whether the job can run in spite of it.
    package let severity: Severity

    /// The text that `mark` points into; nil where no text is at fault.
    package let source: YAMLSource?

    /// Nil where the whole source is at fault.
    package let mark: Mark?

    /// What is wrong, in one line that ends without a period.
    package private(set) var message: String

    /// What to do about it; follows the message behind a semicolon.
    package private(set) var hint: String?

    /// Whether the marked line is left out of the description, for one that holds a secret.
    private var hidesLine = false

    /// Makes a fault. Message and hint are cut to 300 characters each, control characters in them are escaped: parts of
    /// them come from files.
    package init(
        _ message: String, severity: Severity = .error, at mark: Mark? = nil, in source: YAMLSource? = nil,
        hint: String? = nil
    ) {
        self.severity = severity
        self.source = source
        self.mark = mark
        self.message = message.shownInMessage(limit: 300)
        self.hint = hint?.shownInMessage(limit: 300)
    }

    /// The same fault without the line of the source, which holds a secret. Of a flag its value is left out.
    package func withoutSnippet() -> Diagnostic {
        var copy = self
        copy.hidesLine = true
        return copy
    }

    /// The same fault in words from which secrets are taken.
    package func hiding(_ hide: (String) -> String) -> Diagnostic {
        var copy = self
        copy.message = hide(message)
        copy.hint = hint.map(hide)
        return copy
    }

    /// The marked line as it is written; nil where no text is at fault.
    package var line: String? {
        guard let source, let mark else { return nil }
        return source.line(mark.line)
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The fault in the form of a compiler's: place, severity, message; then the source line and a caret under it.
    package var description: String {
        var text = place.map { "\($0): " } ?? ""
        text += "\(severity.rawValue): \(message)"
        if let hint { text += "; \(hint)" }
        if let snippet { text += "\n\(snippet)" }
        return text
    }

    private var place: String? {
        guard let source else { return nil }
        let name = (hidesLine ? source.nameWithoutValue : source.name).shownInMessage(limit: 200)
        guard let mark, source.kind == .file else { return name }
        return "\(name):\(mark.line):\(mark.column)"
    }

    /// The marked line and the caret line; nil where there is nothing to show.
    private var snippet: String? {
        guard let source, let mark, !hidesLine else { return nil }
        // A window of the line: all of a usual line, else what is around the mark.
        let width = 120
        let line = source.scalars(ofLine: mark.line)
        let count = line.count
        let skipped = count <= width ? 0 : max(0, min(mark.column - 41, count - width))
        var shown = ""
        shown.unicodeScalars.append(contentsOf: line.dropFirst(skipped).prefix(width).map(\.harmless))
        if count > skipped + width { shown += "…" }
        while shown.last == " " { shown.removeLast() }
        guard !shown.isEmpty else { return nil }
        if skipped > 0 { shown = "…" + shown }

        let offset = mark.column - 1 - skipped + (skipped > 0 ? 1 : 0)
        let length = min(mark.length, max(1, shown.unicodeScalars.count - offset))
        return "\(shown)\n\(String(repeating: " ", count: offset))^\(String(repeating: "~", count: length - 1))"
    }
}

extension [Diagnostic] {
    /// At most so many faults are reported; a file with more of them has one cause, or is not a job file.
    static var maximumCount: Int { 100 }

    /// Whether further faults are dropped; saves the work of wording them.
    var isFull: Bool { count > Self.maximumCount }

    /// Adds a fault, unless the same is reported already (an aliased value is met twice) or there are too many.
    mutating func report(_ diagnostic: Diagnostic) {
        guard !isFull else { return }
        guard count < Self.maximumCount else {
            append(Diagnostic("too many faults; the others are not shown", in: diagnostic.source))
            return
        }
        let isTold = contains {
            $0.source === diagnostic.source && $0.mark == diagnostic.mark && $0.message == diagnostic.message
        }
        if !isTold { append(diagnostic) }
    }

    /// The faults by place: sources in the order in which they were met, faults of a whole source first, then by line
    /// and column. Faults of one place stay in order.
    package func sorted() -> [Diagnostic] {
        var ranks: [String: Int] = [:]
        for diagnostic in self {
            let name = diagnostic.source?.name ?? ""
            if ranks[name] == nil { ranks[name] = ranks.count }
        }
        let keys = enumerated().map { index, diagnostic in
            (
                ranks[diagnostic.source?.name ?? ""] ?? 0, diagnostic.mark?.line ?? 0, diagnostic.mark?.column ?? 0,
                index
            )
        }
        return indices.sorted { keys[$0] < keys[$1] }.map { self[$0] }
    }
}
