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
///
/// Confined to the catalog's queue, like the ledger.
final class ItemRenaming {
    private let context: RunContext
    private let names: ItemNames
    private let urls: ItemURLs
    private let journal: RunJournal
    private let sums: RunSums
    /// The number of the job's present template.
    let template: Int64
    /// The number of no template, which rows have whose names changed in a run of a part of the list.
    private var noTemplate: Int64?
    /// Whether rows may have other templates.
    private let isDue: Bool
    /// What of the list's words the template uses.
    private let usesTitle: Bool
    private let usesSection: Bool
    private let usesCollection: Bool
    /// Files that have two names until the page is committed, the old ones by themselves as well.
    private var pending: [(old: RelativePath, new: RelativePath)] = []
    private var pendingOld: Set<RelativePath> = []
    /// For a plan, which renames nothing: the paths that items will have.
    private var planned: [Int64: String] = [:]
    /// Files that could not be renamed, and why the first could not.
    private var faults = 0
    private var firstFault: String?

    /// Finds the number of the job's template.
    init(
        _ context: RunContext, _ names: ItemNames, _ urls: ItemURLs, _ journal: RunJournal, _ sums: RunSums,
        on catalog: Connection
    ) throws {
        self.context = context
        self.names = names
        self.urls = urls
        self.journal = journal
        self.sums = sums
        let template = context.job.output.template
        usesTitle = template.uses("title")
        usesSection = template.uses("section")
        usesCollection = template.uses("collection")
        let name = context.job.name
        let number = try CollectionRows.number(ofTemplate: template.text, inJob: name, on: catalog)
        self.template = number
        isDue =
            try context.selection.isWhole
            && CollectionRows.hasTemplates(besides: number, inJob: name, on: catalog)
        guard isDue else { return }
        names.displace = { [unowned self] row, catalog in
            guard let template = row.template, template != self.template else { return false }
            try self.displace(row, on: catalog)
            return true
        }
    }

    /// The path that an item will have, as a plan has found; nil for the one that it has.
    func plannedPath(of item: Int64) -> String? { planned[item] }

    func forgetPlanned() {
        planned = [:]
    }

    /// After a complete list of everything: forgets templates by which no row is named any more.
    func end(on catalog: Connection) throws {
        guard isDue else { return }
        try CollectionRows.deleteUnusedTemplates(besides: template, inJob: context.job.name, on: catalog)
    }

    /// Whether the list calls an item otherwise than its row does, in words that its path has.
    func isNamedAnew(_ row: ItemRow, _ listing: ItemListing, _ collection: ListedCollections.Collection) -> Bool {
        if usesTitle, row.title != listing.columns.title { return true }
        guard usesSection || usesCollection else { return false }
        // One that has come from another collection has its words.
        guard row.collectionID == collection.id, let former = collection.former else { return true }
        if usesCollection, former.title != collection.title { return true }
        return usesSection
            && (row.section ?? former.section) != (listing.columns.section ?? collection.section)
    }

    /// Gives a listed item the path that the present template says, for which others may have to make way.
    ///
    /// - Parameters:
    ///   - stem: by the list; nil for an item that can't be fetched, which keeps its path.
    ///   - isNamedAnew: whether the list calls it otherwise than before.
    /// - Returns: its row; nil where it is as it was.
    func rename(_ row: ItemRow, to stem: String?, isNamedAnew: Bool, on catalog: Connection) throws -> ItemRow? {
        guard let stem, row.stem.isEmpty || row.template != template || isNamedAnew else { return nil }
        if row.stem.isEmpty { return try move(row, to: names.claim(stem, for: row.id, on: catalog), on: catalog) }
        if !context.selection.isWhole {
            let isNoted = row.template != nil && row.template != template
            return isNamedAnew && !isNoted ? try noteNamedAnew(row, on: catalog) : row
        }
        // A row of a time when templates were not counted is named by the present one.
        guard row.template != nil || isNamedAnew else { return try move(row, to: nil, on: catalog) }
        do {
            var stem = stem
            var name = try names.claim(stem, for: row.id, on: catalog)
            while true {
                switch try tryMove(row, to: name, on: catalog) {
                case .moved(let row): return row
                case .taken: name = try names.freeName(stem, on: catalog)
                case .blocked(let file, let type):
                    name = try names.freeName(name.stem, besideFile: file, type, on: catalog)
                    stem = name.stem
                }
            }
        } catch let error where error is FileError || error is InvalidPath {
            // The path alone is at fault: the item keeps the one that it has.
            faults += 1
            firstFault = firstFault ?? "\(error)"
            return row
        }
    }

