internal import CSQLite
internal import Glibc

extension Connection {
    /// Runs `body`; a statement in it that still runs after so many microseconds throws `interrupted`.
    package func limited<T>(to microseconds: Int64, _ body: () throws -> T) rethrows -> T {
        var deadline = monotonicMicroseconds() + microseconds
        return try withUnsafeMutablePointer(to: &deadline) { deadline in
            // Asked some ten thousand times a second; the pointer is valid until the handler is taken away.
            sqlite3_progress_handler(raw, 2_000, isPast, deadline)
            defer { sqlite3_progress_handler(raw, 0, nil, nil) }
            return try body()
        }
    }
}

private func isPast(_ deadline: UnsafeMutableRawPointer?) -> Int32 {
    guard let deadline else { return 0 }
    return monotonicMicroseconds() >= deadline.load(as: Int64.self) ? 1 : 0
}

private func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}

extension Connection {
    /// A number that changes when another connection has changed the file (<https://www.sqlite.org/pragma.html#pragma_data_version>).
    package var dataVersion: Int64 {
        get throws { try value("PRAGMA data_version") ?? 0 as Int64 }
    }
}
