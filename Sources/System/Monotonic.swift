import Glibc

/// A point on the monotonic clock, in microseconds.
///
/// It counts from an arbitrary start, never jumps with the wall clock and does not count time asleep
/// (`CLOCK_MONOTONIC`). Differences are durations; points of different boots are not comparable.
package struct Monotonic: Comparable, Hashable, Sendable {
    /// Microseconds since the clock's start.
    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time now. Costs a few dozen nanoseconds and no system call.
    package static func now() -> Monotonic {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Monotonic(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// The point so many microseconds later. A point too far to represent is the farthest one.
    package func advanced(byMicroseconds microseconds: Int64) -> Monotonic {
        let (sum, overflow) = self.microseconds.addingReportingOverflow(microseconds)
        return Monotonic(microseconds: overflow ? (microseconds < 0 ? .min : .max) : sum)
    }

    /// The microseconds from `start` to `end`; negative when `end` is earlier.
    package static func - (end: Monotonic, start: Monotonic) -> Int64 {
        end.microseconds - start.microseconds
    }

    package static func < (left: Monotonic, right: Monotonic) -> Bool {
        left.microseconds < right.microseconds
    }
}
