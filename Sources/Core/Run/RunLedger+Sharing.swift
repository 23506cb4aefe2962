import Files
import Jobs
import Model
import SQLite
import Storage
import Transfer

/// Storing equal bytes once: `output.deduplicate`.
extension RunLedger {
    /// Reads which bytes the job has, if it stores equal ones once: nine bytes of memory an item.
    func readStoredBytes(on catalog: Connection) throws {
        guard context.job.output.deduplicates else { return }
        var stored = StoredBytes()
        try catalog.forEach(
            "SELECT id, sha256 FROM item WHERE job = ? AND state = 'stored' AND sha256 IS NOT NULL", context.job.name
        ) { row in
            if let digest = SHA256Digest(hex: try row[1]) { stored.add(digest, of: try row[0]) }
        }
        storedBytes = stored
    }

    /// Lets a body that is about to get its name share the room of a stored file with the same bytes.
    ///
    /// - Returns: whether it does; false where there is no such file, or no way to share it.
    func share(_ body: SealedPart, on catalog: Connection) throws -> Bool {
        guard let stored = storedBytes else { return false }
        if let path = stored.path(of: body.digest) { return try context.output.share(body, with: path) == .shared }
        for item in stored.candidates(body.digest) {
            let path: String? = try catalog.value(
                "SELECT path FROM item WHERE id = ? AND state = 'stored' AND sha256 = ? AND path IS NOT NULL", item,
                body.digest.hex)
            guard let path = try path.map(RelativePath.init(validating:)) else { continue }
            switch try context.output.share(body, with: path) {
            case .shared: return true
            case .different: continue
            // Nor will the others: they are on the same file system, or names of the same file.
            case .impossible: return false
            }
        }
        return false
    }

    /// Remembers files that have got their rows.
    func noteStored(_ items: [PublishedItem]) {
        guard storedBytes != nil else { return }
        for published in items where published.item.record.outcome == .downloaded {
            if let digest = published.file?.sha256 { storedBytes?.add(digest, of: published.item.work.id) }
        }
        storedBytes?.commit()
    }
}
