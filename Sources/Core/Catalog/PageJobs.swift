package import SQLite

/// A job as the catalog has it, for the page.
package struct PageJob: Sendable {
    package let name: String
    /// The job file of its last run.
    package let file: String
    package let directory: String
    package let collections: Int64
    /// Whether a collection has a section.
    package let hasPlaces: Bool
    /// Collections that have coordinates.
    package let located: Int64

    /// All jobs, by name.
    package static func all(from catalog: Connection) throws -> [PageJob] {
        try catalog.rows(
            """
            SELECT name, file, directory, count(collection.id), coalesce(max(section IS NOT NULL), 0),
                count(latitude)
            FROM job LEFT JOIN collection ON collection.job = name GROUP BY name ORDER BY name
            """
        ) { row in
            PageJob(
                name: try row[0], file: try row[1], directory: try row[2], collections: try row[3],
                hasPlaces: try row[4], located: try row[5])
        }
    }

    package static func exists(_ name: String, in catalog: Connection) throws -> Bool {
        try catalog.value("SELECT 1 FROM job WHERE name = ?", name) == (1 as Int64)
    }

    /// Items with a thumbnail: of the first collections of the list, so that a job of a million items costs no more than one
    /// of few.
    package static func covers(_ name: String, limit: Int, from catalog: Connection) throws -> [PageCover] {
        let collections = try catalog.rows(
            "SELECT id FROM collection WHERE job = ? ORDER BY position, id LIMIT ?", name, 2 * limit
        ) { try $0[0] as Int64 }
        let share = max(1, limit / max(collections.count, 1))
        var covers: [PageCover] = []
        for id in collections where covers.count < limit {
            covers += try PageCollection.covers(of: id, limit: share, from: catalog)
        }
        return Array(covers.prefix(limit))
    }
}

/// An item whose thumbnail stands for others.
package struct PageCover: Sendable {
    package let item: Int64
    /// The first 16 digits of the picture's SHA-256.
    package let thumbnail: String
}

/// A run as its row has it.
package struct PageRun: Sendable {
    package let id: Int64
    package let job: String
    package let startedAt: Int64
    package let finishedAt: Int64?
    /// `interrupted` where no process works on a row that says `running`.
    package let outcome: String
    package let selection: String?
    package let detail: String?
    package let host: String
    package let pid: Int64
    package let runnerVersion: String
    /// The columns of sums, by name.
    package let sums: [(name: String, value: Int64)]

    private static let sumColumns = [
        "downloaded", "unchanged", "fresh", "failed", "cancelled", "evicted", "wire_bytes", "body_bytes", "saved_bytes",
        "list_requests", "list_bytes", "freed_files", "freed_bytes", "known_failed",
    ]

    /// The runs of a job, the newest first.
    ///
    /// - Parameter before: only those with a lower id.
    package static func all(
        of job: String, before: Int64 = .max, limit: Int, from catalog: Connection
    ) throws -> [PageRun] {
        try catalog.statement("\(columns) WHERE job = ? AND id < ? ORDER BY id DESC LIMIT ?")
            .rows(job, before, limit) { try PageRun($0, catalog: catalog.path) }
    }

    package static func one(_ id: Int64, from catalog: Connection) throws -> PageRun? {
        try catalog.statement("\(columns) WHERE id = ?").first(id) { try PageRun($0, catalog: catalog.path) }
    }

    /// The run of a job that a process began, and that is its last.
    package static func last(of job: String, pid: Int32, from catalog: Connection) throws -> Int64? {
        try catalog.first("SELECT id, pid FROM run WHERE job = ? ORDER BY id DESC LIMIT 1", job) { row in
            try row[1] as Int64 == Int64(pid) ? try row[0] as Int64 : nil
        } ?? nil
    }

    private static var columns: String {
        """
        SELECT id, job, started_at, finished_at, outcome, selection, detail, host, pid, runner_version,
            \(sumColumns.joined(separator: ", "))
        FROM run
        """
    }

    private init(_ row: borrowing Row, catalog: String) throws {
        id = try row[0]
        job = try row[1]
        startedAt = try row[2]
        finishedAt = try row[3]
        selection = try row[5]
        detail = try row[6]
        host = try row[7]
        pid = try row[8]
        runnerVersion = try row[9]
        outcome = RunLiveness.outcome(try row[4], job: job, processID: pid, host: host, catalog: catalog)
        var sums: [(name: String, value: Int64)] = []
        for (index, name) in Self.sumColumns.enumerated() { sums.append((name, try row[10 + index])) }
        self.sums = sums
    }
}