    /// Has a later run of the whole list rename an item.
    private func noteNamedAnew(_ row: ItemRow, on catalog: Connection) throws -> ItemRow {
        let none =
            try noTemplate
            ?? CollectionRows.number(ofTemplate: "", inJob: context.job.name, on: catalog)
        noTemplate = none
        var row = row
        row.template = none
        try ItemRows.setTemplate(of: row.id, none, on: catalog)
        return row
    }

    /// Gives an item that has a path by an older template the next number of it.
    private func displace(_ row: ItemRow, on catalog: Connection) throws {
        while true {
            let name = try names.freeName(row.stem, on: catalog)
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
        _ row: ItemRow, to name: PathKey, keeping template: Int64? = nil, on catalog: Connection
    ) throws -> Move {
        guard row.stem != name.stem, let old = try row.path.map({ try RelativePath(validating: $0) }),
            let found = context.output.information(old), found.isRegular
        else {
            let path = row.stem == name.stem ? row.path : nil
            return .moved(try move(row, to: name, path: path, template: template, on: catalog))
        }
        let type = try row.extension ?? context.output.fileExtension(of: old, try? urls.url(of: row), row.mediaType)
        let path = PathTemplate.path(stem: name.stem, extension: type)
        let new = try RelativePath(validating: path)
        guard new != old else {
            return .moved(try move(row, to: name, path: path, type: type, template: template, on: catalog))
        }
        if journal.file == nil {
            planned[row.id] = path
            return .moved(try move(row, to: name, path: row.path, type: type, template: template, on: catalog))
        }
        if pendingOld.contains(new) {
            // Another item leaves the name, and does so with the commit of its row.
            try sums.write(on: catalog)
            try flush()
            try catalog.renewTransaction()
            removeOldNames()
        }
        if let file = context.output.firstFile(above: new) { return .blocked(file, type) }
        let digest = try row.digest(ifSize: found.size) ?? context.output.digest(of: old)
        try journal.record(
            [old, new].map {
                PublishJournal.Intent(path: $0, size: found.size, digest: digest, isRetirement: true)
            })
        var isNamed = try context.output.addName(new, to: old)
        if !isNamed, journal.isLeftover(new) {
            try context.output.remove(new)
            isNamed = try context.output.addName(new, to: old)
        }
        guard isNamed else { return .taken }
        pending.append((old, new))
        pendingOld.insert(old)
        return .moved(try move(row, to: name, path: path, type: type, template: template, on: catalog))
    }

    private func move(
        _ row: ItemRow, to name: PathKey?, path: String? = nil, type: String? = nil, template: Int64? = nil,
        on catalog: Connection
    ) throws -> ItemRow {
        var new = row
        let target = template ?? self.template
        new.template = target
        if let name {
            new.stem = name.stem
            new.path = path
            new.extension = type ?? row.extension
            try ItemRows.move(
                row.id, to: name, file: path, extension: new.extension, template: target, on: catalog)
        } else {
            try ItemRows.setTemplate(of: row.id, target, on: catalog)
        }
        return new
    }

    /// Makes what a page has renamed durable, before its rows are.
    func flush() throws {
        guard !pending.isEmpty, context.job.transfer.durability == .batch else { return }
        try context.output.flushData()
    }

    /// Takes the old names away, once the page is committed; a name that can't be taken away stays in the journal for the
    /// next run.
    func removeOldNames() {
        guard !pending.isEmpty else { return }
        var isDone = true
        for (old, new) in pending {
            do { try context.output.removeName(old, of: new) } catch { isDone = false }
        }
        pending = []
        pendingOld = []
        if isDone { journal.clear() } else { journal.keep() }
    }

    /// Takes the new names away, when the page could not be committed.
    func removeNewNames() {
        for (old, new) in pending.reversed() { try? context.output.removeName(new, of: old) }
        pending = []
        pendingOld = []
    }

    /// What to tell of files that keep their old names.
    var warning: String? {
        guard let fault = firstFault else { return nil }
        let count = faults == 1 ? "a file keeps its old name" : "\(faults) files keep their old names"
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

extension OutputDirectory {
    /// The extension of a file whose row is older than the column for it.
    func fileExtension(of path: RelativePath, _ url: WebURL?, _ mediaType: String?) throws -> String {
        let head = try beginning(of: path, count: MediaType.sniffLength)
        let type = MediaType(sniffing: head)
        return BodyType(bytes: type, name: url?.lastPathSegment ?? "", contentType: mediaType).extension
    }
}
