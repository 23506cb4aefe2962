// Whichever C module includes <time.h> first owns `timespec`.
internal import CLinux
internal import Glibc

/// Microseconds since 1970 UTC. The wall clock jumps when it is set: durations are measured with a monotonic clock.
package func wallClockMicroseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
}
