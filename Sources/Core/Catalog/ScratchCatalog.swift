import Glibc
import SQLite

/// A catalog that is thrown away, to try on it what a run would do.
package enum ScratchCatalog {
    /// Copies a catalog as it is now, whatever other processes write meanwhile, and opens the copy. It begins empty where
    /// there is none.
    ///
    /// - Parameter copy: the path of the copy, in a folder for what is thrown away.
    /// - Throws: what opening either has thrown.
    package static func open(copyOf database: String, at copy: String) async throws -> CatalogStore {
        if access(database, F_OK) == 0 {
            let original = try CatalogLocation.openForReading(database)
            defer { original.close() }
            try original.run("VACUUM INTO ?", copy)
        }
        let store = try CatalogStore(path: copy)
        // Nothing waits for the disk, and the paths of a million items are compared in memory.
        try await store.perform { catalog in
            try catalog.execute(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -\(32 << 10)")
        }
        return store
    }
}
