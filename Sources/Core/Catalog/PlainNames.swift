package import Jobs
import Model
package import SQLite

/// Rows of a time when every variable of a job file was written as `${NAME}`, in keys, titles and paths too. Names are
/// what the list says: without this a job would take all of its items for new ones.
///
/// Done once for each job, by its first run, which knows what its variables are. Files that have such names get those of
/// the job's template with the next run of the whole list.
package enum PlainNames {
    /// Whether a job's rows are of that time.
    static func isDue(_ job: String, on catalog: Connection) throws -> Bool {
        try catalog.value("SELECT EXISTS (SELECT 1 FROM masked_job WHERE name = ?)", job) ?? false
    }

    package static func restore(_ job: Job, on catalog: Connection) throws {
        guard try isDue(job.name, on: catalog) else { return }
        let secrets = job.trust.secrets
        // One that can't be expanded stays, and so does what has the name that it would get.
        func plain(_ text: String) -> String { Secrets.withoutUserinfo(secrets.expand(text) ?? text) }
        try catalog.transaction {
            let directory: String = try catalog.value("SELECT directory FROM job WHERE name = ?", job.name) ?? ""
            try catalog.run(
                "UPDATE job SET directory = ? WHERE name = ?", secrets.expand(directory) ?? directory, job.name)
            try catalog.run("DELETE FROM masked_job WHERE name = ?", job.name)
            for table in ["collection", "item"] {
                let rows = try catalog.rows(
                    """
                    SELECT id, key, title, section FROM \(table)
                    WHERE job = ? AND (instr(key || title || coalesce(section, ''), '$') OR instr(key || title, '@'))
                    """, job.name
                ) { row in
                    (
                        id: try row[0] as Int64, key: try row[1] as String, title: try row[2] as String,
                        section: try row[3] as String?
                    )
                }
                for row in rows {
                    try catalog.run(
                        "UPDATE \(table) SET title = ?, section = ? WHERE id = ?", plain(row.title),
                        row.section.map { secrets.expand($0) ?? $0 }, row.id)
                    try catalog.run(
                        "UPDATE OR IGNORE \(table) SET key = ? WHERE id = ?", plain(row.key), row.id)
                }
            }
            try restoreURLs(job, on: catalog)
            try catalog.run("INSERT OR IGNORE INTO template (job, text) VALUES (?, '')", job.name)
            try catalog.run(
                """
                UPDATE item SET template = (SELECT id FROM template WHERE job = ?1 AND text = '')
                WHERE job = ?1 AND template IS NOT NULL AND (instr(stem, '$') OR instr(stem, '@'))
                """, job.name)
        }
    }

    private static func restoreURLs(_ job: Job, on catalog: Connection) throws {
        let secrets = job.trust.secrets
        func renewed(_ url: String) -> String { secrets.expand(url).map { secrets.mask(url: $0) } ?? url }
        let rows = try catalog.rows(
            "SELECT id, url, stored_url FROM item WHERE job = ? AND (instr(url, '$') OR instr(url, '@'))", job.name
        ) { row in (id: try row[0] as Int64, url: try row[1] as String, storedURL: try row[2] as String?) }
        for row in rows where renewed(row.url) != row.url || row.storedURL.map(renewed) != row.storedURL {
            // What the variable was then is not known: whoever has the file now is asked.
            try catalog.run(
                "UPDATE item SET url = ?, stored_url = ?, expires_at = NULL WHERE id = ?", renewed(row.url),
                row.storedURL.map(renewed), row.id)
        }
    }
}
