package import SQLite

/// A run as far as its row says whether others are like it.
package struct ComparableRun: Sendable, Hashable {
    package let id: Int64
    package let job: String
    /// `running`, `complete`, `partial`, `failed` or `interrupted`.
    package let outcome: String
    /// Microseconds since 1970 UTC.
    package let startedAt: Int64
    package let finishedAt: Int64?
    package let items: Int64
    package let failed: Int64
    package let wireBytes: Int64
    /// Items for which the server was asked and answered with the file, or that it is the same.
    package let downloaded: Int64
    package let unchanged: Int64
    fileprivate let selection: String?
    fileprivate let overrides: String?
    fileprivate let refresh: String?
    fileprivate let httpVersion: String?
    fileprivate let concurrency: Int64?

    private static let columns = """
        id, job, outcome, started_at, finished_at, downloaded, unchanged, fresh, evicted, failed, cancelled, wire_bytes,
        selection, overrides, refresh, http_version, concurrency
        """

    private init(_ row: borrowing Row) throws {
        (id, job, outcome) = (try row[0], try row[1], try row[2])
        (startedAt, finishedAt) = (try row[3], try row[4])
        downloaded = Self.clamped(try row[5])
        unchanged = Self.clamped(try row[6])
        failed = Self.clamped(try row[9])
        var items = downloaded + unchanged + failed
        for column in [7, 8, 10] { items += Self.clamped(try row[column]) }
        self.items = items
        wireBytes = Self.clamped(try row[11])
        (selection, overrides, refresh) = (try row[12], try row[13], try row[14])
        (httpVersion, concurrency) = (try row[15], try row[16])
    }

    private static func clamped(_ value: Int64) -> Int64 { min(max(value, 0), 1 << 52) }

    /// How long the run took, in microseconds; up to `now` while it is running; nil where the end is not known, or a clock
    /// was set back meanwhile.
    package func duration(now: Int64) -> Int64? {
        guard let end = finishedAt ?? (outcome == "running" ? now : nil), end >= startedAt else { return nil }
        let (duration, overflows) = end.subtractingReportingOverflow(startedAt)
        return overflows ? nil : duration
    }

    /// One run; nil where there is none.
    package static func run(_ id: Int64, from connection: Connection) throws -> ComparableRun? {
        try connection.first("SELECT \(columns) FROM run WHERE id = ?", id) { row in try ComparableRun(row) }
    }

    /// The last runs of a job up to one of them, the earliest first.
    package static func last(
        _ count: Int, ofJob job: String, upTo run: Int64, from connection: Connection
    ) throws -> [ComparableRun] {
        try connection.rows(
            "SELECT \(columns) FROM run WHERE job = ? AND id <= ? ORDER BY id DESC LIMIT ?", job, run, count
        ) { row in try ComparableRun(row) }.reversed()
    }

    /// The run of the same job before this one; nil where there is none.
    package func previous(from connection: Connection) throws -> ComparableRun? {
        try connection.first(
            "SELECT \(Self.columns) FROM run WHERE job = ? AND id < ? ORDER BY id DESC LIMIT 1", job, id
        ) { row in try ComparableRun(row) }
    }

    /// The last runs of the job before this one, the earliest first, as far as they are like it: complete, with the same
    /// selection, settings and `--set`, and an item count within 20 per cent. What a row of an earlier version does not say
    /// counts as the same.
    package func likeRuns(atMost count: Int, from connection: Connection) throws -> [ComparableRun] {
        let (least, most) = (Double(items) / 1.2, Double(items) * 1.2)
        return try connection.rows(
            """
            SELECT \(Self.columns) FROM run
            WHERE job = ? AND id < ? AND outcome = 'complete' AND selection IS ? AND overrides IS ?
                AND coalesce(refresh = ?, 1) AND coalesce(http_version = ?, 1) AND coalesce(concurrency = ?, 1)
                AND downloaded + unchanged + fresh + evicted + failed + cancelled BETWEEN ? AND ?
            ORDER BY id DESC LIMIT ?
            """, job, id, selection, overrides, refresh, httpVersion, concurrency, least, most, count
        ) { row in try ComparableRun(row) }.reversed()
    }
}
