import Catalog
import Files
import Jobs
import Model
import SQLite
import Storage
import System
import Transfer

extension PathKey {
    init(_ stem: String) {
        self.init(stem: stem, hash: pathHash(stem))
    }

    /// That of an item that can't be fetched: it has no path, and its key keeps it apart.
    init(pathlessItem key: String) {
        self.init(stem: "", hash: pathHash("\u{0}" + key))
    }
}

/// Giving items their names: the one that the template makes, or the same with the first number that no other item has.
///
/// No file has the name of a folder that another path goes through, and none of its folders that of a file: the later one
/// of the two, in the order of the list, gets a number there.
///
/// Confined to the catalog's queue, like the ledger.
final class ItemNames {
    private let job: String
    private let output: OutputDirectory
    /// See ``PathTemplate/mayNameFilesLikeFolders``.
    private let mayNameFilesLikeFolders: Bool
    /// Whether the catalog had no item of the job when the run began.
    private let isNew: Bool
    /// Has an item with an older name take another one; false for an item that keeps its name.
    var displace: ((ItemRow, Connection) throws -> Bool)?
    /// The last number that some item has of a name, by the name's hash, and the number that a folder got; only of names
    /// that more than a few items wanted. They save asking the catalog for each number again and again.
    private var numbers: [Int64: Int] = [:]
    private var folderNumbers: [Int64: Int] = [:]
    /// The folders of all paths, by the hashes of theirs; nil before they are needed.
    private var folders: FolderHashes?
    /// The last folder that was asked for, and what it became.
    private var lastFolder: (wanted: Substring, given: String)?

    private static let few = 4

    init(_ context: RunContext, isNew: Bool) {
        job = context.job.name
        output = context.output
        mayNameFilesLikeFolders = context.job.output.template.mayNameFilesLikeFolders
        self.isNew = isNew
    }

    /// The first number to try for a name; 1 is the name itself.
    private func firstNumber(_ hash: Int64) -> Int { numbers.isEmpty ? 1 : numbers[hash].map { $0 + 1 } ?? 1 }

    private func note(_ number: Int, _ hash: Int64) {
        if number >= Self.few { numbers[hash] = number }
    }

    private func hasFolder(_ hash: Int64) -> Bool { folders?.contains(hash) ?? false }

    /// Has an item inserted under its name, or under the next number of it, without asking for others that have it.
    ///
    /// - Parameter insert: nil when some item has the name.
    func nameUnasked(_ stem: String, _ insert: (PathKey) throws -> ItemRow?) rethrows -> ItemRow? {
        guard !mayNameFilesLikeFolders else { return nil }
        let name = PathKey(stem)
        let number = firstNumber(name.hash)
        guard number > 1 else { return try insert(name) }
        guard let row = try insert(PathKey(PathTemplate.numbered(stem: stem, number))) else { return nil }
        note(number, name.hash)
        return row
    }

    /// The name, or the same with the first number that no other item has. Paths by older templates make way.
    ///
    /// - Parameter id: of the item; nil for a new one.
    func claim(_ wanted: String, for id: Int64?, on catalog: Connection) throws -> PathKey {
        let stem = try inFreeFolder(wanted, on: catalog)
        let base = pathHash(stem)
        var number = firstNumber(base)
        while true {
            let name = PathKey(number == 1 ? stem : PathTemplate.numbered(stem: stem, number))
            let owner = try ItemRows.owner(ofHash: name.hash, inJob: job, on: catalog)
            if let owner, owner.id != id, try displace?(owner, catalog) == true { return name }
            if owner == nil || owner?.id == id, !hasFolder(name.hash) {
                note(number, base)
                return name
            }
            number += 1
        }
    }

