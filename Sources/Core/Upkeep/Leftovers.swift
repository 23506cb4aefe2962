import Files
import SQLite

/// What a process that was killed between changing files and writing rows left, by the journal of an output directory.
enum Leftovers {
    typealias Intents = [RelativePath: [PublishJournal.Intent]]

    /// Brings rows up to files that were replaced, and removes files that had lost their rows or their names.
    ///
    /// - Returns: files that no row claims and that the job may replace.
    static func takeUp(
        _ journal: PublishJournal, in output: OutputDirectory, job: String, on catalog: Connection
    ) throws -> Intents {
        var left = try journal.leftovers()
        guard !left.isEmpty else { return left }
        // One pass over the rows: paths have no index.
        var claimed: [(id: Int64, path: RelativePath, sha256: String?)] = []
        try catalog.forEach("SELECT id, path, sha256 FROM item WHERE job = ? AND path IS NOT NULL", job) { row in
            guard let path = try? RelativePath(validating: try row[1]), left[path] != nil else { return }
            claimed.append((try row[0], path, try row[2]))
        }
        for row in claimed {
            guard let published = left.removeValue(forKey: row.path)?.filter({ !$0.isRetirement }),
                let intent = intent(of: row.path, among: published, in: output), intent.digest.hex != row.sha256
            else { continue }
            // The file is the newer one, whole; its validators were lost with the row.
            try catalog.run(
                """
                UPDATE item SET size = ?, sha256 = ?, etag = NULL, last_modified = NULL, expires_at = NULL
                WHERE id = ?
                """, intent.size, intent.digest.hex, row.id)
        }
        for (path, intents) in left {
            let retired = intents.filter(\.isRetirement)
            guard !retired.isEmpty, intent(of: path, among: retired, in: output) != nil else { continue }
            try output.remove(path)
            output.removeEmptyFolders(above: path)
            left[path] = nil
        }
        return left
    }

    /// Which of the intents a file is what became of; nil when it is somebody else's, or not there.
    static func intent(
        of path: RelativePath, among intents: [PublishJournal.Intent], in output: OutputDirectory
    ) -> PublishJournal.Intent? {
        guard let found = output.information(path), found.isRegular,
            intents.contains(where: { $0.size == found.size }), let digest = try? output.digest(of: path)
        else { return nil }
        return intents.first { $0.size == found.size && $0.digest == digest }
    }
}
