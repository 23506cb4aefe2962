import Run
import Testing

@testable import Commands
@testable import Model

@Suite("Sums in words", .timeLimit(.minutes(1)))
struct TotalsTextTests {
    private func model(_ events: RunEvent..., jobs: [String] = ["flags"]) -> RunModel {
        var model = RunModel(jobs: jobs)
        for event in events { model.apply(event, at: 0) }
        return model
    }

    @Test("a run in one line")
    func line() {
        let model = model(
            .progress(120, failed: 2, of: 240), .activity([], received: 1_500_000, retries: 3, waiting: 1))
        #expect(
            TotalsText.line(model, itemRate: 10, byteRate: 340_000)
                == "flags: 120 of 240 items, 2 failed, 12 s left, 340.0 kB/s, 1.5 MB, 3 retries, 1 waiting to retry")
    }

    @Test(
        "a limit of a timetable is shown with the time until which it holds", arguments: [2_000_000, nil] as [Int64?])
    func timetable(_ bandwidth: Int64?) {
        let model = model(
            .progress(5, of: 40),
            .control(RunControl(job: "flags", concurrency: 4, bandwidth: bandwidth, bandwidthUntil: "19:00")))
        let limit = bandwidth == nil ? "no bandwidth limit" : "at most 2.0 MB/s"
        #expect(
            TotalsText.line(model, itemRate: nil, byteRate: 1_000)
                == "flags: 5 of 40 items, 1.0 kB/s, \(limit) until 19:00, 50.0 kB")
    }

    @Test("while the list goes on the total is a lower bound, and nobody knows what is left")
    func listing() {
        #expect(
            TotalsText.line(model(.progress(5, of: 40, isComplete: false)), itemRate: 10, byteRate: 1_000)
                == "flags: 5 of 40+ items, 1.0 kB/s, 50.0 kB")
    }

    @Test("a paused run and one that is being stopped say so, and don't promise an end")
    func paused() {
        let paused = model(.progress(1, of: 4), .control(isPaused: true))
        #expect(TotalsText.line(paused, itemRate: 1, byteRate: nil) == "flags: 1 of 4 items, paused, 10.0 kB")
        let stopping = model(.progress(1, of: 4), .control(isPaused: true, isStopping: true))
        #expect(TotalsText.line(stopping, itemRate: nil, byteRate: nil) == "flags: 1 of 4 items, stopping, 10.0 kB")
    }

    @Test("when only large files are left their bytes tell the time")
    func bytesLeft() {
        let file = ItemActivity.of(1, "disk.iso", 40_000_000, of: 100_000_000)
        #expect(
            TotalsText.line(model(.progress(3, of: 4), .activity([file])), itemRate: 0, byteRate: 2_000_000)
                .contains(", 30 s left,"))
        // A length that nobody knows.
        #expect(
            !TotalsText.line(
                model(.progress(3, of: 4), .activity([.of(1, "disk.iso", 40)])), itemRate: 0, byteRate: 2_000_000
            ).contains("left"))
    }

    @Test("what was given up is not done")
    func cancelled() {
        let stopping = model(.progress(3, cancelled: 30, of: 35), .control(isStopping: true))
        #expect(
            TotalsText.line(stopping, itemRate: 100, byteRate: nil)
                == "flags: 3 of 35 items, stopping, 30 cancelled, 30.0 kB")
    }

    @Test(
        "where the list says how long the files are, their bytes tell the time: one large file may be most of the work")
    func sizes() {
        var (wanted, ended) = (WantedBytes(), WantedBytes())
        (wanted.items, wanted.sizedItems, wanted.bytes) = (4, 4, 110_000_000)
        (ended.items, ended.sizedItems, ended.bytes) = (2, 2, 8_000_000)
        let known = model(.progress(2, of: 4, wanted: wanted, ended: ended), .activity([.of(1, "a", 2_000_000)]))
        #expect(
            TotalsText.line(known, itemRate: 2, byteRate: 1_000_000)
                == "flags: 2 of 4 items, 1 m 40 s left, 1.0 MB/s, 10.0 MB of 110.0 MB")
        wanted.sizedItems = 3
        let unknown = model(.progress(2, of: 4, wanted: wanted, ended: ended), .activity([.of(1, "a", 2_000_000)]))
        #expect(TotalsText.line(unknown, itemRate: 2, byteRate: 1_000_000).contains("2 of 4 items, 1 s left"))
    }

    @Test("the time since the beginning is told")
    func elapsed() {
        #expect(
            TotalsText.line(model(.progress(1, of: 4)), itemRate: nil, byteRate: nil, elapsed: 62_000_000)
                == "flags: 1 of 4 items, 1 m 2 s so far, 10.0 kB")
    }

    @Test("several jobs are summed")
    func jobs() {
        let model = model(
            .progress(0, of: 2, job: "a"), .progress(1, of: 3, isComplete: false, job: "b"), jobs: ["a", "b"])
        #expect(TotalsText.line(model, itemRate: nil, byteRate: nil) == "2 jobs: 1 of 5+ items, 10.0 kB")
    }

    @Test(
        "what matters least goes until the rest fits",
        arguments: [
            (80, 2, ["120 of 240 items|2 failed|12 s left|340.0 kB/s|1.2 MB|3 retries", "1 waiting to retry"]),
            (80, 1, ["120 of 240 items|2 failed|12 s left|340.0 kB/s|1.2 MB|3 retries"]),
            (40, 2, ["120 of 240 items|2 failed|12 s left", "340.0 kB/s|1.2 MB|3 retries"]),
            (40, 1, ["120 of 240 items|2 failed|12 s left"]),
            (10, 1, ["120 of 240 items"]),
        ])
    func widths(columns: Int, lines: Int, expected: [String]) {
        let model = model(
            .progress(120, failed: 2, of: 240), .activity([], received: 1_180_000, retries: 3, waiting: 1))
        let wrapped = TotalsText(model, itemRate: 10, byteRate: 340_000)
            .wrapped(lead: 0, columns: columns, lines: lines)
        #expect(wrapped.map { $0.map(\.text).joined(separator: "|") } == expected)
    }
}
