package import Model

extension LogEntry {
    /// What the log says of an event of a run; nil for what it leaves to others.
    package init?(_ event: RunEvent) {
        switch event {
        case .runStarted(let run): self.init(started: run)
        case .itemFinished(let item) where item.transfer.outcome == .failed: self.init(failed: item)
        case .itemRendered(let item):
            guard let failure = item.failure else { return nil }
            self.init("failed", .warning, at: item.at, job: item.job, run: item.run, item: item.item)
            fields = [
                ("key", .text(item.key)), ("title", .text(item.title)), ("failure", .text(failure.rawValue)),
                ("detail", .text(item.detail ?? failure.explanation)),
            ]
        case .itemEvicted(let item):
            self.init("evicted", .info, at: item.at, job: item.job, run: item.run, item: item.item)
            fields = [("key", .text(item.key)), ("path", .text(item.path)), ("size", .number(item.size))]
        case .warning(let warning):
            self.init("warning", .warning, at: warning.at, job: warning.job)
            fields = [("detail", .text(warning.message))]
        case .runFinished(let run): self.init(finished: run)
        case .collection, .progress, .activity, .hostHeld, .control, .itemStarted, .itemFinished, .itemRendering,
            .jobAbandoned:
            return nil
        }
    }

    private init(started run: RunStarted) {
        self.init("run-started", .notice, at: run.at, job: run.job, run: run.run)
        fields = [("concurrency", .number(Int64(run.concurrency)))]
        if let selection = run.selection { fields.append(("selection", .text(selection))) }
    }

    private init(failed item: ItemFinished) {
        let transfer = item.transfer
        // An old failure is no news.
        self.init(
            "failed", transfer.known == nil ? .warning : .info, at: item.at, job: item.job, run: item.run,
            item: item.item)
        fields = [
            ("key", .text(item.key)), ("title", .text(item.title)), ("url", .text(item.url)),
            ("failure", .text(transfer.failure?.rawValue ?? "failed")), ("attempts", .number(Int64(transfer.attempts))),
        ]
        if let status = transfer.status { fields.append(("status", .number(Int64(status)))) }
        fields.append(("detail", .text(transfer.detail ?? transfer.failure?.explanation ?? "")))
    }

    private init(finished run: RunFinished) {
        let isGood = run.outcome == .complete || run.isAcceptable
        self.init(
            run.outcome == .failed ? "run-failed" : "run-finished",
            isGood ? .notice : run.outcome == .failed ? .error : .warning, at: run.at, job: run.job, run: run.run)
        let figures = run.figures
        fields = [
            ("outcome", .text(run.outcome.rawValue)), ("downloaded", .number(Int64(figures.downloaded))),
            ("unchanged", .number(Int64(figures.unchanged))), ("fresh", .number(Int64(figures.fresh))),
            ("evicted", .number(Int64(figures.evicted))), ("failed", .number(Int64(figures.failed))),
            ("cancelled", .number(Int64(figures.cancelled))), ("wire_bytes", .number(figures.wireBytes)),
            ("duration_us", .number(max(0, run.at - run.startedAt))),
        ]
        if let detail = run.detail { fields.append(("detail", .text(detail))) }
    }
}
