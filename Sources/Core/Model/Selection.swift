/// Which items of a job a run is about; everything, unless the command line says otherwise.
package struct Selection: Sendable, Hashable {
    /// Items whose latest transfer failed or was cancelled, or that have none; nothing is listed.
    package var isFailedOnly = false
    /// Every selected item is fetched in full, whatever is stored.
    package var isRefreshing = false
    /// Shell patterns over item keys, of which one must match; `*` also matches `/`. Empty: every key.
    package var only: [String] = []
    /// The first so many of the list, after `only`.
    package var limit: Int?

    /// Whether `--set` changed the source, so that its list tells nothing of items that are not in it.
    package var isSourceChanged = false

    package init() {}

    /// Whether every item of the list takes part, so that what is missing from it is gone.
    package var isWhole: Bool { !isFailedOnly && only.isEmpty && limit == nil && !isSourceChanged }
}
