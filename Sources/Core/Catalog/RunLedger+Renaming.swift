import Files
import HTTP
import Media
import SQLite

/// Items of a job whose template of paths has changed: their files get other names and are not fetched.
///
/// A row has the number of the template that its path was made with. In a run of the whole list an item with another one
/// gets the path that a new item would get, numbers included: whoever else still has that path by an older template makes
/// way for it. Other runs leave paths as they are.
///
/// A file has its new name before the row does and its old one until the row is committed; the journal has both, so that
/// after the death of the process the one that no row claims goes.
struct PathRenaming {
    /// The number of the job's present template.
    var template: Int64 = 0
    /// Whether rows may have other ones.
    var isDue = false
    /// Files that have two names until the page is committed.
    var pending: [(old: RelativePath, new: RelativePath)] = []
    /// For a plan, which renames nothing: the paths that items will have.
    var planned: [Int64: String] = [:]
    /// Files that could not be renamed, and why the first could not.
    var faults = 0
    var firstFault: String?
}

extension RunLedger {
    /// Finds the number of the job's template.
    func beginRenaming(on catalog: Connection) throws {
        let text = context.job.output.template.text
        let name = context.job.name
        try catalog.run("INSERT OR IGNORE INTO template (job, text) VALUES (?, ?)", name, text)
        renaming.template =
            try catalog.value("SELECT id FROM template WHERE job = ? AND text = ?", name, text) ?? 0
        let others: Int64? = try catalog.value(
            "SELECT id FROM template WHERE job = ? AND id <> ? LIMIT 1", name, renaming.template)
        renaming.isDue = others != nil && context.selection.isWhole
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

    /// Gives a listed item the path that the present template says.
    func rename(_ row: ItemRow, to stem: String, on catalog: Connection) throws -> ItemRow {
        guard row.template != renaming.template else { return row }
        // A row of a time when templates were not counted is named by the present one.
        guard row.template != nil else { return try move(row, to: nil, on: catalog) }
        guard renaming.isDue else { return row }
        do {
            var candidate = try claim(stem, for: row.id, on: catalog)
            var number = 1
            while true {
                if let moved = try tryMove(row, to: candidate, on: catalog) { return moved }
                candidate = try freeStem(stem, after: &number, on: catalog)
            }
        } catch let error where error is FileError || error is InvalidPath {
            // The path alone is at fault: the item keeps the one that it has.
            renaming.faults += 1
            renaming.firstFault = renaming.firstFault ?? "\(error)"
            return row
        }
    }

    /// The stem, or the same with the first number that no other item has. Paths by older templates make way.
    ///
    /// - Parameter id: of the item; nil for a new one.
    func claim(_ stem: String, for id: Int64?, on catalog: Connection) throws -> (text: String, hash: Int64) {
        var candidate = stem
        var number = 1
        while true {
            let hash = pathHash(candidate)
            let owner = try catalog.first(
                "SELECT \(ItemRow.columns) FROM item WHERE job = ? AND path_hash = ?", context.job.name, hash
            ) { try ItemRow($0) }
            guard let owner, owner.id != id else { return (candidate, hash) }
            if renaming.isDue, let template = owner.template, template != renaming.template {
                try makeWay(owner, on: catalog)
                return (candidate, hash)
            }
            number += 1
            candidate = PathTemplate.numbered(stem: stem, number)
        }
    }

    /// Gives an item that has a path by an older template the next number of it.
    private func makeWay(_ row: ItemRow, on catalog: Connection) throws {
        var number = 1
        while true {
            let stem = try freeStem(row.stem, after: &number, on: catalog)
            if try tryMove(row, to: stem, keeping: row.template, on: catalog) != nil { return }
        }
    }

    /// Gives a row and its file another path.
    ///
    /// - Returns: nil when somebody else's file is there.
    private func tryMove(
        _ row: ItemRow, to stem: (text: String, hash: Int64), keeping template: Int64? = nil, on catalog: Connection
    ) throws -> ItemRow? {
        guard row.stem != stem.text, let old = try row.path.map({ try RelativePath(validating: $0) }),
            let found = context.output.information(old), found.isRegular
        else {
            return try move(row, to: stem, path: row.stem == stem.text ? row.path : nil, template, on: catalog)
        }
        let path = PathTemplate.path(stem: stem.text, extension: try fileExtension(of: row, old, for: stem.text))
        let new = try RelativePath(validating: path)
        guard new != old else { return try move(row, to: stem, path: path, template, on: catalog) }
        if planned != nil {
            renaming.planned[row.id] = path
            return try move(row, to: stem, path: row.path, template, on: catalog)
        }
        if renaming.pending.contains(where: { $0.old == new }) {
            // Another item leaves the name, and does so with the commit of its row.
            try writeFigures(on: catalog)
            try flushRenamed()
            try catalog.renewTransaction()
            removeOldNames()
        }
        let digest = try row.digest(ifSize: found.size) ?? context.output.digest(of: old)
        try journal?.record(
            [old, new].map {
                PublishJournal.Intent(path: $0, size: found.size, digest: digest, isRetirement: true)
            })
        var isNamed = try context.output.addName(new, to: old)
        if !isNamed, let intents = leftovers[new],
            Leftovers.intent(of: new, among: intents, in: context.output) != nil
        {
            try context.output.remove(new)
            isNamed = try context.output.addName(new, to: old)
        }
        guard isNamed else { return nil }
        renaming.pending.append((old, new))
        return try move(row, to: stem, path: path, template, on: catalog)
    }

    private func move(
        _ row: ItemRow, to stem: (text: String, hash: Int64)?, path: String? = nil, _ template: Int64? = nil,
        on catalog: Connection
    ) throws -> ItemRow {
        var new = row
        new.template = template ?? renaming.template
        if let stem {
            new.stem = stem.text
            new.path = path
            try catalog.run(
                "UPDATE item SET stem = ?, path_hash = ?, path = ?, template = ? WHERE id = ?",
                stem.text, stem.hash, path, new.template, row.id)
        } else {
            try catalog.run("UPDATE item SET template = ? WHERE id = ?", new.template, row.id)
        }
        return new
    }

    /// What stands for the extension in a path by another template: what stood there before, else what the bytes say.
    private func fileExtension(of row: ItemRow, _ path: RelativePath, for stem: String) throws -> String {
        guard stem.contains(PathTemplate.extensionMark) else { return "" }
        if let text = PathTemplate.extension(in: path.text, stem: row.stem) { return text }
        let head = try context.output.beginning(of: path, count: MediaType.sniffLength)
        let name = (try? url(of: row))?.lastPathSegment ?? ""
        let type =
            MediaType(sniffing: head) ?? MediaType(name: name)
            ?? row.mediaType.flatMap(MediaType.init(contentType:))
        return type?.extension ?? "bin"
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
        if isDone { try? journal?.clear() }
    }

    /// Takes the new names away, when the page could not be committed.
    func removeNewNames() {
        for (old, new) in renaming.pending.reversed() { try? context.output.removeName(new, of: old) }
        renaming.pending = []
    }

    /// What to tell of files that keep their old names.
    var renamingWarning: String? {
        guard let fault = renaming.firstFault else { return nil }
        let count = renaming.faults == 1 ? "a file keeps its name" : "\(renaming.faults) files keep their names"
        return "\(count) although output.path has changed: \(fault)"
    }
}

extension ItemRow {
    /// The digest of the stored file, as far as a file of that size is it.
    fileprivate func digest(ifSize size: Int64) -> SHA256Digest? {
        guard self.size == size else { return nil }
        return sha256.flatMap(SHA256Digest.init(hex:))
    }
}
