import TestSupport
import Testing

@testable import Model
@testable import Run

@Suite("Events on their way to a reader", .timeLimit(.minutes(1)))
struct EventStreamTests {
    @Test("a list that is longer than the reader is quick waits for it, and no thread does")
    func slowReader() async throws {
        let gate = Gate()
        let batches = Monitor<[Int]>([])
        let isOpen = Monitor(false)
        let stream = EventStream { events in
            batches.withLock { $0.append(events.count) }
            // The reader's own thread.
            _ = isOpen.wait { $0 ? true : nil }
        }
        let page = Array(repeating: RunEvent.jobAbandoned("job"), count: 500)
        // More lists than threads of the pool: none of them may be held.
        let lists = (0..<32).map { _ in Task { for _ in 0..<20 { await stream.send(page) } } }
        // A task that runs tells that threads are free.
        _ = try await blocking { batches.wait { $0.isEmpty ? nil : true } }
        await Task { gate.open() }.value
        try await gate.pass()
        isOpen.withLock { $0 = true }
        for list in lists { await list.value }
        await stream.drain()
        let counts = batches.withLock { $0 }
        #expect(counts.reduce(0, +) == 32 * 20 * 500)
        // Each list waits with one page beyond the bound.
        #expect(counts.max() ?? 0 <= 4_096 + 33 * 500)
    }
}
