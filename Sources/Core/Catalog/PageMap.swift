internal import HTTP
package import SQLite
import System

/// Items that have coordinates of their own, for the map.
package struct PageMap: Sendable {
    package struct Item: Sendable {
        package let id: Int64
        package let job: String
        package let collection: String
        package let latitude: Double
        package let longitude: Double
        /// The first 16 digits of the thumbnail's SHA-256.
        package let thumbnail: String?
    }

    package private(set) var items: [Item] = []
    /// Whether there are more than were taken, or could be looked at in time.
    package private(set) var isTruncated = false

    /// - Parameter microseconds: of looking through the rows.
    package init(limit: Int, within microseconds: Int64, from catalog: Connection) throws {
        struct Stop: Error {}
        let began = Monotonic.now()
        var seen = 0
        do {
            try catalog.forEach(
                """
                SELECT item.id, item.job, collection.key, metadata ->> '$.latitude', metadata ->> '$.longitude',
                    (SELECT substr(sha256, 1, 16) FROM picture
                    WHERE item_id = item.id AND kind = 'thumbnail' ORDER BY picture.position LIMIT 1)
                FROM item JOIN collection ON collection.id = collection_id
                WHERE instr(metadata, '"latitude"') > 0 AND state NOT IN ('gone', 'removed')
                """
            ) { row in
                seen += 1
                if items.count >= limit || (seen % 256 == 0 && Monotonic.now() - began > microseconds) { throw Stop() }
                let numbers: Set<Row.Storage> = [.integer, .real]
                guard numbers.contains(row.storage(of: 3)), numbers.contains(row.storage(of: 4)) else { return }
                items.append(
                    Item(
                        id: try row[0], job: try row[1], collection: try row[2], latitude: try row[3],
                        longitude: try row[4], thumbnail: try row[5]))
            }
        } catch is Stop {
            isTruncated = true
        } catch ResultCode.interrupted {
            isTruncated = true
        }
    }
}
