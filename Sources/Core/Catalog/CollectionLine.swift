package import SQLite

/// A collection that has an item in a run, with the run's sums.
package struct CollectionLine: Sendable, Hashable {
    package let title: String
    package let section: String?
    /// By the names of outcomes.
    package let counts: [String: Int64]
    package let wireBytes: Int64

    /// Hands the collections of a run to `body`, in the order of the source.
    package static func forEach(
        ofRun run: Int64, from connection: Connection, _ body: (CollectionLine) throws -> Void
    ) throws {
        let outcomes = ["downloaded", "unchanged", "fresh", "evicted", "failed", "cancelled"]
        try ReportRows.forEachCollection(ofRun: run, from: connection) { row in
            let names = (0..<row.count).map { row.name(of: $0) }
            func column(_ name: String) -> Int { names.firstIndex(of: name) ?? 0 }
            var counts: [String: Int64] = [:]
            for outcome in outcomes { counts[outcome] = try row[column(outcome)] }
            try body(
                CollectionLine(
                    title: try row[column("title")], section: try row[column("section")], counts: counts,
                    wireBytes: try row[column("wire_bytes")]))
        }
    }
}
