package import SQLite

/// What a job owes of its list: items that the next run has to fetch, and whether there may be more that have no row.
package enum OwedItems {
    static let schema = """
        -- `job.is_list_cut`, 1 since rows of a list were entered that was not read to its end. `item.is_left_unlisted`, 1 for
        -- what was owed and a list did not have, where that list can't say what is gone.
        ALTER TABLE job ADD COLUMN is_list_cut INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE item ADD COLUMN is_left_unlisted INTEGER NOT NULL DEFAULT 0;
        """

    /// Whether a part of the job's list may never have been read.
    package static func isListCut(ofJob job: String, on catalog: Connection) throws -> Bool {
        try catalog.value("SELECT is_list_cut FROM job WHERE name = ?", job) ?? true
    }

    package static func setListCut(_ isCut: Bool, ofJob job: String, on catalog: Connection) throws {
        try catalog.run("UPDATE job SET is_list_cut = ?1 WHERE name = ?2 AND is_list_cut <> ?1", isCut, job)
    }

    /// The listed items that a run would ask for because their last transfer failed, was cancelled or never was. What is not
    /// asked again before a later time is not owed until then.
    ///
    /// - Parameter latest: the latest such time that is believed; both in microseconds since 1970 UTC.
    package static func forEach(
        inJob job: String, now: Int64, latest: Int64, on catalog: Connection,
        _ body: (_ id: Int64, _ isLeftUnlisted: Bool) throws -> Void
    ) throws {
        try catalog.forEach(
            """
            SELECT id, is_left_unlisted FROM item
            WHERE job = ? AND is_unsettled = 1 AND state NOT IN ('gone', 'removed')
                AND (asked_again_at IS NULL OR asked_again_at <= ? OR asked_again_at > ?)
            """, job, now, latest
        ) { try body(try $0[0], try $0[1]) }
    }

    package static func setLeftUnlisted(_ isLeft: Bool, _ item: Int64, on catalog: Connection) throws {
        try catalog.run("UPDATE item SET is_left_unlisted = ? WHERE id = ?", isLeft, item)
    }
}
