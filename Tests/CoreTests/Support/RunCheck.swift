import Files
import Jobs
import SQLite
import TestSupport
import Testing

@testable import Model

/// What holds after every run, whatever happened in it.
struct RunCheck {
    private let report: RunReport
    private let bench: Bench
    private let location: SourceLocation
    private let finished: RunFinished
    private let interest: EventInterest

    init(_ report: RunReport, _ bench: Bench, _ location: SourceLocation, _ interest: EventInterest) throws {
        self.interest = interest
        self.report = report
        self.bench = bench
        self.location = location
        finished = try #require(report.finished)
    }

    func run() throws {
        try sums()
        phases()
        events()
        try files()
        states()
    }

    /// The run's figures are the sums over its rows, in the catalog and in the last event.
    private func sums() throws {
        let catalog = try bench.catalog()
        defer { catalog.close() }
        for outcome in ["downloaded", "unchanged", "fresh", "evicted", "failed", "cancelled"] {
            let count = report.items.values.count { $0.outcome == .text(outcome) }
            #expect(report.run[outcome] == .integer(Int64(count)), "\(outcome)", sourceLocation: location)
        }
        for column in ["wire_bytes", "body_bytes"] {
            let sum = report.items.values.reduce(0) { $0 + ($1.transfer[column]?.integer ?? 0) }
            #expect(report.run[column] == .integer(sum), "\(column)", sourceLocation: location)
        }
        let figures = finished.figures
        let told = [
            figures.downloaded, figures.unchanged, figures.fresh, figures.evicted, figures.failed, figures.cancelled,
            figures.freedFiles, Int(figures.freedBytes),
        ]
        let columns = [
            "downloaded", "unchanged", "fresh", "evicted", "failed", "cancelled", "freed_files", "freed_bytes",
        ]
        let kept = columns.map { report.run[$0]?.integer ?? -1 }
        #expect(told.map(Int64.init) == kept, sourceLocation: location)
        #expect(report.run["wire_bytes"] == .integer(figures.wireBytes), sourceLocation: location)
        #expect(report.run["body_bytes"] == .integer(figures.bodyBytes), sourceLocation: location)
        #expect(report.run["list_requests"] == .integer(Int64(figures.listRequests)), sourceLocation: location)
        #expect(report.run["list_bytes"] == .integer(figures.listBytes), sourceLocation: location)
        #expect(report.run["outcome"] == .text(finished.outcome.rawValue), sourceLocation: location)
        #expect(report.run["finished_at"] == .integer(finished.at), sourceLocation: location)
    }

    /// `total_us` is exactly the sum of the phases, and no time is negative.
    private func phases() {
        for (key, item) in report.items {
            guard let total = item.transfer["total_us"]?.integer else {
                #expect(item.attempts == 0, "\(key) was asked for and has no times", sourceLocation: location)
                continue
            }
            let phases = ["dns_us", "connect_us", "tls_us", "wait_us", "receive_us"].map {
                item.transfer[$0]?.integer ?? -1
            }
            #expect(total == phases.reduce(0, +), "\(key)", sourceLocation: location)
            let times = phases + ["queue_us", "elapsed_us"].map { item.transfer[$0]?.integer ?? -1 }
            #expect(times.allSatisfy { $0 >= 0 }, "\(key): \(times)", sourceLocation: location)
            #expect(total <= (item.transfer["elapsed_us"]?.integer ?? 0) + 1_000, "\(key)", sourceLocation: location)
        }
    }

