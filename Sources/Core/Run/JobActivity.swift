/// What one job has under way at one moment, as the scheduler has it.
package struct JobActivity: Sendable, Hashable {
    package var job = ""
    /// Items in flight.
    package var inFlight = 0
    /// Items that wait to be tried again.
    package var retrying = 0
    /// Hosts that are asked, or wait, or are asked for less; by their origins.
    package var hosts: [HostActivity] = []

    package init() {}
}

/// One host, as one job has to do with it.
package struct HostActivity: Sendable, Hashable {
    package var origin: String
    package var inFlight: Int
    /// Requests that may be in flight now.
    package var allowance: Int
    /// When it is asked again, microseconds since 1970 UTC; nil for a host that is not paused.
    package var pausedUntil: Int64?
    package var reason: HostHeld.Reason?
}

/// An item whose row is in the catalog.
package struct EndedItem: Sendable, Hashable {
    package var id: Int64
    package var outcome: TransferOutcome
}

/// The items that ended last, or left the network, with the model's versions: a ring, so that a reader that was away gets
/// what it has missed, or learns that it has missed too much.
struct EndedItems: Sendable {
    struct Entry: Sendable {
        let version: Int
        let id: Int64
        /// nil for an item that is in flight no more and has not ended yet.
        let outcome: TransferOutcome?
    }

    static let capacity = 8_192

    private var entries: [Entry] = []
    private var start = 0
    /// The items of entries with an outcome.
    private var over: Set<Int64> = []
    /// The version of the last entry that is lost.
    private(set) var lost = 0

    mutating func add(_ item: EndedItem, _ version: Int) {
        append(Entry(version: version, id: item.id, outcome: item.outcome))
        over.insert(item.id)
    }

    /// An item is in flight no more; of one that has ended nothing is new.
    mutating func left(_ id: Int64, _ version: Int) {
        if !over.contains(id) { append(Entry(version: version, id: id, outcome: nil)) }
    }

    private mutating func append(_ entry: Entry) {
        guard entries.count == Self.capacity else { return entries.append(entry) }
        lost = entries[start].version
        if entries[start].outcome != nil { over.remove(entries[start].id) }
        entries[start] = entry
        start = (start + 1) % Self.capacity
    }

    /// Something up to this version is lost.
    mutating func lose(upTo version: Int) {
        entries = []
        over = []
        start = 0
        lost = version
    }

    /// What came after a version, the oldest first; nil where some of it is lost.
    func since(_ version: Int) -> [Entry]? {
        guard version >= lost else { return nil }
        var result: [Entry] = []
        // From the end: mostly little is new.
        var place = entries.count
        while place > 0 {
            let entry = entries[(start + place - 1) % entries.count]
            guard entry.version > version else { break }
            result.append(entry)
            place -= 1
        }
        return result.reversed()
    }
}
