import SQLite

/// Fills the temporary table `last_download(item_id, run_id)` with the last run before `run` that downloaded each item.
///
/// `transfer` is ordered by run, so this reads the earlier runs once, one after the other, and leaves out those that
/// downloaded nothing: of a job that runs every hour, nearly all. Looking up each item in each run would cost their
/// product. Runs that were pruned have left the last download of each item in the table `download`.
func findLastDownloads(before run: Int64, ofJob job: String, on connection: Connection) throws {
    try connection.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS last_download (item_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL);
        DELETE FROM temp.last_download
        """)
    try connection.run(
        "INSERT INTO temp.last_download SELECT item_id, run_id FROM download WHERE run_id < ?", run)
    let earlier = try connection.rows(
        """
        SELECT id FROM run WHERE job = ? AND id < ? AND (downloaded > 0 OR outcome IN ('running', 'interrupted'))
        ORDER BY id
        """, job, run
    ) { row in try row[0] as Int64 }
    let note = try connection.statement(
        """
        INSERT OR REPLACE INTO temp.last_download
        SELECT item_id, run_id FROM transfer WHERE run_id = ? AND outcome = 'downloaded'
        """)
    for id in earlier { try note.run(id) }
}
