internal import Catalog

/// The phases of a transfer's last attempt on the clock of the run: where each begins, and how long it took.
struct PhaseSpans {
    struct Span {
        let name: String
        /// Microseconds since 1970 UTC.
        let start: Int64
        let length: Int64
    }

    /// In order, without those that took no time.
    let spans: [Span]

    /// - Parameter start: when the transfer's first attempt began. What is not of the last attempt comes before it:
    ///   earlier attempts and the time between them.
    init(of facts: TransferFacts, start: Int64) {
        let parts = [
            ("dns", facts.dns), ("connect", facts.connect), ("tls", facts.tls), ("wait", facts.wait),
            ("receive", facts.receive), ("store", facts.store),
        ].map { (name: $0.0, length: $0.1 ?? 0) }
        let last = parts.reduce(0) { $0 + $1.length }
        var next = start + max(0, (facts.elapsed ?? 0) - last)
        var spans: [Span] = []
        for part in parts where part.length > 0 {
            spans.append(Span(name: part.name, start: next, length: part.length))
            next += part.length
        }
        self.spans = spans
    }
}
