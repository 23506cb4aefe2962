import JSON
import Reports
import Testing

@testable import Commands
@testable import Core

@Suite("Events as JSON", .timeLimit(.minutes(1)))
struct EventLineTests {
    private func json(_ event: RunEvent) -> String {
        var json = JSONWriter()
        EventLine.append(event, to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("each event is a line in the catalog's column names")
    func lines() throws {
        let events = RunEvent.samples + [.finished("Aruba", .failed()), .warning("the list is \"short\"\n")]
        try expectGolden(events.map(json).joined(), "events.jsonl")
    }

    @Test("what only a display needs is no event of the contract")
    func displayOnly() {
        let events: [RunEvent] = [.progress(1, of: 4), .activity([]), .control(), .held("example.org", seconds: 1)]
        #expect(events.allSatisfy { json($0).isEmpty })
    }
}
