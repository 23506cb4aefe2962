import Glibc
import System

/// The time of day, by which timetables go.
package struct DayClock: Sendable {
    /// Seconds since local midnight.
    package var secondOfDay: @Sendable () -> Int
    /// Calls back once so many seconds have passed.
    package var wake: @Sendable (_ seconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

    init(
        secondOfDay: @escaping @Sendable () -> Int,
        wake: @escaping @Sendable (_ seconds: Int, _ body: @escaping @Sendable () -> Void) -> Void
    ) {
        self.secondOfDay = secondOfDay
        self.wake = wake
    }

    /// The machine's, in its time zone.
    static let system = DayClock(
        secondOfDay: {
            var (now, parts) = (time(nil), tm())
            localtime_r(&now, &parts)
            return Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60 + min(59, Int(parts.tm_sec))
        },
        wake: Timers.afterWallClock)
}
