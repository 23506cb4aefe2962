import Catalog
package import Files
package import Model
package import SQLite

/// Takes stored files of items away, so that their rows keep what is known of them and claim no file.
///
/// Rows go before files: killed in between, the journal of the output directory names the files that no row claims, and
/// the next recovery removes them. A file is read before it goes, since one that was changed is somebody else's.
package struct Eviction {
    package let job: String
    let output: OutputDirectory
    /// Whether rows and names are flushed to the disk.
    var isDurable = true
    /// Files that are newer than their rows say, by item; for those who only look.
    var replaced: [Int64: PublishJournal.Intent] = [:]
    /// Whether nothing more is to be read or removed.
    var isStopped: () -> Bool = { false }

    package init(
        job: String, output: OutputDirectory, isDurable: Bool = true,
        replaced: [Int64: PublishJournal.Intent] = [:], isStopped: @escaping () -> Bool = { false }
    ) {
        self.job = job
        self.output = output
        self.isDurable = isDurable
        self.replaced = replaced
        self.isStopped = isStopped
    }

    /// An item whose file goes.
    package struct Victim {
        package let id: Int64
        fileprivate let state: ItemState
        package let key: String
        package let title: String
        package let path: RelativePath
        package let size: Int64
        let digest: SHA256Digest
        /// The file when it was read.
        fileprivate let file: FileInformation
    }

    /// A file that is not what its row says.
    package struct Stranger {
        let id: Int64
        let key: String
        package let path: String
        let size: Int64
    }

    fileprivate struct ReadFile: Hashable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: Int64
        let digest: SHA256Digest?

        init(_ file: FileInformation, _ digest: SHA256Digest?) {
            (device, inode, size, modified) = (file.device, file.inode, file.size, file.modified)
            self.digest = digest
        }
    }

    /// What is known of the items of one file.
    struct Examination {
        var victims: [Victim] = []
        var strangers: [Stranger] = []
        /// Metadata files that were changed since they were written: they stay when their items' files go.
        var changedMetadata: [Stranger] = []
        /// Items that have no file by now.
        var withoutFile: [Int64] = []
        /// Microseconds since 1970 UTC; nil where no item has the file any more.
        var lastUse: Int64?
        fileprivate var storedAt: Int64 = 0
        /// Files that were read, with what they have: names of one file are many where equal bytes are stored once.
        fileprivate var read: Set<ReadFile> = []

        func isStored(after time: Int64) -> Bool { storedAt > time }

        /// Whether the file has names that are not among the victims'.
        var hasOtherNames: Bool { victims.contains { $0.file.links > victims.count } }
    }

    /// Bytes that the disk gets back when victims go: those of files whose last names they are.
    package static func freed(by victims: [Victim]) -> Int64 {
        byFile(victims).reduce(0) { $0 + ($1[0].file.links <= $1.count ? $1[0].size : 0) }
    }

    /// Bytes of the files that victims have names of.
    static func bytes(of victims: [Victim]) -> Int64 {
        byFile(victims).reduce(0) { $0 + $1[0].size }
    }

    private static func byFile(_ victims: [Victim]) -> [[Victim]] {
        Array(Dictionary(grouping: victims) { [$0.file.device, $0.file.inode] }.values)
    }

    /// Reads the file that items have, and compares it with their rows.
    ///
    /// - Throws: what the catalog has thrown; `FileError.isCancelled` once it is stopped.
    func examine(_ items: [Int64], on catalog: Connection) throws -> Examination {
        var examination = Examination()
        for item in items { try examine(item, &examination, on: catalog) }
        return examination
    }

    private func examine(_ item: Int64, _ examination: inout Examination, on catalog: Connection) throws {
        if let sidecar = try SidecarRows.sidecar(ofItem: item, on: catalog),
            let file = output.information(sidecar.path),
            !sidecar.isUnchanged(in: output)
        {
            let key = try ItemRows.key(of: item, on: catalog) ?? ""
            examination.changedMetadata.append(
                Stranger(id: item, key: key, path: sidecar.path.text, size: file.size))
        }
        guard let found = try EvictionRows.candidate(item: item, on: catalog),
            let path = try? RelativePath(validating: found.path), let file = output.information(path)
        else { return examination.withoutFile.append(item) }
        examination.storedAt = max(examination.storedAt, found.storedAt)
        examination.lastUse = max(examination.lastUse ?? 0, found.storedAt, found.viewedAt ?? 0)
        let known = replaced[item]
        let digest = known?.digest ?? found.digest
        let size = known?.size ?? found.size
        var isSame = examination.read.contains(ReadFile(file, digest))
        if !isSame, file.isRegular, file.size == size { isSame = try self.digest(of: path) == digest }
        guard isSame, let size, let digest else {
            return examination.strangers.append(
                Stranger(id: item, key: found.key, path: found.path, size: file.size))
        }
        examination.read.insert(ReadFile(file, digest))
        examination.victims.append(
            Victim(
                id: item, state: found.state, key: found.key, title: found.title, path: path, size: size,
                digest: digest, file: file))
    }

    /// nil for what can't be read.
    private func digest(of path: RelativePath) throws(FileError) -> SHA256Digest? {
        do throws(FileError) {
            return try output.digest(of: path, unless: isStopped)
        } catch {
            if error.isCancelled { throw error }
            return nil
        }
    }

    /// Takes the victims' files away, with the metadata beside them. The journal is the caller's to clear.
    ///
    /// - Parameters:
    ///   - others: items that go likewise although there is no file to take: their rows claim none afterwards.
    ///   - left: what becomes of the items, in the same transaction: `evicted`, `gone` or `removed`.
    ///   - alsoWriting: joins the transaction of the rows.
    /// - Returns: the victims whose files can't be removed, and why: their rows have them again, and ask for them in full.
    /// - Throws: what the catalog or the journal has thrown, with nothing done; what the flush has thrown.
    package func remove(
        _ victims: [Victim], and others: [Int64] = [], _ journal: PublishJournal, leaving left: ItemState = .evicted,
        on catalog: Connection, alsoWriting: () throws -> Void = {}
    ) throws -> [(victim: Victim, error: FileError)] {
        let items = victims.map(\.id) + others
        guard !items.isEmpty else { return [] }
        let sidecars = try SidecarRemoval(ofItems: items, on: catalog)
        // What is evicted keeps its pictures.
        let pictures = left == .evicted ? [] : try PictureRows.retirements(ofItems: items, on: catalog)
        try journal.record(
            victims.map {
                PublishJournal.Intent(path: $0.path, size: $0.size, digest: $0.digest, isRetirement: true)
            } + sidecars.intents + pictures)
        if isDurable { try output.flushData() }
        try catalog.transaction {
            for item in items { try EvictionRows.evict(item: item, as: left, on: catalog) }
            try sidecars.deleteRows(on: catalog)
            try alsoWriting()
        }
        var failed: [(victim: Victim, error: FileError)] = []
        for victim in victims {
            // Whoever has changed it since it was read may keep it.
            guard let file = output.information(victim.path), file.isSameFile(as: victim.file) else { continue }
            do throws(FileError) {
                try output.remove(victim.path)
                output.removeEmptyFolders(above: victim.path)
            } catch {
                failed.append((victim, error))
            }
        }
        let staying = Set(failed.map(\.victim.id))
        let metadata = sidecars.removeFiles(besides: staying, in: output)
        if !failed.isEmpty || !metadata.isEmpty {
            try catalog.transaction {
                for (victim, _) in failed {
                    try EvictionRows.restore(item: victim.id, victim.state, at: victim.path, on: catalog)
                }
                try sidecars.restoreRows(ofItems: staying.union(metadata), on: catalog)
            }
        }
        if isDurable { try output.flushFolders() }
        return failed
    }
}

extension FileInformation {
    /// Whether nothing shows that it is another file, or that it was written to.
    fileprivate func isSameFile(as other: FileInformation) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }
}
