import Model
import Reports
import Run

extension RunLayout {
    /// A row for each item in flight; where there are more than rows, the last one counts the others.
    func fileRows(_ count: Int) -> [Row] {
        let places = model.files.places
        guard count > 0, !places.isEmpty else { return [] }
        let columns = columns()
        if places.count <= count { return places.map { $0.map { row($0, columns) } ?? .empty } }
        // Not all fit: then no row is left empty.
        let files = places.compactMap { $0 }
        if files.count <= count {
            return files.map { row($0, columns) } + Array(repeating: .empty, count: count - files.count)
        }
        let text = "  and \(files.count - count + 1) more in flight"
        return files.prefix(count - 1).map { row($0, columns) } + [Row(cut(text, toWidth: width), style: .faint)]
    }

    /// What waits to retry, and why: a row each, once little else goes on.
    func retryRows(atMost count: Int) -> [Row] {
        guard model.files.count < Self.fewFiles else { return [] }
        return model.retries(at: time).prefix(max(0, count)).map { item in
            let name = DisplayName(item.title)
            var row = Row(name.fitted(to: min(name.width, max(8, width / 3))), column: Self.indent)
            let column = Self.indent + min(name.width, max(8, width / 3)) + 2
            let seconds = wholeSecondsText((item.wait + 999_999) / 1_000_000)
            let when = item.wait > 0 ? "again in \(seconds)" : "waits for its host"
            row.add(cut("\(when): \(displayable(item.reason))", toWidth: max(1, width - column)), at: column, .caution)
            return row
        }
    }

    /// Files in flight beside which nobody asks what else waits.
    private static let fewFiles = 4

    private struct Columns {
        var name: Int
        /// Where progress begins; it is aligned to its right.
        var progress: Int
        var rate: Int?
        var host: Int?
    }

    private static let indent = 2
    /// `999.9 MB`, `waiting`, `100 %`
    private static let progressWidth = 8
    /// `999.9 MB/s`
    private static let rateWidth = 10

    /// What does not fit is left out: the host, then the speed.
    private func columns() -> Columns {
        let wanted = max(8, min(60, widths.file))
        let free = width - Self.indent - Self.progressWidth - 2
        let withRate = free - Self.rateWidth - 2
        let hostWidth = min(40, widths.host)
        let withHost = withRate - hostWidth - 2
        let name = min(wanted, withHost >= 16 ? withHost : withRate >= 10 ? withRate : max(1, free))
        let progress = Self.indent + name + 2
        let rate = progress + Self.progressWidth + 2
        return Columns(
            name: name, progress: progress, rate: withRate >= 10 ? rate : nil,
            host: withHost >= 16 ? rate + Self.rateWidth + 2 : nil)
    }

    private func row(_ file: FileSlots.File, _ columns: Columns) -> Row {
        var row = Row(DisplayName(file.title).fitted(to: columns.name), column: Self.indent)
        let progress = progress(of: file)
        row.add(progress, at: columns.progress + max(0, Self.progressWidth - progress.count))
        if let column = columns.rate, file.stage == .receiving, let rate = file.rate {
            let text = byteText(Int64(rate)) + "/s"
            row.add(text, at: column + max(0, Self.rateWidth - text.count))
        }
        if let column = columns.host {
            row.add(cut(file.host, toWidth: max(1, width - column)), at: column, .faint)
        }
        return row
    }

    private func progress(of file: FileSlots.File) -> String {
        switch file.stage {
        case .waiting: return file.attempt > 1 ? "try \(file.attempt)" : "waiting"
        case .receiving:
            guard let total = file.total, total > 0 else { return byteText(file.received) }
            return "\(min(100, file.received * 100 / total)) %"
        case .unzipping: return "unzipping"
        case .rendering: return "rendering"
        }
    }
}

extension HostPause.Reason {
    var words: String {
        switch self {
        case .retryAfter: "Retry-After"
        case .failures: "failures in a row"
        }
    }
}
