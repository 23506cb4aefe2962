package import Model
package import SQLite

/// What a source module remembers from run to run, such as the name that goes with an identifier, to ask for it once
/// only. Kept in the catalog's table `memory`, for all jobs with the module.
package struct SourceMemory: Sendable {
    /// What was last remembered so many microseconds ago is forgotten: 400 days, so that a yearly run finds it.
    static let longestAge: Int64 = 400 * 86_400_000_000

    /// The module's type name.
    let source: String
    let secrets: Secrets
    /// The catalog; opened no sooner than it is needed.
    let store: @Sendable () throws -> CatalogStore
    /// Microseconds since 1970 UTC.
    let now: @Sendable () -> Int64

    package init(
        source: String, secrets: Secrets, store: @escaping @Sendable () throws -> CatalogStore,
        now: @escaping @Sendable () -> Int64
    ) {
        self.source = source
        self.secrets = secrets
        self.store = store
        self.now = now
    }

    /// Where the memory of a job's list is.
    package static func listKey(of job: String) -> String { "list of \(job)" }

    /// What the last list of a job remembered; nil for the first.
    package func recallList(of job: String) async throws -> String? {
        try await recall([Self.listKey(of: job)], youngerThan: Self.longestAge).values.first
    }

    package func recall(_ keys: [String], youngerThan age: Int64) async throws -> [String: String] {
        let (source, secrets, now) = (source, secrets, now())
        return try await store().perform { catalog in
            var found: [String: String] = [:]
            for key in keys {
                let value: String? = try catalog.value(
                    // What was kept in the future was kept by a clock that was wrong.
                    "SELECT value FROM memory WHERE source = ? AND key = ? AND kept_at BETWEEN ? AND ?", source,
                    secrets.mask(key), now - age, now)
                found[key] = value.flatMap { secrets.expand($0) }
            }
            return found
        }
    }

    package func remember(_ values: [String: String]) async throws {
        let (source, secrets, now) = (source, secrets, now())
        try await store().perform { catalog in
            try catalog.transaction {
                for (key, value) in values {
                    try Self.write(
                        secrets.mask(value), as: secrets.mask(key), of: source, on: catalog, now: now)
                }
                try catalog.run(
                    "DELETE FROM memory WHERE source = ? AND kept_at < ?", source, now - Self.longestAge)
            }
        }
    }

    /// Writes a row; secrets are hidden already.
    package static func write(_ value: String, as key: String, of source: String, on catalog: Connection, now: Int64)
        throws
    {
        try catalog.run(
            """
            INSERT INTO memory (source, key, value, kept_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (source, key) DO UPDATE SET value = excluded.value, kept_at = excluded.kept_at
            """, source, key, value, now)
    }
}
