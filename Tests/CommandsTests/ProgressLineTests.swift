import Testing

@testable import Commands
@testable import Core

@Suite("Live line", .timeLimit(.minutes(1)))
struct ProgressLineTests {
    private func progress(
        done: Int, failed: Int = 0, of items: Int, isComplete: Bool = true, jobs: [String] = ["flags"]
    ) -> Progress {
        var progress = Progress(jobs: jobs)
        progress.apply(.listing(items, isComplete: isComplete))
        for index in 0..<done {
            progress.apply(.finished("x", index < failed ? .failed() : .downloaded(bytes: 10_000)))
        }
        return progress
    }

    @Test(
        "the line drops what matters least until it fits the width",
        arguments: [
            (100, "flags [##########----------]  120 of 240 items, 1.2 MB, 340.0 kB/s, 2 failed, 12.0 s left"),
            (86, "flags  120 of 240 items, 1.2 MB, 340.0 kB/s, 2 failed, 12.0 s left"),
            (66, "flags  120 of 240 items, 1.2 MB, 340.0 kB/s, 2 failed, 12.0 s left"),
            (65, "flags  120 of 240 items, 340.0 kB/s, 2 failed, 12.0 s left"),
            (57, "flags  120 of 240 items, 2 failed, 12.0 s left"),
            (40, "flags  120 of 240 items, 2 failed"),
            (30, "flags  120 of 240 items"),
            (20, "120 of 240 items"),
            (5, "120 o"),
        ])
    func widths(width: Int, line: String) {
        let progress = progress(done: 120, failed: 2, of: 240)
        #expect(ProgressLine.text(progress, itemRate: 10, byteRate: 340_000, width: width) == line)
    }

    @Test("while the list goes on the total is a lower bound, without a bar and time left")
    func listing() {
        let line = ProgressLine.text(
            progress(done: 5, of: 40, isComplete: false), itemRate: 10, byteRate: 1_000, width: 100)
        #expect(line == "flags  5 of 40+ items, 50.0 kB, 1.0 kB/s")
    }

    @Test("several jobs are shown as one")
    func jobs() {
        var progress = Progress(jobs: ["a", "b"])
        progress.apply(.listing(2, isComplete: true, job: "a"))
        progress.apply(.listing(3, isComplete: false, job: "b"))
        progress.apply(.finished("x", .downloaded(bytes: 1), job: "b"))
        #expect(ProgressLine.text(progress, itemRate: nil, byteRate: nil, width: 80) == "2 jobs  1 of 5+ items, 1 B")
        progress.apply(.ended(.of("b")))
        #expect(
            ProgressLine.text(progress, itemRate: nil, byteRate: nil, width: 80)
                == "2 jobs [####----------------]  1 of 5 items, 1 B")
    }

    @Test("without a width there is no bar")
    func plain() {
        #expect(
            ProgressLine.text(progress(done: 1, of: 2), itemRate: 0.5, byteRate: 0, width: nil)
                == "flags: 1 of 2 items, 10.0 kB, 0 B/s, 2.0 s left")
    }
}
