package import SQLite

extension CatalogLocation {
    /// Changes an existing catalog in one short transaction, which waits a while for other writers. Blocks.
    ///
    /// - Throws: ``CatalogError`` without a catalog; what SQLite throws, as `busy` and `readOnly`.
    package static func write<T>(_ path: String, _ body: (Connection) throws -> T) throws -> T {
        let catalog = try openExisting(path)
        defer { catalog.close() }
        return try catalog.transaction { try body(catalog) }
    }
}
