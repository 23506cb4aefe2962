package import SQLite

/// What the catalog says of whose an output directory is.
package enum OwnershipRows {
    /// What output directories know the catalog by; empty where somebody has deleted it.
    package static func identity(of catalog: Connection) throws -> String {
        try catalog.value("SELECT id FROM identity") ?? ""
    }

    /// Has the identity outlast a loss of power, as far as readers permit.
    package static func keepIdentity(on catalog: Connection) throws {
        try catalog.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// The other jobs of the catalog by name, each with its directory.
    package static func directories(
        ofOthersThan job: String, on catalog: Connection
    ) throws -> [(job: String, directory: String)] {
        try catalog.rows("SELECT name, directory FROM job WHERE name <> ? ORDER BY name", job) {
            (job: try $0[0], directory: try $0[1])
        }
    }
}
