/// Which items of a job a run is about; everything, unless the command line says otherwise.
package struct Selection: Sendable, Hashable {
    /// Items whose latest transfer failed or was cancelled, or that have none; nothing is listed.
    package var isFailedOnly = false
    /// Of those, only the ones that failed for one of these reasons; empty: for any.
    package var reasons: [FailureWord] = []
    /// Items take files that are in the output directory already; nothing is fetched.
    package var isAdopting = false
    /// Every selected item is fetched in full, whatever is stored.
    package var isRefreshing = false
    /// Shell patterns over item keys, of which one must match; `*` also matches `/`. Empty: every key.
    package var only: [String] = []
    /// The first so many of the list, after `only`.
    package var limit: Int?

    /// Whether `--set` changed the source, so that its list tells nothing of items that are not in it.
    package var isSourceChanged = false

    package init() {}

    /// Whether `stop_after_known` does not hold.
    package var listsEverything: Bool { isRefreshing || isAdopting || !only.isEmpty }

    /// Whether an item may be selected whose key begins with a text; false only where none can be, so that a source need
    /// not ask for such items.
    package func mayTake(keysBelow prefix: String) -> Bool {
        only.isEmpty
            || only.contains { pattern in
                // As it is it may be a key.
                if pattern.hasPrefix(prefix) { return true }
                var text = ""
                var isEscaped = false
                for character in pattern {
                    if !isEscaped, "*?[".contains(character) { return text.hasPrefix(prefix) || prefix.hasPrefix(text) }
                    isEscaped = !isEscaped && character == "\\"
                    if !isEscaped { text.append(character) }
                }
                // As it is it may be a title or a URL as well.
                return true
            }
    }

    /// Whether an item is taken up again that failed for this reason, or for none.
    package func takes(failure: FailureWord?) -> Bool {
        reasons.isEmpty || failure.map(reasons.contains) == true
    }

    /// Whether every item of the list takes part, so that what is missing from it is gone.
    package var isWhole: Bool { !isFailedOnly && !isAdopting && only.isEmpty && limit == nil && !isSourceChanged }
}
