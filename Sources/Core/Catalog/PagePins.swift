package import SQLite

/// A place that a person has set on the map for a job.
package struct PagePin: Sendable {
    package let id: Int64
    package let job: String
    package let name: String
    package let latitude: Double
    package let longitude: Double
    /// Kilometres around the place; nil for the source's own measure.
    package let radius: Double?
    package let createdAt: Int64
    /// How often other photos of it were asked for.
    package let turn: Int64

    /// All pins, or those of a job.
    package static func all(of job: String?, from catalog: Connection) throws -> [PagePin] {
        try catalog.rows(
            """
            SELECT id, job, name, latitude, longitude, radius, created_at, turn FROM pin
            WHERE id IS NOT NULL AND (?1 IS NULL OR job = ?1) ORDER BY created_at, id
            """, job
        ) { row in
            PagePin(
                id: try row[0], job: try row[1], name: try row[2], latitude: try row[3], longitude: try row[4],
                radius: try row[5], createdAt: try row[6], turn: try row[7])
        }
    }

    /// Sets a pin.
    ///
    /// - Returns: its id; nil where the job has a pin of that name, or the catalog no such job.
    package static func add(
        job: String, name: String, latitude: Double, longitude: Double, radius: Double?, now: Int64,
        in catalog: Connection
    ) throws -> Int64? {
        try catalog.run(
            """
            INSERT INTO pin (id, job, name, latitude, longitude, radius, created_at)
            SELECT (SELECT coalesce(max(id), 0) + 1 FROM pin), name, ?2, ?3, ?4, ?5, ?6 FROM job WHERE name = ?1
            ON CONFLICT DO NOTHING
            """, job, name, latitude, longitude, radius, now)
        guard catalog.changes > 0 else { return nil }
        return try catalog.value("SELECT id FROM pin WHERE job = ? AND name = ?", job, name)
    }

    /// Moves or renames a pin; nil leaves what is. False where there is none, or another one has the name.
    package static func change(
        _ id: Int64, name: String?, latitude: Double?, longitude: Double?, radius: Double?, in catalog: Connection
    ) throws -> Bool {
        do {
            try catalog.run(
                """
                UPDATE pin SET name = coalesce(?2, name), latitude = coalesce(?3, latitude),
                    longitude = coalesce(?4, longitude), radius = coalesce(?5, radius) WHERE id = ?1
                """, id, name, latitude, longitude, radius)
        } catch ResultCode.constraint {
            return false
        }
        return catalog.changes > 0
    }

    /// Has the next list of the job bring other photos of the pin.
    package static func takeTurn(_ id: Int64, in catalog: Connection) throws {
        try catalog.run("UPDATE pin SET turn = turn + 1 WHERE id = ?", id)
    }

    /// Removes a pin. False where there is none.
    package static func remove(_ id: Int64, in catalog: Connection) throws -> Bool {
        try catalog.run("DELETE FROM pin WHERE id = ?", id)
        return catalog.changes > 0
    }
}
