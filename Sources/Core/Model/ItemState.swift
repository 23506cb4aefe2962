/// `item.state`: what there is of an item's file.
package enum ItemState: String, Sendable, CaseIterable {
    /// There is no file yet.
    case pending
    /// A verified file is at the item's path.
    case stored
    /// There is no file, and the last transfer failed.
    case failed
    /// No longer listed; a file that it had stays.
    case gone
    /// Removed by a person, and not fetched again.
    case removed
    /// The file has gone to keep within `output.max_bytes`.
    case evicted
}
