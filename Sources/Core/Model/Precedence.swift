/// Which waiting items begin before others: what has no file, then what failed, then what was asked longest ago. The lesser
/// begins first; among equals the list's order holds.
package struct Precedence: Sendable, Hashable, Comparable {
    package enum Rank: UInt8, Sendable, Comparable {
        /// A person asked for it.
        case chosen
        /// There is no file, and no reason against it is known.
        case missing
        /// There is no file, since it failed.
        case failed
        /// There is a file, and asking for it anew failed.
        case failedRefresh
        /// It was tried in this run and failed, and has no file or failed before.
        case again
        /// There is a file.
        case stored
        /// There is a file, and asking for it anew failed in this run.
        case storedAgain

        package static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
    }

    package let rank: Rank
    /// The run that asked last; 0 for none. It counts before the rank would end.
    package let askedRun: Int64

    package init(_ rank: Rank, askedRun: Int64 = 0) {
        self.rank = rank
        self.askedRun = askedRun
    }

    package static func < (one: Precedence, other: Precedence) -> Bool {
        one.rank == other.rank ? one.askedRun < other.askedRun : one.rank < other.rank
    }

    /// What an item that failed in this run waits with for its next try: behind those of its kind that were not tried.
    package var rankAgain: Rank { rank >= .stored ? .storedAgain : .again }

    /// Whether nothing of it has failed, as far as is known.
    package var isUnblemished: Bool { rank == .missing || rank == .stored }
}
