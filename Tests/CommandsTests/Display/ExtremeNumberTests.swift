import Run
import TestSupport
import Testing

@testable import Commands
@testable import Model

@Suite("A display of extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
    @Test("lengths that servers and lists make up are shown, and summed, in every form", arguments: extremeNumbers)
    func lengths(_ text: String) {
        guard let total = Int64(text) else { return }
        var model = RunModel(jobs: ["flags"])
        let items = (1...40).map { ItemActivity.of($0, "a", $0, of: total) }
        for event: RunEvent in [
            .started(),
            .progress(1, of: 41, collections: [.of(1, "A", 1, of: 41, expected: Int(total))]),
            .activity(items, received: max(0, total)), .activity(items, received: max(0, total), retries: 1),
        ] {
            model.apply(event, at: 1_000)
        }
        let layout = RunLayout(
            model: model, size: ScreenSize(columns: 120, rows: 40), time: 0,
            rates: RunLayout.Rates(items: 0, bytes: 340_000), keys: .hint)
        #expect((1...40).contains(layout.rows().count))
        #expect(!TotalsText.line(model, itemRate: 0, byteRate: 1).isEmpty)
        var lines = RunLines(verbosity: .verbose, hasColour: false)
        let ended = RunEvent.ended(.of { figures in (figures.wireBytes, figures.freedBytes) = (total, total) })
        #expect(!lines.lines(for: ended).isEmpty)
        #expect(!lines.lines(for: .finished("a", TransferRecord(outcome: .downloaded), size: total)).isEmpty)
    }
}