    /// The run begins and ends once; every item that has a row finishes once, as the row says, after its collection.
    /// Where nobody wants to hear of items, only failed ones are told.
    private func events() {
        var finishedKeys: [String: Int] = [:]
        var collections: Set<String> = []
        // What is in flight is told of the whole session, before a run and after it.
        let events = report.events.filter { if case .activity = $0 { false } else { true } }
        for event in events {
            switch event {
            case .collection(let collection): collections.insert(collection.key)
            case .itemStarted(let item):
                #expect(interest.includesItems, sourceLocation: location)
                #expect(
                    report.run["selection"]?.text?.contains("failed") == true || collections.contains(item.collection),
                    "\(item.key) starts before its collection is known", sourceLocation: location)
                #expect(finishedKeys[item.key] == nil, "\(item.key) starts after its end", sourceLocation: location)
            case .itemFinished(let item):
                finishedKeys[item.key, default: 0] += 1
                let row = report.items[item.key]
                #expect(row?.outcome == .text(item.transfer.outcome.rawValue), "\(item.key)", sourceLocation: location)
                #expect(
                    row?.attempts == .integer(Int64(item.transfer.attempts)), "\(item.key)", sourceLocation: location)
            default: break
            }
        }
        let told = report.items.filter { interest.includesItems || $0.value.outcome == "failed" }
        #expect(finishedKeys == told.mapValues { _ in 1 }, sourceLocation: location)
        guard case .runStarted? = events.first, case .runFinished? = events.last else {
            Issue.record("the events are not of one run", sourceLocation: location)
            return
        }
    }

    /// Every stored item has its file, whole; no other file is there, and no part.
    private func files() throws {
        let output = try OutputDirectory(path: bench.directory.path(bench.outputFolder), create: false)
        var claimed: Set<String> = []
        for item in try bench.table(
            "SELECT * FROM item WHERE job = '\(bench.job.name)' AND state IN ('stored', 'gone')")
        {
            guard let text = item["path"]?.text else { continue }
            claimed.insert(text)
            guard item["state"] == "stored", !bench.rottenFiles.contains(text) else { continue }
            let path = try RelativePath(validating: text)
            #expect(output.information(path)?.size == item["size"]?.integer, "\(text)", sourceLocation: location)
            let digest = try? output.digest(of: path)
            #expect(digest?.hex == item["sha256"]?.text, "\(text)", sourceLocation: location)
        }
        for row in try bench.table("SELECT * FROM sidecar") {
            let path = try RelativePath(validating: row["path"]?.text ?? "")
            claimed.insert(path.text)
            guard !bench.rottenFiles.contains(path.text) else { continue }
            let digest = try? output.digest(of: path)
            #expect(digest?.hex == row["sha256"]?.text, "\(path)", sourceLocation: location)
        }
        #expect(bench.files.subtracting(bench.foreignFiles).subtracting(claimed) == [], sourceLocation: location)
        if !bench.keepsParts { #expect(bench.parts == [], sourceLocation: location) }
        let journal = bench.directory.read("\(bench.outputFolder)/.runner/journal")
        if !bench.keepsJournal { #expect(journal == [], sourceLocation: location) }
    }

    /// An item's state tells of its file; a failed row has its word.
    private func states() {
        for (key, item) in report.items {
            let outcome = item.outcome?.text ?? ""
            if item.state == "evicted", outcome != "cancelled" {
                #expect(["downloaded", "unchanged", "fresh", "evicted"].contains(outcome), sourceLocation: location)
                #expect(item.path == .null, "\(key)", sourceLocation: location)
                #expect(item.item["is_unsettled"] == 0, "\(key)", sourceLocation: location)
                continue
            }
            switch outcome {
            case "downloaded", "unchanged", "fresh":
                #expect(item.state == "stored", "\(key)", sourceLocation: location)
                #expect(item.item["failure"] == .null, "\(key)", sourceLocation: location)
                #expect(item.item["is_unsettled"] == 0, "\(key)", sourceLocation: location)
                #expect(item.item["stored_url"] == item.item["url"], "\(key)", sourceLocation: location)
            case "failed":
                #expect(["failed", "stored"].contains(item.state), "\(key)", sourceLocation: location)
                #expect(item.item["failure"] == item.failure, "\(key)", sourceLocation: location)
                #expect(item.item["is_unsettled"] == 1, "\(key)", sourceLocation: location)
                #expect(FailureWord(rawValue: item.failure?.text ?? "") != nil, "\(key)", sourceLocation: location)
                #expect(!item.detail.isEmpty, "\(key)", sourceLocation: location)
            default:
                #expect(outcome == "cancelled", "\(key)", sourceLocation: location)
                #expect(item.item["is_unsettled"] == 1, "\(key)", sourceLocation: location)
            }
        }
    }
}
