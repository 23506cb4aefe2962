import Catalog
import Files
import HTTP
import Jobs
import Media
import Model
import SQLite
import Storage
import Transfer

/// Items whose paths the job would make otherwise now, since the template of paths has changed or what the list calls them:
/// their files get other names and are not fetched.
///
/// A row has the number of the template that its path was made with. In a run of the whole list an item with another one
/// gets the path that a new item would get, numbers included: whoever else still has that path by an older template makes
/// way for it. An item whose title, section or collection is called otherwise, where the template uses that, gets a new
/// path in the same way. Other runs leave paths as they are, and note what is to be renamed.
///
/// A file has its new name before the row does and its old one until the row is committed; the journal has both, so that
/// after the death of the process the one that no row claims goes.
struct PathRenaming {
    /// The number of the job's present template.
    var template: Int64 = 0
    /// The number of no template, which rows have whose names changed in a run of a part of the list.
    var noTemplate: Int64?
    /// Whether rows may have other ones.
    var isDue = false
    /// What of the list's words the template uses.
    var usesTitle = false
    var usesSection = false
    var usesCollection = false
    /// See ``PathTemplate/mayNameFilesLikeFolders``.
    var mayNameFilesLikeFolders = false
    /// Files that have two names until the page is committed, the old ones by themselves as well.
    var pending: [(old: RelativePath, new: RelativePath)] = []
    var pendingOld: Set<RelativePath> = []
    /// For a plan, which renames nothing: the paths that items will have.
    var planned: [Int64: String] = [:]
    /// Files that could not be renamed, and why the first could not.
    var faults = 0
    var firstFault: String?
}

extension RunLedger {
    /// Finds the number of the job's template.
    func beginRenaming(on catalog: Connection) throws {
        let template = context.job.output.template
        renaming.usesTitle = template.uses("title")
        renaming.usesSection = template.uses("section")
        renaming.usesCollection = template.uses("collection")
        renaming.mayNameFilesLikeFolders = template.mayNameFilesLikeFolders
        let text = template.text
        let name = context.job.name
        renaming.template = try number(ofTemplate: text, on: catalog)
        let others: Int64? = try catalog.value(
            "SELECT id FROM template WHERE job = ? AND id <> ? LIMIT 1", name, renaming.template)
        renaming.isDue = others != nil && context.selection.isWhole
    }

    private func number(ofTemplate text: String, on catalog: Connection) throws -> Int64 {
        let name = context.job.name
        try catalog.run("INSERT OR IGNORE INTO template (job, text) VALUES (?, ?)", name, text)
        return try catalog.value("SELECT id FROM template WHERE job = ? AND text = ?", name, text) ?? 0
    }

    /// After a complete list of everything: forgets templates by which no row is named any more.
    func endRenaming(on catalog: Connection) throws {
        guard renaming.isDue else { return }
        try catalog.run(
            """
            DELETE FROM template WHERE job = ?1 AND id <> ?2 AND NOT EXISTS (
                SELECT 1 FROM item WHERE item.job = ?1 AND item.template = template.id)
            """, context.job.name, renaming.template)
    }

    /// Whether the list calls an item otherwise than its row does, in words that its path has.
    func isNamedAnew(_ row: ItemRow, _ listing: Listing, _ collection: ListedCollectionRow) -> Bool {
        if renaming.usesTitle, row.title != listing.title { return true }
        guard renaming.usesSection || renaming.usesCollection else { return false }
        // One that has come from another collection has its words.
        guard row.collectionID == collection.id, let former = collection.former else { return true }
        if renaming.usesCollection, former.title != collection.title { return true }
        return renaming.usesSection
            && (row.section ?? former.section) != (listing.section ?? collection.section)
    }

    /// Gives a listed item the path that the present template says.
    ///
    /// - Parameters:
    ///   - stem: by the list; nil for an item that can't be fetched, which keeps its path.
    ///   - isNamedAnew: whether the list calls it otherwise than before.
    func rename(_ row: ItemRow, to stem: String?, isNamedAnew: Bool, on catalog: Connection) throws -> ItemRow {
        guard let stem else { return row }
        if row.stem.isEmpty { return try move(row, to: claim(stem, for: row.id, on: catalog), on: catalog) }
        guard row.template != renaming.template || isNamedAnew else { return row }
        if !context.selection.isWhole {
            let isNoted = row.template != nil && row.template != renaming.template
            return isNamedAnew && !isNoted ? try noteNamedAnew(row, on: catalog) : row
        }
        // A row of a time when templates were not counted is named by the present one.
        guard row.template != nil || isNamedAnew else { return try move(row, to: nil, on: catalog) }
        do {
            var stem = stem
            var name = try claim(stem, for: row.id, on: catalog)
            while true {
                switch try tryMove(row, to: name, on: catalog) {
                case .moved(let row): return row
                case .taken: name = try freeName(stem, on: catalog)
                case .blocked(let file, let type):
                    name = try freeName(name.stem, besideFile: file, type, on: catalog)
                    stem = name.stem
                }
            }
        } catch let error where error is FileError || error is InvalidPath {
            // The path alone is at fault: the item keeps the one that it has.
            renaming.faults += 1
            renaming.firstFault = renaming.firstFault ?? "\(error)"
            return row
        }
    }

