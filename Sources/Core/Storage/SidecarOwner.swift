import Catalog
package import Files
import JSON
package import SQLite

/// Whose a metadata file is by what it says: when items exchange their titles it has the name of another one's.
package struct SidecarOwner {
    /// Bytes of a metadata file that is read to see whose it is.
    private static let longestRead: Int64 = 1 << 24

    package let item: Int64
    /// Of the file.
    package let digest: SHA256Digest

    /// nil for what is no metadata file of one of the job's items.
    package init?(
        of path: RelativePath, in output: OutputDirectory, job: String, on catalog: Connection
    ) throws {
        guard let found = output.information(path), found.isRegular, found.size <= Self.longestRead,
            let bytes = try? output.beginning(of: path, count: Int(found.size)),
            case .object(let members)? = JSONValue(parsing: bytes), case .text(let key)? = members["key"],
            let item = try ItemRows.find(key: key, inJob: job, on: catalog)?.id
        else { return nil }
        self.item = item
        digest = SHA256Digest(of: bytes)
    }
}
