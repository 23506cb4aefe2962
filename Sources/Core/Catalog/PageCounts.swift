package import SQLite

/// How many items there are in each state, by collection and by job: one pass over all rows, which of a million takes about
/// a second.
package struct PageCounts: Sendable {
    package struct Count: Sendable, Equatable {
        package var items: Int64 = 0
        package var stored: Int64 = 0
        package var failed: Int64 = 0
        package var pending: Int64 = 0
        /// Of stored files.
        package var bytes: Int64 = 0

        package init() {}

        fileprivate mutating func add(_ other: Count) {
            items += other.items
            stored += other.stored
            failed += other.failed
            pending += other.pending
            bytes = bytes.addingReportingOverflow(other.bytes).partialValue
        }
    }

    /// By the collection's id.
    package private(set) var collections: [Int64: Count] = [:]
    /// By name.
    package private(set) var jobs: [String: Count] = [:]

    package init(from catalog: Connection) throws {
        var collections: [Int64: Count] = [:]
        // In the order in which the rows lie; grouping in SQL would sort them first. What is gone or removed counts nowhere.
        try catalog.forEach("SELECT collection_id, state, size FROM item") { row in
            let state: String = try row[1]
            if state == "gone" || state == "removed" { return }
            let size = state == "stored" ? try row[2] as Int64? ?? 0 : 0
            let id: Int64 = try row[0]
            collections[id, default: Count()].add(state, size)
        }
        self.collections = collections
        var jobs: [String: Count] = [:]
        try catalog.forEach("SELECT id, job FROM collection") { row in
            let id: Int64 = try row[0]
            if let count = collections[id] { jobs[try row[1], default: Count()].add(count) }
        }
        self.jobs = jobs
    }
}

extension PageCounts.Count {
    fileprivate mutating func add(_ state: String, _ size: Int64) {
        items += 1
        switch state {
        case "stored":
            stored += 1
            bytes = bytes.addingReportingOverflow(size).partialValue
        case "failed": failed += 1
        case "pending": pending += 1
        default: break
        }
    }
}
