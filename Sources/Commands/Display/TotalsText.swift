import Reports
import Run

/// The sums of a session in words: `120 of 239 items, 2 failed, 12 s left, 340.0 kB/s, 1.2 MB, 3 retries`.
struct TotalsText {
    /// One of the sums. Where there is no room, those of the highest rank go first.
    struct Part: Equatable {
        var text: String
        var rank: Int
        var style = Style.plain
    }

    let parts: [Part]

    /// - Parameters:
    ///   - itemRate: items a second, over the last seconds.
    ///   - byteRate: bytes a second, over the last seconds.
    ///   - elapsed: microseconds since the session began.
    init(_ model: RunModel, itemRate: Double?, byteRate: Double?, elapsed: Int64? = nil) {
        let total = model.isListComplete ? "\(model.listed)" : "\(model.listed)+"
        var parts = [Part(text: "\(model.done) of \(total) items", rank: 0)]
        if model.isStopping {
            parts.append(Part(text: "stopping", rank: 0, style: .caution))
        } else if model.isPaused {
            parts.append(Part(text: "paused", rank: 0, style: .caution))
        }
        if model.cancelled > 0 { parts.append(Part(text: "\(model.cancelled) cancelled", rank: 1, style: .caution)) }
        if model.failed > 0 { parts.append(Part(text: "\(model.failed) failed", rank: 1, style: .bad)) }
        if let elapsed { parts.append(Part(text: wholeSecondsText(elapsed / 1_000_000) + " so far", rank: 5)) }
        if let left = Self.timeLeft(model, itemRate, byteRate) { parts.append(Part(text: left, rank: 2)) }
        if let byteRate { parts.append(Part(text: byteText(Int64(byteRate)) + "/s", rank: 3)) }
        for job in model.jobs where !job.isFinished {
            guard let until = job.bandwidthUntil else { continue }
            let limit = job.bandwidth.map { "at most \(byteText($0))/s" } ?? "no bandwidth limit"
            parts.append(Part(text: "\(limit) until \(until)", rank: 5))
            break
        }
        if let known = model.knownBytes {
            parts.append(Part(text: "\(byteText(known.done)) of \(byteText(known.total))", rank: 4))
        } else {
            parts.append(Part(text: byteText(model.bytes), rank: 4))
        }
        if model.retries > 0 {
            parts.append(Part(text: model.retries == 1 ? "1 retry" : "\(model.retries) retries", rank: 6))
        }
        if model.waiting > 0 { parts.append(Part(text: "\(model.waiting) waiting to retry", rank: 7)) }
        self.parts = parts
    }

    /// All of it in one line, after the name of the job.
    static func line(_ model: RunModel, itemRate: Double?, byteRate: Double?, elapsed: Int64? = nil) -> String {
        let parts = TotalsText(model, itemRate: itemRate, byteRate: byteRate, elapsed: elapsed).parts
        return "\(model.name): " + parts.map(\.text).joined(separator: ", ")
    }

    /// The parts in at most so many lines of so many columns, after a lead that takes some columns of the first line.
    func wrapped(lead: Int, columns: Int, lines: Int) -> [[Part]] {
        var parts = parts
        while true {
            let wrapped = Self.wrap(parts, lead: lead, columns: columns)
            if wrapped.count <= lines || parts.count == 1 { return Array(wrapped.prefix(lines)) }
            let last = parts.map(\.rank).max() ?? 0
            // Of equal ranks the last goes.
            parts.remove(at: parts.lastIndex { $0.rank == last } ?? 0)
        }
    }

    private static func wrap(_ parts: [Part], lead: Int, columns: Int) -> [[Part]] {
        var lines: [[Part]] = [[]]
        var used = lead
        for part in parts {
            let width = part.text.count + 2
            if !lines[lines.count - 1].isEmpty, used + width > columns + 1 {
                lines.append([])
                used = 0
            }
            lines[lines.count - 1].append(part)
            used += width
        }
        return lines
    }

    /// Once the list is complete: by the bytes that are left where all lengths are known, else by the items of the last
    /// seconds. A run that is being stopped leaves most of it undone.
    private static func timeLeft(_ model: RunModel, _ itemRate: Double?, _ byteRate: Double?) -> String? {
        guard model.isListComplete, model.left > 0, !model.isPaused, !model.isStopping else { return nil }
        var seconds: Double?
        if let known = model.knownBytes {
            if let byteRate, byteRate > 0 { seconds = Double(known.total - known.done) / byteRate }
        } else if let itemRate, itemRate > 0 {
            seconds = Double(model.left) / itemRate
        }
        guard let seconds, seconds < 100 * 86_400 else { return nil }
        return wholeSecondsText(Int64(seconds.rounded(.up))) + " left"
    }
}

/// A duration that counts down: `12 s`, `3 m 4 s`, `2 h 5 m`.
func wholeSecondsText(_ seconds: Int64) -> String {
    seconds < 60 ? "\(seconds) s" : durationText(microseconds: seconds * 1_000_000)
}
