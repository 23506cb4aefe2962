import Files
import SQLite

/// A job whose job file names another output directory than before.
///
/// A directory that was moved, or copied, is taken as it is. Of all else the rows claim nothing in the new directory: what
/// is not there is fetched again, and what somebody else has there is not overwritten. Files in the old directory stay.
struct DirectoryChange {
    /// As the catalog has it.
    private let old: String
    private let new: String
    /// Items whose files are not in the new directory, and how many are.
    private var lost: [Int64] = []
    private var kept = 0
    /// Items of whose pictures one is not in the new directory.
    private var pictureless: Set<Int64> = []

    /// Looks at the files that rows claim; nil when the directory is the same as ever, or the job is new.
    init?(_ job: Job, _ output: OutputDirectory, on catalog: Connection) throws {
        new = job.output.directory
        guard let old = try Self.oldDirectory(of: job, on: catalog) else { return nil }
        self.old = old
        // In a directory that no run has written to only the bytes can tell whose a file is.
        let isOwn = PublishJournal.exists(in: output)
        try catalog.forEach("SELECT id, path, size, sha256 FROM item WHERE job = ? AND path IS NOT NULL", job.name) {
            row in
            if let size = try row[2] as Int64?, let sha256 = try row[3] as String?,
                let path = try? RelativePath(validating: try row[1]), let found = output.information(path),
                found.isRegular, found.size == size, try isOwn || output.digest(of: path).hex == sha256
            {
                kept += 1
            } else {
                lost.append(try row[0])
            }
        }
        let pictures = Set(try output.pictureNames())
        try catalog.forEach(
            "SELECT item_id, picture.path FROM picture JOIN item ON item.id = item_id WHERE job = ?", job.name
        ) { row in
            let name = try (row[1] as String).split(separator: "/").last.map(String.init)
            if name.map(pictures.contains) != true { pictureless.insert(try row[0]) }
        }
    }

    /// Has the rows claim nothing that is not there.
    func apply(on catalog: Connection) throws {
        for id in lost {
            try catalog.run(
                """
                UPDATE item SET path = NULL, size = NULL, sha256 = NULL, stored_url = NULL, etag = NULL,
                    last_modified = NULL, expires_at = NULL, is_unsettled = 1,
                    state = CASE state WHEN 'stored' THEN iif(failure IS NULL, 'pending', 'failed') ELSE state END
                WHERE id = ?
                """, id)
        }
        for id in pictureless { _ = try PictureRows.delete(ofItem: id, on: catalog) }
    }

    /// What to tell of it; nil when all files are there.
    var warning: String? {
        guard !lost.isEmpty else { return nil }
        return "output.directory has changed, and \(lost.count) of \(lost.count + kept) files are not in \(new): "
            + "they are fetched again, and what is in \(old) stays there"
    }
}
