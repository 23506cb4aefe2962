import Catalog
import Files
import JSON
import Jobs
import Model
import SQLite
import Storage
import Transfer

/// The metadata files beside stored files, of a job with `output.sidecar`: written once their items' rows are committed,
/// and written again when what they tell changes or they are missing.
///
/// What they have follows from the rows alone, so that a run after a crash writes what is missing. A file that the job has
/// not written, or that somebody has changed since, stays as it is.
///
/// Confined to the catalog's queue, like the ledger.
final class Sidecars {
    private let context: RunContext
    private let journal: RunJournal
    /// Items whose metadata files are to be looked at.
    private var due: [Int64] = []
    /// Files that are somebody else's, and the first of them.
    private var strangers = 0
    private var firstStranger: RelativePath?
    /// Metadata files that could not be written, and why the first could not.
    private var faults = 0
    private var firstFault: String?

    init(_ context: RunContext, _ journal: RunJournal) {
        self.context = context
        self.journal = journal
    }

    /// An item has ended: its row tells of its file from the next commit on.
    func note(_ item: Int64) {
        due.append(item)
    }

    /// A metadata file that is to be as its item's row says.
    private struct Change {
        let sidecar: Sidecar
        let part: SealedPart
        /// What the item has so far.
        let recorded: Sidecar?
        /// What each metadata file of the item begins with.
        let beginning: [UInt8]

        /// A file that goes, since the item has its metadata elsewhere now.
        var superseded: Sidecar? { recorded.flatMap { $0.path == sidecar.path ? nil : $0 } }
    }

    /// Writes what the items noted so far need: journal, files, rows.
    ///
    /// - Throws: what the catalog has thrown.
    func write(on catalog: Connection) throws {
        defer { due.removeAll(keepingCapacity: true) }
        guard !due.isEmpty, journal.file != nil else { return }
        if context.selection.isAdopting { return try adopt(on: catalog) }
        var changes: [Change] = []
        for item in due {
            do {
                if let change = try change(ofItem: item, on: catalog) { changes.append(change) }
            } catch let error where error is FileError || error is InvalidPath {
                noteFault(error)
            }
        }
        guard !changes.isEmpty else { return }
        do {
            try write(changes, on: catalog)
        } catch let error as FileError {
            for change in changes { try? change.part.discard(in: context.output) }
            journal.keep()
            noteFault(error, count: changes.count)
        }
    }

    /// Takes the metadata files that are there already and are as they would be written. Others may have been edited, and
    /// stay nobody's.
    private func adopt(on catalog: Connection) throws {
        try catalog.transaction {
            for item in due where try SidecarRows.sidecar(ofItem: item, on: catalog) == nil {
                guard let content = try SidecarRows.content(ofItem: item, on: catalog),
                    let path = try? RelativePath(validating: content.path + ".json")
                else { continue }
                let bytes = content.json
                let sidecar = Sidecar(
                    item: item, path: path, size: Int64(bytes.count), digest: SHA256Digest(of: bytes))
                guard sidecar.isUnchanged(in: context.output), try !isClaimed(path, on: catalog) else { continue }
                try SidecarRows.set(sidecar, on: catalog)
            }
        }
    }

    /// nil where the metadata file is what it is to be.
    private func change(ofItem item: Int64, on catalog: Connection) throws -> Change? {
        guard let content = try SidecarRows.content(ofItem: item, on: catalog) else { return nil }
        let path = try RelativePath(validating: content.path + ".json")
        let bytes = content.json
        let digest = SHA256Digest(of: bytes)
        let recorded = try SidecarRows.sidecar(ofItem: item, on: catalog)
        if let recorded, recorded.path == path, recorded.digest == digest,
            let found = context.output.information(path), found.isRegular, found.size == recorded.size
        {
            return nil
        }
        let part = try context.output.makePart("sidecar-\(item)", bytes, digest)
        return Change(
            sidecar: Sidecar(item: item, path: path, size: part.size, digest: digest), part: part, recorded: recorded,
            beginning: content.beginning)
    }

    private func write(_ changes: [Change], on catalog: Connection) throws {
        let isDurable = context.job.transfer.durability == .batch
        try journal.record(
            changes.flatMap { change in
                let sidecar = change.sidecar
                let intent = PublishJournal.Intent(path: sidecar.path, size: sidecar.size, digest: sidecar.digest)
                return [intent] + (change.superseded.map { [$0.retirement] } ?? [])
            })
        if isDurable { try context.output.flushData() }
        var written: [Change] = []
        var refused: [Change] = []
        var displaced: [Int64] = []
        for change in changes {
            if try publish(change, &displaced, on: catalog) { written.append(change) } else { refused.append(change) }
        }
        if isDurable { try context.output.flushFolders() }
        try catalog.transaction {
            for item in displaced { try SidecarRows.delete(ofItem: item, on: catalog) }
            // One that was edited where it is stays its item's: `verify` reports it.
            for change in refused where change.superseded != nil {
                try SidecarRows.delete(ofItem: change.sidecar.item, on: catalog)
            }
            for change in written { try SidecarRows.set(change.sidecar, on: catalog) }
        }
        for change in changes {
            guard let old = change.superseded, old.isUnchanged(in: context.output), isOfItem(change, old.path) else {
                continue
            }
            try context.output.remove(old.path)
            context.output.removeEmptyFolders(above: old.path)
        }
        journal.clear()
    }

