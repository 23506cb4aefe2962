@testable import Core

/// Events with everything that a test does not care about filled in.
extension RunEvent {
    static func started(_ job: String = "flags", selection: String? = nil) -> RunEvent {
        .runStarted(RunStarted(run: 7, job: job, at: 1_000_000, selection: selection, concurrency: 16))
    }

    static func listing(_ items: Int, isComplete: Bool, job: String = "flags") -> RunEvent {
        .listing(ListingProgress(job: job, items: items, isComplete: isComplete))
    }

    static func finished(
        _ title: String, _ transfer: TransferRecord, job: String = "flags", path: String? = nil, size: Int64? = nil
    ) -> RunEvent {
        .itemFinished(
            ItemFinished(
                run: 7, job: job, at: 2_000_000, item: 41, key: "vn", collection: "flags", title: title,
                url: "http://127.0.0.1/vn.png", path: path, mediaType: path == nil ? nil : "image/png", size: size,
                transfer: transfer))
    }

    static func warning(_ message: String, job: String = "flags") -> RunEvent {
        .warning(RunWarning(job: job, at: 1_500_000, message: message))
    }

    static func ended(_ run: RunFinished) -> RunEvent { .runFinished(run) }

    /// One event of each kind that programs read.
    static var samples: [RunEvent] {
        [
            .started(selection: "{}"),
            .collection(
                CollectionListed(
                    run: 7, job: "flags", at: 1_000_001, key: "flags", title: "Flags", subtitle: nil, section: nil,
                    position: 0, expected: 239)),
            .itemStarted(
                ItemStarted(
                    run: 7, job: "flags", at: 1_100_000, item: 41, key: "vn", collection: "flags", title: "Vietnam",
                    url: "http://127.0.0.1/${KEY}/vn.png", attempt: 2)),
            .finished("Việt Nam", .downloaded(bytes: 12_400), path: "Việt Nam.png", size: 12_400),
            .warning("slow"),
            .ended(
                .of("flags", .partial, detail: "deadline") { figures in
                    figures.downloaded = 1
                    figures.failed = 1
                    figures.wireBytes = 12_400
                    figures.listRequests = 2
                }),
        ]
    }
}

extension TransferRecord {
    static func downloaded(bytes: Int64) -> TransferRecord {
        var record = TransferRecord(outcome: .downloaded)
        record.attempts = 1
        record.status = 200
        record.startedAt = 1_100_000
        record.wireBytes = bytes
        record.bodyBytes = bytes
        record.httpVersion = "1.1"
        record.isConnectionReused = true
        record.address = "127.0.0.1"
        var timings = TransferTimings()
        timings.queue = 10
        timings.wait = 2_000
        timings.receive = 1_000
        timings.store = 40
        timings.elapsed = 3_040
        record.timings = timings
        return record
    }

    static func failed(_ word: FailureWord = .http, _ detail: String? = "404 Not Found") -> TransferRecord {
        TransferRecord(outcome: .failed, failure: word, detail: detail)
    }
}

extension RunFinished {
    static func of(
        _ job: String = "flags", _ outcome: RunOutcome = .complete, detail: String? = nil,
        figures change: (inout RunFigures) -> Void = { _ in }
    ) -> RunFinished {
        var figures = RunFigures()
        change(&figures)
        return RunFinished(
            run: 7, job: job, at: 2_400_000, outcome: outcome, figures: figures, detail: detail,
            startedAt: 1_000_000, isAcceptable: false)
    }
}
