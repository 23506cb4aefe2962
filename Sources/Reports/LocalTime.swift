internal import Glibc

/// A time for people, in the time zone of the process: `2026-01-31 08:15:02 +0700`.
///
/// `microseconds` counts from 1970 UTC.
package func localTimeText(_ microseconds: Int64) -> String {
    // Rounded down, also before 1970.
    var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return "\(microseconds) µs" }
    return String(unsafeUninitializedCapacity: 64) { buffer in
        buffer.withMemoryRebound(to: CChar.self) { text in
            // 64 bytes hold the longest year; a text that does not fit would be empty, not cut.
            strftime(text.baseAddress!, text.count, "%Y-%m-%d %H:%M:%S %z", &parts)
        }
    }
}