    /// Has a later run of the whole list rename an item.
    private func noteNamedAnew(_ row: ItemRow, on catalog: Connection) throws -> ItemRow {
        let none = try renaming.noTemplate ?? number(ofTemplate: "", on: catalog)
        renaming.noTemplate = none
        var row = row
        row.template = none
        try catalog.run("UPDATE item SET template = ? WHERE id = ?", none, row.id)
        return row
    }

    /// Gives an item that has a path by an older template the next number of it.
    func displace(_ row: ItemRow, on catalog: Connection) throws {
        while true {
            let name = try freeName(row.stem, on: catalog)
            // It stays in the folder that it is in.
            if case .moved = try tryMove(row, to: name, keeping: row.template, on: catalog) { return }
        }
    }

    /// What became of an item that was to have another path.
    private enum Move {
        case moved(ItemRow)
        /// Somebody else's file is there.
        case taken
        /// One of the folders is a file; and the extension of the item's own.
        case blocked(RelativePath, String)
    }

    /// Gives a row and its file another path.
    private func tryMove(
        _ row: ItemRow, to name: ItemName, keeping template: Int64? = nil, on catalog: Connection
    ) throws -> Move {
        guard row.stem != name.stem, let old = try row.path.map({ try RelativePath(validating: $0) }),
            let found = context.output.information(old), found.isRegular
        else {
            let path = row.stem == name.stem ? row.path : nil
            return .moved(try move(row, to: name, path: path, template: template, on: catalog))
        }
        let type = try row.extension ?? fileExtension(of: old, try? url(of: row), row.mediaType)
        let path = PathTemplate.path(stem: name.stem, extension: type)
        let new = try RelativePath(validating: path)
        guard new != old else {
            return .moved(try move(row, to: name, path: path, type: type, template: template, on: catalog))
        }
        if planned != nil {
            renaming.planned[row.id] = path
            return .moved(try move(row, to: name, path: row.path, type: type, template: template, on: catalog))
        }
        if renaming.pendingOld.contains(new) {
            // Another item leaves the name, and does so with the commit of its row.
            try writeFigures(on: catalog)
            try flushRenamed()
            try catalog.renewTransaction()
            removeOldNames()
        }
        if let file = context.output.firstFile(above: new) { return .blocked(file, type) }
        let digest = try row.digest(ifSize: found.size) ?? context.output.digest(of: old)
        try journal?.record(
            [old, new].map {
                PublishJournal.Intent(path: $0, size: found.size, digest: digest, isRetirement: true)
            })
        var isNamed = try context.output.addName(new, to: old)
        if !isNamed, let intents = leftovers[new],
            CrashRecovery.intent(of: new, among: intents, in: context.output) != nil
        {
            try context.output.remove(new)
            isNamed = try context.output.addName(new, to: old)
        }
        guard isNamed else { return .taken }
        renaming.pending.append((old, new))
        renaming.pendingOld.insert(old)
        return .moved(try move(row, to: name, path: path, type: type, template: template, on: catalog))
    }

    private func move(
        _ row: ItemRow, to name: ItemName?, path: String? = nil, type: String? = nil, template: Int64? = nil,
        on catalog: Connection
    ) throws -> ItemRow {
        var new = row
        new.template = template ?? renaming.template
        if let name {
            new.stem = name.stem
            new.path = path
            new.extension = type ?? row.extension
            try catalog.run(
                "UPDATE item SET stem = ?, path_hash = ?, path = ?, extension = ?, template = ? WHERE id = ?",
                name.stem, name.hash, path, new.extension, new.template, row.id)
        } else {
            try catalog.run("UPDATE item SET template = ? WHERE id = ?", new.template, row.id)
        }
        return new
    }

    /// The extension of a file whose row is older than the column for it.
    func fileExtension(of path: RelativePath, _ url: WebURL?, _ mediaType: String?) throws -> String {
        let head = try context.output.beginning(of: path, count: MediaType.sniffLength)
        let type = MediaType(sniffing: head)
        return BodyType(bytes: type, name: url?.lastPathSegment ?? "", contentType: mediaType).extension
    }

    /// Makes what a page has renamed durable, before its rows are.
    func flushRenamed() throws {
        guard !renaming.pending.isEmpty, context.job.transfer.durability == .batch else { return }
        try context.output.flushData()
    }

    /// Takes the old names away, once the page is committed; a name that can't be taken away stays in the journal for the
    /// next run.
    func removeOldNames() {
        guard !renaming.pending.isEmpty else { return }
        var isDone = true
        for (old, new) in renaming.pending {
            do { try context.output.removeName(old, of: new) } catch { isDone = false }
        }
        renaming.pending = []
        renaming.pendingOld = []
        if isDone { clearJournal() } else { keepJournal() }
    }

    /// Takes the new names away, when the page could not be committed.
    func removeNewNames() {
        for (old, new) in renaming.pending.reversed() { try? context.output.removeName(new, of: old) }
        renaming.pending = []
        renaming.pendingOld = []
    }

    /// What to tell of files that keep their old names.
    var renamingWarning: String? {
        guard let fault = renaming.firstFault else { return nil }
        let count = renaming.faults == 1 ? "a file keeps its old name" : "\(renaming.faults) files keep their old names"
        return "\(count): \(fault)"
    }
}

extension ItemRow {
    /// The digest of the stored file, as far as a file of that size is it.
    fileprivate func digest(ifSize size: Int64) -> SHA256Digest? {
        guard self.size == size else { return nil }
        return sha256.flatMap(SHA256Digest.init(hex:))
    }
}
