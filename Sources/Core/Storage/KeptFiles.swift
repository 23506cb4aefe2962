import Catalog
import Files
package import SQLite
import System

/// The files of a job's items under the limit of their bytes, those used longest ago first. Used means stored or viewed.
///
/// A file counts once, however many items have a name of it, and its names go together: taking some of them away would
/// free nothing. A file that is larger than the limit counts for nothing and goes first, since no other could make room
/// for it. Blocks that files share otherwise (FICLONE) count for each of them.
package struct KeptFiles {
    /// A file, with the items that have a name of it.
    package struct File: Sendable {
        let item: Int64
        /// The others, where equal bytes are stored once.
        var others: [Int64] = []
        /// What it counts, in bytes; 0 where it is not what the row says.
        package let size: Int64
        /// Microseconds since 1970 UTC, the latest of all its items.
        var lastUse: Int64

        package var items: [Int64] { [item] + others }
    }

    /// In bytes.
    let maximum: Int64
    /// What all files count, as far as it is known.
    private(set) var bytes: Int64
    /// In the order in which they go; nil before the first look at the disk.
    private var files: FIFO<File>?
    private var oversized = FIFO<File>()
    /// Whether there may be names that the last look did not see.
    private var hasNewNames = false
    private var looks = 0
    /// Items whose files turned out to be somebody else's.
    private var strangers: Set<Int64> = []
    /// Items whose files can't be removed.
    private var immovable: Set<Int64> = []

    /// Files that may not go yet and are passed over at a time.
    private static let mostSpared = 256

    /// - Parameter bytes: what the files count at most; they are looked at only when this is over the limit.
    package init(maximum: Int64, bytes: Int64) {
        self.maximum = maximum
        self.bytes = bytes
    }

    /// The bytes of the files of a job by its rows: at least what they count.
    package static func bytesByRows(ofJob job: String, on catalog: Connection) throws -> Int64 {
        try EvictionRows.bytes(ofJob: job, on: catalog)
    }

    /// Whether something has to go, as far as is known.
    package var isOver: Bool { bytes > maximum || !oversized.isEmpty }

    /// Counts a file that was just stored.
    ///
    /// - Parameters:
    ///   - replaced: what the item's file before counted.
    ///   - isLinked: whether it is another name of a file that was there.
    package mutating func add(item: Int64, size: Int64, replacing replaced: Int64?, isLinked: Bool, now: Int64) {
        if hasNewNames || isLinked {
            // Who shares what is seen at the next look.
            hasNewNames = true
        } else {
            bytes -= replaced.map { $0 > maximum ? 0 : $0 } ?? 0
        }
        guard !isLinked else { return }
        let file = File(item: item, size: size, lastUse: now)
        if size > maximum { return oversized.append(file) }
        bytes += size
        files?.append(file)
    }

    /// Counts files on that could not be removed: others go in their place.
    package mutating func putBack(_ victims: [Eviction.Victim]) {
        immovable.formUnion(victims.map(\.id))
        bytes += Eviction.bytes(of: victims.filter { $0.size <= maximum })
    }

    // MARK: Looking

    /// Has the next look at the disk be a new one, where the rows say more than the limit.
    package mutating func lookAgain(bytes: Int64) {
        (self.bytes, files, oversized) = (bytes, nil, FIFO())
    }

    /// Looks at all files on the disk, unless it was done.
    ///
    /// - Parameters:
    ///   - replaced: files that are newer than their rows say, by item.
    ///   - others: items whose files do not count.
    mutating func look(
        atJob job: String, in output: OutputDirectory, replaced: [Int64: PublishJournal.Intent] = [:],
        besides others: Set<Int64> = [], on catalog: Connection
    ) throws {
        guard files == nil else { return }
        looks += 1
        var found: [File] = []
        var linked: [Inode: Int] = [:]
        // In the order of the rows, which is mostly that of the folders.
        try EvictionRows.forEachFile(ofJob: job, on: catalog) { used in
            let (item, lastUse) = (used.item, used.lastUse)
            let size = replaced[item]?.size ?? used.size
            guard !strangers.contains(item), !others.contains(item),
                let path = try? RelativePath(validating: used.path),
                let file = output.information(path), file.isRegular
            else { return }
            if file.links > 1, let index = linked[Inode(file)] {
                found[index].others.append(item)
                found[index].lastUse = max(found[index].lastUse, lastUse)
                return
            }
            if file.links > 1 { linked[Inode(file)] = found.count }
            found.append(File(item: item, size: file.size == size ? size : 0, lastUse: lastUse))
        }
        found.sort { ($0.lastUse, $0.item) < ($1.lastUse, $1.item) }
        bytes = 0
        (oversized, hasNewNames) = (FIFO(), false)
        var files = FIFO<File>()
        for file in found {
            if file.size > maximum {
                if !immovable.contains(file.item) { oversized.append(file) }
            } else {
                if !file.items.contains(where: immovable.contains) { files.append(file) }
                bytes += file.size
            }
        }
        self.files = files
    }

    private struct Inode: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ file: FileInformation) {
            (device, inode) = (file.device, file.inode)
        }
    }

    // MARK: What goes

    /// What has to go next.
    package struct Surplus {
        package var victims: [Eviction.Victim] = []
        /// Files that would go and are not what their rows say: somebody else's.
        package var changed: [Eviction.Stranger] = []
        /// Metadata files that stay although the files that they are about go, since they were changed.
        package var changedMetadata: [Eviction.Stranger] = []

        package var isEmpty: Bool { victims.isEmpty && changed.isEmpty }
    }

    /// Takes the next files that have to go, at most `count`.
    ///
    /// - Parameter isSpared: whether a file may not go yet. It goes later, and none that was used after it in its place.
    package mutating func takeSurplus(
        _ count: Int, by eviction: Eviction, on catalog: Connection, isSpared: (File) throws -> Bool = { _ in false }
    ) throws -> Surplus {
        var surplus = Surplus()
        var spared: [File] = []
        var sparedBytes: Int64 = 0
        while surplus.victims.count < count, spared.count < Self.mostSpared {
            let before = looks
            // A look would find again what has been taken and is there still.
            let mayLook = surplus.victims.isEmpty
            guard let file = try next(after: sparedBytes, mayLook: mayLook, by: eviction, on: catalog) else { break }
            // Another look has found them again.
            if looks != before { (spared, sparedBytes) = ([], 0) }
            if try isSpared(file) {
                spared.append(file)
                sparedBytes += file.size > maximum ? 0 : file.size
                continue
            }
            let examination = try eviction.examine(file.items, on: catalog)
            if file.size <= maximum {
                if let lastUse = examination.lastUse, lastUse > file.lastUse {
                    // Viewed since; or stored anew, and counted then.
                    if !examination.isStored(after: file.lastUse) { keep(file, lastUse: lastUse) }
                    continue
                }
                if hasNewNames, examination.hasOtherNames { continue }
                bytes -= file.size
            }
            surplus.victims += examination.victims
            surplus.changed += examination.strangers
            let going = Set(examination.victims.map(\.id))
            surplus.changedMetadata += examination.changedMetadata.filter { going.contains($0.id) }
            strangers.formUnion(examination.strangers.map(\.id))
        }
        files?.prepend(spared.filter { $0.size <= maximum })
        oversized.prepend(spared.filter { $0.size > maximum })
        return surplus
    }

    /// - Parameters:
    ///   - spared: bytes of files that go later.
    ///   - mayLook: whether the disk may be looked at for it.
    private mutating func next(
        after spared: Int64, mayLook: Bool, by eviction: Eviction, on catalog: Connection
    ) throws -> File? {
        if let file = oversized.popFirst() { return file }
        guard bytes - spared > maximum else { return nil }
        if let file = files?.popFirst() { return file }
        if hasNewNames { files = nil }
        guard files == nil, mayLook else { return nil }
        try look(atJob: eviction.job, in: eviction.output, replaced: eviction.replaced, on: catalog)
        return try next(after: 0, mayLook: true, by: eviction, on: catalog)
    }

    private mutating func keep(_ file: File, lastUse: Int64) {
        var file = file
        file.lastUse = lastUse
        files?.append(file)
    }
}
