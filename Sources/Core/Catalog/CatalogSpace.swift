package import SQLite

/// The space that a catalog takes on its disk.
package enum CatalogSpace {
    /// Bytes of its file, what is free in it included.
    static func size(of catalog: Connection) throws -> Int64 {
        try number("page_count", catalog) * number("page_size", catalog)
    }

    /// Gives free pages back to the disk, where a quarter of the file and a mebibyte are free.
    ///
    /// Less is soon used again, and only a rewrite of the whole file can give it back: one that could do so page by page
    /// (`auto_vacuum`) would make every run pay for it. While a run is at work nothing is done, since it would have to wait
    /// for the rewrite to end. Neither a full disk nor a reader that prevents it is an error: the pages stay free.
    package static func reclaim(on catalog: Connection) throws {
        let free = try number("freelist_count", catalog)
        guard try free * 4 >= number("page_count", catalog), try free * number("page_size", catalog) >= 1 << 20,
            try RunLiveness.running(on: catalog).isEmpty
        else { return }
        do {
            try catalog.execute("VACUUM")
            try catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch ResultCode.busy, ResultCode.full {
            return
        }
    }

    private static func number(_ pragma: String, _ catalog: Connection) throws -> Int64 {
        try catalog.value("PRAGMA \(pragma)") ?? 0
    }
}
