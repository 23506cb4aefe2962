package import SQLite

extension PageCollection {
    /// Patterns for `--only` that select the items of the collection, and those that its list has by then.
    ///
    /// Where the keys of items begin with that of their collection one pattern is enough; else they are the keys of the
    /// items that are known.
    package func patterns(from catalog: Connection) throws -> [String] {
        let keys = try catalog.rows(
            "SELECT key FROM item WHERE collection_id = ? ORDER BY position, id LIMIT 1000", id
        ) { try $0[0] as String }
        for separator in ["/", "#"] {
            let prefix = key + separator
            if keys.allSatisfy({ $0.hasPrefix(prefix) }) { return [Self.pattern(ofKeysBelow: prefix)] }
        }
        return keys.map(Self.literal)
    }

    /// The pattern for keys that begin with a text.
    static func pattern(ofKeysBelow prefix: String) -> String { literal(prefix) + "*" }

    /// A text as a pattern that matches nothing else.
    private static func literal(_ text: String) -> String {
        String(text.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
    }
}
