package import SQLite

/// A collection as the catalog has it, for the page.
package struct PageCollection: Sendable {
    package let id: Int64
    package let job: String
    package let key: String
    package let title: String
    package let subtitle: String?
    package let section: String?
    package let latitude: Double?
    package let longitude: Double?
    package let expected: Int64?

    private static let columns =
        "SELECT id, job, key, title, subtitle, section, latitude, longitude, expected FROM collection"

    /// Those of a job, in the order of its list.
    package static func all(of job: String, from catalog: Connection) throws -> [PageCollection] {
        try catalog.rows("\(columns) WHERE job = ? ORDER BY position, id", job) { try PageCollection($0) }
    }

    /// Those of all jobs that have a section: alphabetical by section, and by title within.
    package static func places(from catalog: Connection) throws -> [PageCollection] {
        try catalog.rows("\(columns) WHERE section IS NOT NULL") { try PageCollection($0) }
            .map { (key: [searchable($0.section ?? ""), [0], searchable($0.title)], place: $0) }
            .sorted { one, other in
                one.key.lexicographicallyPrecedes(other.key) { $0.lexicographicallyPrecedes($1) }
            }
            .map(\.place)
    }

    /// Those of all jobs that have coordinates.
    package static func located(from catalog: Connection) throws -> [PageCollection] {
        try catalog.rows("\(columns) WHERE latitude IS NOT NULL AND longitude IS NOT NULL ORDER BY id") {
            try PageCollection($0)
        }
    }

    package static func one(_ key: String, of job: String, from catalog: Connection) throws -> PageCollection? {
        try catalog.first("\(columns) WHERE job = ? AND key = ?", job, key) { try PageCollection($0) }
    }

    private init(_ row: borrowing Row) throws {
        id = try row[0]
        job = try row[1]
        key = try row[2]
        title = try row[3]
        subtitle = try row[4]
        section = try row[5]
        latitude = try row[6]
        longitude = try row[7]
        expected = try row[8]
    }

    /// Items with a thumbnail, of the first ones of the list.
    package static func covers(of id: Int64, limit: Int = 1, from catalog: Connection) throws -> [PageCover] {
        try catalog.rows(
            """
            SELECT item_id, substr(picture.sha256, 1, 16), min(picture.position)
            FROM (SELECT id FROM item WHERE collection_id = ?1 ORDER BY position, id LIMIT 24) AS leading
            JOIN picture ON item_id = leading.id AND kind = 'thumbnail'
            GROUP BY item_id LIMIT ?2
            """, id, limit
        ) { PageCover(item: try $0[0], thumbnail: try $0[1]) }
    }
}
