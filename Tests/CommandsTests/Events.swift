@testable import Model

/// Events with everything that a test does not care about filled in.
extension RunEvent {
    static func started(_ job: String = "flags", selection: String? = nil, perHost: Int? = nil) -> RunEvent {
        .runStarted(
            RunStarted(
                run: 7, job: job, at: 1_000_000, selection: selection, concurrency: 16, perHost: perHost))
    }

    /// The sums of a job: downloaded and failed items out of those listed, with ten kilobytes each.
    static func progress(
        _ done: Int, failed: Int = 0, cancelled: Int = 0, of listed: Int, isComplete: Bool = true,
        job: String = "flags", wanted: WantedBytes = WantedBytes(), ended: WantedBytes = WantedBytes(),
        collections: [CollectionProgress] = []
    ) -> RunEvent {
        var figures = RunFigures()
        figures.downloaded = done - failed
        figures.failed = failed
        figures.cancelled = cancelled
        figures.wireBytes = Int64(done - failed) * 10_000
        return .progress(
            RunProgress(
                job: job, listed: listed, isListComplete: isComplete, figures: figures, wanted: wanted, ended: ended,
                collections: collections))
    }

    static func activity(
        _ items: [ItemActivity], received: Int64 = 0, retries: Int = 0, waiting: Int = 0, next: [ItemRetry] = []
    ) -> RunEvent {
        .activity(
            RunActivity(
                items: items, receivedBytes: received, retries: retries, waiting: waiting, nextRetries: next))
    }

    static func control(
        isPaused: Bool = false, isStopping: Bool = false, grace: Int64 = 0, concurrency: Int = 16,
        job: String = "flags"
    ) -> RunEvent {
        .control(
            RunControl(
                job: job, isPaused: isPaused, isStopping: isStopping, grace: grace, concurrency: concurrency))
    }

    static func held(_ host: String, seconds: Int64) -> RunEvent {
        .hostHeld(
            HostPause(host: host, at: 5_000_000, until: 5_000_000 + seconds * 1_000_000, reason: .retryAfter))
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

    static func rendering(
        _ item: Int64, _ title: String, _ activity: ItemRendering.Activity = .rendering, collection: Int64 = 1
    ) -> RunEvent {
        .itemRendering(
            ItemRendering(
                run: 7, job: "flags", at: 0, item: item, key: title, collectionID: collection, title: title,
                activity: activity))
    }

    static func rendered(_ item: Int64) -> RunEvent {
        .itemRendered(ItemRendered(run: 7, job: "flags", at: 0, item: item, key: "", title: "", pictures: 1))
    }

    static func evicted(_ title: String, path: String, size: Int64) -> RunEvent {
        .itemEvicted(
            ItemEvicted(
                run: 7, job: "flags", at: 2_100_000, item: 41, key: "vn", title: title, path: path, size: size))
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
            .itemRendering(
                ItemRendering(
                    run: 7, job: "flags", at: 2_000_001, item: 41, key: "vn", collectionID: 3,
                    title: "Vietnam", activity: .rendering)),
            .itemRendered(
                ItemRendered(
                    run: 7, job: "flags", at: 2_000_002, item: 41, key: "vn", title: "Vietnam", pictures: 1,
                    failure: .corrupt, detail: "it can't be decoded")),
            .activity([
                ItemActivity(
                    id: 41, run: 7, job: "flags", key: "vn", collection: 3, title: "Vietnam", host: "127.0.0.1",
                    stage: .receiving, received: 3_100, total: 12_400)
            ]),
            .finished("Việt Nam", .downloaded(bytes: 12_400), path: "Việt Nam.png", size: 12_400),
            .evicted("Việt Nam", path: "Việt Nam.png", size: 12_400),
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

extension CollectionProgress {
    static func of(
        _ id: Int64, _ title: String, _ done: Int = 0, of listed: Int, failed: Int = 0, cancelled: Int = 0,
        expected: Int? = nil
    ) -> CollectionProgress {
        var progress = CollectionProgress(id: id, title: title, expected: expected)
        progress.listed = listed
        progress.done = done
        progress.failed = failed
        progress.cancelled = cancelled
        return progress
    }
}

extension ItemActivity {
    /// An item that receives, or waits where nothing has come.
    static func of(
        _ id: Int64, _ title: String, _ received: Int64? = nil, of total: Int64? = nil, attempt: Int = 1,
        collection: Int64 = 1, host: String = "images.example.org"
    ) -> ItemActivity {
        ItemActivity(
            id: id, collection: collection, title: title, host: host, stage: received == nil ? .waiting : .receiving,
            attempt: attempt, received: received ?? 0, total: total)
    }
}