    /// The name with the first number that no item has.
    func freeName(_ wanted: String, on catalog: Connection) throws -> PathKey {
        let stem = try inFreeFolder(wanted, on: catalog)
        let base = pathHash(stem)
        var number = max(2, firstNumber(base))
        while true {
            let name = PathKey(PathTemplate.numbered(stem: stem, number))
            if try !ItemRows.isTaken(hash: name.hash, inJob: job, on: catalog), !hasFolder(name.hash) {
                // Somebody else's file may have it: it is not tried again, however small it is.
                numbers[base] = number
                return name
            }
            number += 1
        }
    }

    /// The name with the first number at one of its folders that is neither a file nor taken.
    ///
    /// - Parameters:
    ///   - file: at the place of that folder.
    ///   - type: the extension of the item's own file.
    func freeName(_ stem: String, besideFile file: RelativePath, _ type: String, on catalog: Connection) throws
        -> PathKey
    {
        let parts = stem.split(separator: "/", omittingEmptySubsequences: false)
        let depth = file.components.count
        let folder = parts.prefix(depth).joined(separator: "/")
        let rest = parts.dropFirst(depth).joined(separator: "/")
        var number = 2
        while true {
            let other = PathTemplate.numbered(stem: folder, number)
            let path = try RelativePath(validating: PathTemplate.path(stem: other, extension: type))
            if output.information(path)?.isFolder ?? true {
                return try claim("\(other)/\(rest)", for: nil, on: catalog)
            }
            number += 1
        }
    }

    // MARK: Folders

    /// The stem with numbers at those of its folders that are other items' files.
    private func inFreeFolder(_ stem: String, on catalog: Connection) throws -> String {
        guard mayNameFilesLikeFolders else { return stem }
        try readFolders(on: catalog)
        guard let slash = stem.utf8.lastIndex(of: UInt8(ascii: "/")) else { return stem }
        let wanted = stem[..<slash]
        if let last = lastFolder, last.wanted == wanted { return last.given + stem[slash...] }
        var given = ""
        for part in wanted.split(separator: "/") {
            let path = given.isEmpty ? String(part) : "\(given)/\(part)"
            let base = pathHash(path)
            var number = folderNumbers[base] ?? 1
            while true {
                given = number == 1 ? path : PathTemplate.numbered(stem: path, number)
                let hash = pathHash(given)
                // What is a folder of some item is no file of another.
                if hasFolder(hash) { break }
                if try !ItemRows.isTaken(hash: hash, inJob: job, on: catalog) {
                    folders?.insert(hash)
                    break
                }
                number += 1
            }
            if number >= Self.few { folderNumbers[base] = number }
        }
        lastFolder = (wanted, given)
        return given + stem[slash...]
    }

    /// Reads the folders of all paths that items have, when the first of them matters.
    private func readFolders(on catalog: Connection) throws {
        guard folders == nil else { return }
        folders = FolderHashes()
        guard !isNew else { return }
        var last = ""
        try ItemRows.forEachStem(inJob: job, on: catalog) { stem in
            guard let slash = stem.utf8.lastIndex(of: UInt8(ascii: "/")), stem[..<slash] != last[...] else { return }
            last = String(stem[..<slash])
            var folder = last[...]
            while true {
                folders?.insert(pathHash(String(folder)))
                guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
                folder = folder[..<slash]
            }
        }
    }
}

/// Some nine bytes a folder, for a million of them.
private struct FolderHashes {
    private var table = HashTable()

    func contains(_ hash: Int64) -> Bool {
        let entry = Self.entry(hash)
        return table.contains(UInt32(entry >> 32)) { $0 == entry }
    }

    mutating func insert(_ hash: Int64) {
        if !contains(hash) { table.insert(Self.entry(hash)) }
    }

    /// Mixed once more, so that the upper bits are good; never 0.
    private static func entry(_ hash: Int64) -> UInt64 {
        let mixed = UInt64(bitPattern: hash) &* 0xD6E8_FEB8_6659_FD93
        return max(1, mixed ^ mixed >> 32)
    }
}
