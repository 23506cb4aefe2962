import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Catalog

@Suite("Request budgets", .timeLimit(.minutes(1)))
struct RequestBudgetTests {
    private static let second: Int64 = 1_000_000
    private static let hour: Int64 = 3_600_000_000

    /// A clock that goes on only by waiting, and how long each wait was.
    private final class Clock: Sendable {
        private let state: Mutex<(now: Int64, waits: [Int64])>

        init(_ now: Int64 = 1_700_000_000_000_000) { state = Mutex((now, [])) }

        var now: Int64 {
            get { state.withLock { $0.now } }
            set { state.withLock { $0.now = newValue } }
        }

        var waits: [Int64] { state.withLock { $0.waits } }

        func pause(_ microseconds: Int64) {
            state.withLock { state in
                state.now += microseconds
                state.waits.append(microseconds)
            }
        }
    }

    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("catalog.sqlite")
    }

    private func budget(_ clock: Clock, warnings: Monitor<[String]>? = nil) throws -> RequestBudget {
        let store = try CatalogStore(path: path)
        return RequestBudget(
            store: { store }, now: { clock.now }, pause: { clock.pause($0) },
            warn: { warning in warnings?.withLock { $0.append(warning) } })
    }

    @Test("what is within the limit goes at once; the next waits until the first no longer counts")
    func limit() async throws {
        let clock = Clock()
        let budget = try budget(clock)
        for _ in 1...3 { try await budget.spend("key", limit: 3, per: Self.hour) }
        #expect(clock.waits == [])
        try await budget.spend("key", limit: 3, per: Self.hour)
        let waited = clock.waits.reduce(0, +)
        #expect(waited >= Self.hour && waited <= Self.hour + Self.hour / 60)
    }

    @Test("in no hour are there more requests than the limit, whenever they come")
    func everyWindow() async throws {
        let clock = Clock()
        let budget = try budget(clock)
        var times: [Int64] = []
        var generator = SystemRandomNumberGenerator()
        for _ in 1...120 {
            clock.now += Int64.random(in: 0...400, using: &generator) * Self.second
            try await budget.spend("key", limit: 7, per: Self.hour)
            times.append(clock.now)
        }
        for (first, last) in zip(times, times.dropFirst(7)) { #expect(last - first >= Self.hour) }
    }

    @Test("processes share it: another one with the same catalog finds what was spent")
    func shared() async throws {
        let clock = Clock()
        let (one, other) = (try budget(clock), try budget(clock))
        for _ in 1...2 {
            try await one.spend("key", limit: 4, per: Self.hour)
            try await other.spend("key", limit: 4, per: Self.hour)
        }
        #expect(clock.waits == [])
        try await other.spend("key", limit: 4, per: Self.hour)
        #expect(!clock.waits.isEmpty)
    }

    @Test("each key has a budget of its own, and the catalog has no key")
    func keys() async throws {
        let clock = Clock()
        let budget = try budget(clock)
        try await budget.spend("a secret", limit: 1, per: Self.hour)
        try await budget.spend("another", limit: 1, per: Self.hour)
        #expect(clock.waits == [])
        let catalog = try Connection(path: path, mode: .readOnly)
        defer { catalog.close() }
        let keys = try catalog.rows("SELECT key FROM budget") { row in try row[0] as String }
        #expect(keys.count == 2)
        #expect(keys.allSatisfy { $0.utf8.count == 64 && !$0.contains("secret") })
    }

    @Test("old rows go: a key has no more than 62")
    func rows() async throws {
        let clock = Clock()
        let budget = try budget(clock)
        for _ in 1...200 {
            clock.now += 61 * Self.second
            try await budget.spend("key", limit: 1_000, per: Self.hour)
        }
        let catalog = try Connection(path: path, mode: .readOnly)
        defer { catalog.close() }
        #expect(try catalog.value("SELECT count(*) FROM budget", as: Int.self) ?? 0 <= 62)
    }

    @Test("a clock that was years ahead does not hold the next run for years")
    func clockSetBack() async throws {
        let clock = Clock()
        let budget = try budget(clock)
        clock.now += 100_000 * Self.hour
        try await budget.spend("key", limit: 1, per: Self.hour)
        clock.now -= 100_000 * Self.hour
        try await budget.spend("key", limit: 1, per: Self.hour)
        #expect(clock.waits == [])
    }

    @Test("a long wait is told once, a short one is not")
    func warning() async throws {
        let warnings = Monitor<[String]>([])
        let clock = Clock(1_700_000_000_000_000 / Self.hour * Self.hour)
        let budget = try budget(clock, warnings: warnings)
        for _ in 1...2 { try await budget.spend("key", limit: 1, per: Self.hour) }
        for _ in 1...2 { try await budget.spend("other", limit: 1, per: Self.second) }
        #expect(
            warnings.withLock { $0 } == ["the budget of 1 requests in 1 h is spent; the list goes on in 61 min"])
    }
}