    /// Whether a metadata file says that it is the item's: another one may have its old name by now.
    private func isOfItem(_ change: Change, _ path: RelativePath) -> Bool {
        (try? context.output.beginning(of: path, count: change.beginning.count)) == change.beginning
    }

    /// Gives a metadata file its name; false where somebody else's file has that.
    ///
    /// - Parameter displaced: gets an item whose metadata file had the name, as when items exchange their titles.
    private func publish(_ change: Change, _ displaced: inout [Int64], on catalog: Connection) throws -> Bool {
        let path = change.sidecar.path
        var outcome = try context.output.publish(change.part, as: path, replacing: false)
        if outcome == .exists {
            if try isOwn(change, on: catalog) {
                outcome = try context.output.publish(change.part, as: path, replacing: true)
            } else if let former = try formerOwner(of: path, on: catalog) {
                outcome = try context.output.publish(change.part, as: path, replacing: true)
                displaced.append(former)
            }
        }
        if outcome == .published { return true }
        try change.part.discard(in: context.output)
        if outcome == .exists, change.sidecar.isUnchanged(in: context.output), try !isClaimed(path, on: catalog) {
            return true
        }
        strangers += 1
        firstStranger = firstStranger ?? path
        return false
    }

    /// Whether what is at the path was written by this job and not changed since.
    private func isOwn(_ change: Change, on catalog: Connection) throws -> Bool {
        if let recorded = change.recorded, recorded.path == change.sidecar.path {
            if recorded.isUnchanged(in: context.output) { return true }
        }
        return try journal.isLeftover(change.sidecar.path) && !isClaimed(change.sidecar.path, on: catalog)
    }

    /// The item that a metadata file of this job says that it is of, where it is that one's and unchanged.
    private func formerOwner(of path: RelativePath, on catalog: Connection) throws -> Int64? {
        guard let owner = try SidecarOwner(of: path, in: context.output, job: context.job.name, on: catalog),
            let recorded = try SidecarRows.sidecar(ofItem: owner.item, on: catalog)
        else { return nil }
        return recorded.path == path && recorded.digest == owner.digest ? owner.item : nil
    }

    /// Whether the path is that of an item's file.
    private func isClaimed(_ path: RelativePath, on catalog: Connection) throws -> Bool {
        try ItemRows.isClaimed(path: path.text, besides: 0, inJob: context.job.name, on: catalog)
    }

    private func noteFault(_ error: any Error, count: Int = 1) {
        faults += count
        firstFault = firstFault ?? "\(error)"
    }

    /// What to tell of files without their metadata.
    var warnings: [String] {
        var warnings: [String] = []
        if let path = firstStranger {
            let others = strangers - 1
            let (verb, they) = others == 0 ? ("was", "it stays as it is") : ("were", "they stay as they are")
            let rest = others == 0 ? "" : " and \(others) other\(others == 1 ? "" : "s")"
            warnings.append(
                "\(path)\(rest) \(verb) not written by this job, or \(verb) changed since: \(they), and no metadata is "
                    + "written there")
        }
        if let fault = firstFault {
            let count = faults == 1 ? "a file" : "\(faults) files"
            warnings.append("the metadata of \(count) could not be written, and the next run tries again: \(fault)")
        }
        return warnings
    }
}

extension SidecarContent {
    /// The first members, which say whose metadata it is.
    private var opened: JSONWriter {
        var json = JSONWriter()
        json.beginObject()
        json.line("job", job)
        json.line("key", key)
        return json
    }

    /// What every metadata file of the item begins with.
    fileprivate var beginning: [UInt8] {
        var json = opened
        json.nextLine()
        return json.bytes
    }

    /// A JSON object, a member on each line; members without a value are left out.
    fileprivate var json: [UInt8] {
        var json = opened
        json.line("url", url)
        json.line("title", title)
        json.line("description", description)
        json.line("section", section ?? collection.section)
        json.nextLine()
        json.key("collection")
        json.beginObject()
        json.member("key", collection.key)
        json.member("title", collection.title)
        if let subtitle = collection.subtitle { json.member("subtitle", subtitle) }
        for (name, degrees) in [("latitude", collection.latitude), ("longitude", collection.longitude)] {
            guard let degrees else { continue }
            json.key(name)
            json.value(degrees)
        }
        json.endObject()
        json.line("thumbnail_url", thumbnailURL)
        if let size {
            json.nextLine()
            json.member("size", size)
        }
        json.line("sha256", sha256)
        if let metadata {
            json.nextLine()
            json.key("metadata")
            json.value(encoded: Array(metadata.utf8))
        }
        json.endLine()
        json.endObject()
        json.endLine()
        return json.bytes
    }
}

extension JSONWriter {
    /// A member on a line of its own, unless it has no value.
    fileprivate mutating func line(_ name: String, _ value: String?) {
        guard let value else { return }
        nextLine()
        member(name, value)
    }
}
