/// A size for people, in decimal units: `512 B`, `12.4 kB`, `1.2 GB`.
package func byteText(_ bytes: Int64) -> String {
    guard bytes >= 1_000 else { return "\(bytes) B" }
    var unit: Int64 = 1_000
    for name in ["kB", "MB", "GB", "TB", "PB"] {
        let tenths = (bytes / (unit / 20) + 1) / 2
        // 999.95 kB and more would read 1000.0 kB.
        if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(name)" }
        unit *= 1_000
    }
    return "\(bytes / 1_000_000_000_000_000_000) EB"
}

/// A duration for people: `850 µs`, `1.3 ms`, `310 ms`, `1.2 s`, `3 m 4 s`, `2 h 5 m`, `3 d 4 h`.
package func durationText(microseconds: Int64) -> String {
    func tenths(_ unit: Int64) -> String {
        let tenths = (microseconds + unit / 20) / (unit / 10)
        return "\(tenths / 10).\(tenths % 10)"
    }
    switch microseconds {
    // The limits are where rounding would reach the next unit.
    case ..<1_000: return "\(microseconds) µs"
    case ..<9_950: return "\(tenths(1_000)) ms"
    case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
    case ..<59_950_000: return "\(tenths(1_000_000)) s"
    default: break
    }
    let seconds = microseconds / 1_000_000 + (microseconds % 1_000_000 >= 500_000 ? 1 : 0)
    let minutes = seconds / 60
    let hours = minutes / 60
    if hours == 0 { return "\(minutes) m \(seconds % 60) s" }
    return hours < 24 ? "\(hours) h \(minutes % 60) m" : "\(hours / 24) d \(hours % 24) h"
}

/// A count for people, in groups of three: `1,000,000`.
package func countText(_ count: Int64) -> String {
    var groups: [String] = []
    var rest = count.magnitude
    while rest >= 1_000 {
        groups.append(String(String(1_000 + rest % 1_000).dropFirst()))
        rest /= 1_000
    }
    groups.append(String(rest))
    return (count < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
}
