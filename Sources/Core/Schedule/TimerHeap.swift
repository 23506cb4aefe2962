import HTTP
import System

/// Values that are due at a time, earliest first: a binary heap.
struct TimerHeap<Value: Sendable>: Sendable {
    private var entries: [(due: Monotonic, value: Value)] = []

    /// When the earliest is due.
    var next: Monotonic? { entries.first?.due }
    var count: Int { entries.count }

    mutating func insert(_ value: Value, due: Monotonic) {
        entries.append((due, value))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].due < entries[parent].due else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest value if it is due.
    mutating func popDue(_ now: Monotonic) -> Value? {
        guard let first = entries.first, first.due <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return first.value
    }

    mutating func removeAll() -> [Value] {
        defer { entries = [] }
        return entries.map(\.value)
    }

    mutating func removeAll(where matches: (Value) -> Bool) -> [Value] {
        let removed = entries.filter { matches($0.value) }
        guard !removed.isEmpty else { return [] }
        let kept = entries.filter { !matches($0.value) }
        entries = []
        for entry in kept { insert(entry.value, due: entry.due) }
        return removed.map(\.value)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
