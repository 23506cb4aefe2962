import Catalog
import Reports
import SQLite
import Testing

@Suite("Statistics of a run", .timeLimit(.minutes(1)))
struct StatisticsTests {
    /// A run whose transfers waited for so many microseconds.
    private func statistics(waits: [Int64]) throws -> TransferStatistics {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addCollection(of: "j", "c")
        try catalog.addRun(of: "j")
        for (index, wait) in waits.enumerated() {
            let id = Int64(index + 1)
            try catalog.addItem(of: "j", in: 1, "i", position: index)
            try catalog.addTransfer(
                1, id, times: [0, 0, 0, wait, 0], version: id % 3 == 0 ? "2" : "1.1", reused: id > 2)
        }
        return try #require(makeReport(ReportRequest(), from: catalog.connection).runs.first).statistics
    }

    @Test(
        "percentiles are the nearest ranks, whatever the order",
        arguments: [
            ([7], 7, 7, 7), ([9, 1], 1, 9, 9), ([3, 1, 2], 2, 3, 3), ((1...10).reversed(), 5, 9, 10),
            (Array(1...100), 50, 90, 99), (Array(1...200), 100, 180, 198), (Array(0...100), 50, 90, 99),
        ] as [([Int64], Int64, Int64, Int64)])
    func percentiles(waits: [Int64], p50: Int64, p90: Int64, p99: Int64) throws {
        let wait = try #require(statistics(waits: waits).phases.first { $0.phase == .wait })
        #expect([wait.p50, wait.p90, wait.p99] == [p50, p90, p99])
        #expect(wait.count == waits.count)
    }

    @Test("reuse and versions of HTTP are counted")
    func connections() throws {
        let statistics = try statistics(waits: [1, 1, 1, 1, 1])
        #expect(statistics.transfers == 5)
        #expect(statistics.reused == 3)
        #expect(statistics.versions.map(\.version) == ["1.1", "2"])
        #expect(statistics.versions.map(\.count) == [4, 1])
    }

    @Test("rows for which the network was not used count in no figure")
    func quietRows() throws {
        let catalog = try Catalog.flags()
        let run = try #require(makeReport(ReportRequest(), from: catalog.connection).runs.first)
        #expect(run.counts.total == 5)
        #expect(run.statistics.transfers == 3)
        #expect(run.statistics.phases.allSatisfy { $0.count == 3 })
    }

    @Test("a finished run keeps its figures when its items are deleted")
    func deletedItems() throws {
        let catalog = try Catalog.flags()
        try catalog.connection.run("DELETE FROM item WHERE id <= 3")
        let run = try #require(makeReport(ReportRequest(), from: catalog.connection).runs.first)
        #expect(run.counts.downloaded == 1 && run.counts.fresh == 1)
        #expect(run.wireBytes == 1_250_000)
        #expect(run.statistics.transfers == 1)
    }

    @Test(
        "totals are spread over 1, 2 and 5 times the powers of ten, over the powers alone where those are many",
        arguments: [
            ([3, 4, 9, 12], ["2 2", "5 1", "10 1"]), ([10, 10], ["10 2"]), ([1, 2, 5], ["1 1", "2 1", "5 1"]),
            ([0, 1], ["0 1", "1 1"]), ([0, 0], ["0 2"]),
            ([1, 1_000], ["1 1", "2 0", "5 0", "10 0", "20 0", "50 0", "100 0", "200 0", "500 0", "1000 1"]),
            ([1, 60_000], ["1 1", "10 0", "100 0", "1000 0", "10000 1"]),
            ([1, .max], ["1 1"] + (1...18).map { "1" + String(repeating: "0", count: $0) + ($0 == 18 ? " 1" : " 0") }),
        ] as [([Int64], [String])])
    func histogram(sorted: [Int64], expected: [String]) throws {
        let histogram = try #require(Histogram(sorted: sorted))
        #expect(histogram.buckets.map { "\($0.start) \($0.count)" } == expected)
    }

    @Test("one transfer has no spread")
    func oneTransfer() {
        #expect(Histogram(sorted: [5]) == nil)
        #expect(Histogram(sorted: []) == nil)
    }
}
