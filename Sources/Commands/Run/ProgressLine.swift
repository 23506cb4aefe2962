import Reports

/// The line that shows a run at work: `flags [#####-----]  120 of 239 items, 1.2 MB, 340 kB/s, 2 failed, 12 s left`.
enum ProgressLine {
    /// A part of the line; when the line is too wide, those of the highest rank go first.
    private struct Part {
        var text: String
        var rank: Int
    }

    private static let cells = 20

    /// The line, in at most `width` columns; with nil without a bar and of any length.
    static func text(_ progress: Progress, itemRate: Double?, byteRate: Double?, width: Int?) -> String {
        let name = progress.jobs.count == 1 ? progress.jobs[0].name : "\(progress.jobs.count) jobs"
        let total = progress.isListComplete ? "\(progress.listed)" : "\(progress.listed)+"
        var parts = [
            Part(text: "\(progress.done) of \(total) items", rank: 0), Part(text: byteText(progress.bytes), rank: 4),
        ]
        if let byteRate { parts.append(Part(text: byteText(Int64(byteRate)) + "/s", rank: 3)) }
        if progress.failed > 0 { parts.append(Part(text: "\(progress.failed) failed", rank: 1)) }
        if let left = timeLeft(progress, itemRate: itemRate) { parts.append(Part(text: left, rank: 2)) }
        guard let width else { return "\(name): " + joined(parts) }

        var head = "\(name)  "
        if progress.isListComplete, progress.listed > 0 {
            let filled = cells * progress.done / progress.listed
            let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled)
            let wide = "\(name) [\(bar)]  "
            if wide.count + joined(parts).count <= width { return wide + joined(parts) }
        }
        while head.count + joined(parts).count > width, let widest = parts.max(by: { $0.rank < $1.rank }),
            widest.rank > 0
        {
            parts.removeAll { $0.rank == widest.rank }
        }
        if head.count + joined(parts).count > width { head = "" }
        return String((head + joined(parts)).prefix(width))
    }

    private static func joined(_ parts: [Part]) -> String {
        parts.map(\.text).joined(separator: ", ")
    }

    /// By the items of the last seconds, once the list is complete.
    private static func timeLeft(_ progress: Progress, itemRate: Double?) -> String? {
        guard progress.isListComplete, progress.done < progress.listed, let itemRate, itemRate > 0 else { return nil }
        let seconds = (Double(progress.listed - progress.done) / itemRate).rounded(.up)
        guard seconds < 100 * 86_400 else { return nil }
        return durationText(microseconds: Int64(seconds) * 1_000_000) + " left"
    }
}
