import Catalog
import Files
import SQLite

/// Metadata files that go with the files that they are about.
///
/// Their rows go in the transaction that has the items claim no file; the journal has them before.
struct SidecarRemoval {
    private var sidecars: [Int64: Sidecar] = [:]

    /// Finds the metadata files of some items.
    init(ofItems items: some Sequence<Int64>, on catalog: Connection) throws {
        for item in items {
            if let sidecar = try SidecarRows.sidecar(ofItem: item, on: catalog) { sidecars[item] = sidecar }
        }
    }

    /// For the journal, before rows and files go.
    var intents: [PublishJournal.Intent] { sidecars.values.map(\.retirement) }

    /// Deletes the rows.
    func deleteRows(on catalog: Connection) throws {
        for item in sidecars.keys { try SidecarRows.delete(ofItem: item, on: catalog) }
    }

    /// Removes the metadata files of all items but some.
    ///
    /// - Returns: the items whose metadata files can't be removed.
    func removeFiles(besides others: Set<Int64>, in output: OutputDirectory) -> [Int64] {
        sidecars.keys.filter { item in
            guard !others.contains(item) else { return false }
            do throws(FileError) {
                try removeFile(ofItem: item, in: output)
                return false
            } catch {
                return true
            }
        }
    }

    /// Has the metadata files of items be theirs again.
    func restoreRows(ofItems items: some Sequence<Int64>, on catalog: Connection) throws {
        for item in items {
            if let sidecar = sidecars[item] { try SidecarRows.set(sidecar, on: catalog) }
        }
    }

    /// What became of a metadata file.
    enum Ending {
        case removed
        /// Somebody has changed it.
        case stays(RelativePath)
        /// There was none.
        case missing
    }

    /// Removes the metadata file of an item. One that somebody has changed stays.
    @discardableResult
    func removeFile(ofItem item: Int64, in output: OutputDirectory) throws(FileError) -> Ending {
        guard let sidecar = sidecars[item], output.information(sidecar.path) != nil else { return .missing }
        guard sidecar.isUnchanged(in: output) else { return .stays(sidecar.path) }
        try output.remove(sidecar.path)
        output.removeEmptyFolders(above: sidecar.path)
        return .removed
    }
}
