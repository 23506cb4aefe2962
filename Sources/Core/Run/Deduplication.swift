import Catalog
import Files
import Model
import SQLite
import Storage
import Transfer

/// Storing equal bytes once: `output.deduplicate`.
///
/// Confined to the catalog's queue, like the ledger.
final class Deduplication {
    private let output: OutputDirectory
    /// Where bytes are stored already: nine bytes of memory an item.
    private var stored = StoredBytes()

    /// Reads which bytes a job has.
    init(job: String, in output: OutputDirectory, on catalog: Connection) throws {
        self.output = output
        try ItemRows.forEachDigest(inJob: job, on: catalog) { item, hex in
            if let digest = SHA256Digest(hex: hex) { stored.add(digest, of: item) }
        }
    }

    /// Lets a body that is about to get its name share the room of a stored file with the same bytes.
    ///
    /// - Returns: whether it does; false where there is no such file, or no way to share it.
    func share(_ body: SealedPart, on catalog: Connection) throws -> Bool {
        if let path = stored.path(of: body.digest) { return try output.share(body, with: path) == .shared }
        for item in stored.candidates(body.digest) {
            let path = try ItemRows.path(of: item, with: body.digest, on: catalog)
            guard let path = try path.map(RelativePath.init(validating:)) else { continue }
            switch try output.share(body, with: path) {
            case .shared: return true
            case .different: continue
            // Nor will the others: they are on the same file system, or names of the same file.
            case .impossible: return false
            }
        }
        return false
    }

    /// Remembers a file that has its name and no row yet.
    func note(_ digest: SHA256Digest, at path: RelativePath) {
        stored.add(digest, at: path)
    }

    /// Remembers files that have got their rows.
    func noteStored(_ items: [PublishedItem]) {
        for published in items where published.item.record.outcome == .downloaded {
            if let digest = published.file?.sha256 { stored.add(digest, of: published.item.work.id) }
        }
        stored.commit()
    }
}
