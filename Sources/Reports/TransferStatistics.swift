package import Catalog
internal import SQLite

/// Figures over the transfers of a run for which the network was used: those with `attempts` above 0.
package struct TransferStatistics: Sendable {
    /// How many they are.
    package let transfers: Int64
    /// How many of them found a connection open.
    package let reused: Int64
    /// How many used which version of HTTP, the most used one first.
    package let versions: [(version: String, count: Int64)]
    /// In the order of `Phase.allCases`, without the phases of which no transfer tells.
    package let phases: [PhaseStatistics]
    /// How `Phase.total` is spread; nil for fewer than two transfers.
    package let totals: Histogram?

    /// Of no transfer.
    init() {
        (transfers, reused, versions, phases, totals) = (0, 0, [], [], nil)
    }
}

/// How long a phase took, in microseconds.
package struct PhaseStatistics: Sendable {
    package let phase: Phase
    /// How many transfers tell of the phase.
    package let count: Int
    package let p50: Int64
    package let p90: Int64
    package let p99: Int64

    /// Figures over durations in ascending order; `nil` if there are none.
    init?(phase: Phase, sorted: [Int64]) {
        guard !sorted.isEmpty else { return nil }
        self.phase = phase
        count = sorted.count
        p50 = percentile(50, of: sorted)
        p90 = percentile(90, of: sorted)
        p99 = percentile(99, of: sorted)
    }
}

/// The percentile by nearest rank: the smallest of the values such that at least `percent` per cent of them are not
/// above it. It is always one of the values; nothing is interpolated.
///
/// `sorted` is ascending and not empty; `percent` is between 1 and 100.
func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
    sorted[(percent * sorted.count + 99) / 100 - 1]
}

extension TransferStatistics {
    /// Reads the figures of a run. Holds one number a transfer at a time.
    init(run: Int64, from connection: Connection) throws {
        let counts = try TransferTotals(ofRun: run, from: connection)
        (transfers, reused, versions) = (counts.transfers, counts.reused, counts.versions)
        var totals: Histogram?
        phases = try Phase.allCases.compactMap { phase in
            let durations = try phase.durations(ofRun: run, from: connection)
            if phase == .total { totals = Histogram(sorted: durations) }
            return PhaseStatistics(phase: phase, sorted: durations)
        }
        self.totals = totals
    }
}
