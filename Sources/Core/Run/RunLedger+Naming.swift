import Catalog
import Files
import Jobs
import Model
import SQLite
import Storage
import System
import Transfer

/// What a row has of its path before the bytes are there, and the hash by which no two rows of a job have the same.
struct ItemName: Equatable {
    /// See ``PathTemplate``; empty for an item without a path.
    let stem: String
    let hash: Int64

    init(_ stem: String) {
        self.stem = stem
        hash = pathHash(stem)
    }

    /// The name of an item that can't be fetched: it has none, and its key keeps it apart.
    init(pathlessItem key: String) {
        stem = ""
        hash = pathHash("\u{0}" + key)
    }
}

/// Which names were given, as far as that saves asking the catalog for each number again and again.
struct GivenNames {
    /// The last number that some item has of a name, by the name's hash, and the number that a folder got; only of names
    /// that more than a few items wanted.
    private var numbers: [Int64: Int] = [:]
    private var folderNumbers: [Int64: Int] = [:]
    /// The folders of all paths, by the hashes of theirs; nil before they are needed.
    fileprivate var folders: FolderHashes?
    /// The last folder that was asked for, and what it became.
    fileprivate var lastFolder: (wanted: Substring, given: String)?

    private static let few = 4

    /// The first number to try for a name; 1 is the name itself.
    func firstNumber(_ hash: Int64) -> Int { numbers.isEmpty ? 1 : numbers[hash].map { $0 + 1 } ?? 1 }

    mutating func note(_ number: Int, _ hash: Int64) {
        if number >= Self.few { numbers[hash] = number }
    }

    /// Notes a number that is not to be tried again, however small, since somebody else's file may have it.
    mutating func noteTried(_ number: Int, _ hash: Int64) {
        numbers[hash] = number
    }

    fileprivate func firstFolderNumber(_ hash: Int64) -> Int { folderNumbers[hash] ?? 1 }

    fileprivate mutating func noteFolder(_ number: Int, _ hash: Int64) {
        if number >= Self.few { folderNumbers[hash] = number }
    }

    fileprivate func hasFolder(_ hash: Int64) -> Bool { folders?.contains(hash) ?? false }
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

/// Giving items their names: the one that the template makes, or the same with the first number that no other item has.
///
/// No file has the name of a folder that another path goes through, and none of its folders that of a file: the later one
/// of the two, in the order of the list, gets a number there.
extension RunLedger {
    /// Has an item inserted under its name, or under the next number of it, without asking for others that have it.
    ///
    /// - Parameter insert: nil when some item has the name.
    func nameUnasked(_ stem: String, _ insert: (ItemName) throws -> ItemRow?) rethrows -> ItemRow? {
        guard !renaming.mayNameFilesLikeFolders else { return nil }
        let name = ItemName(stem)
        let number = names.firstNumber(name.hash)
        guard number > 1 else { return try insert(name) }
        guard let row = try insert(ItemName(PathTemplate.numbered(stem: stem, number))) else { return nil }
        names.note(number, name.hash)
        return row
    }

    /// The name, or the same with the first number that no other item has. Items with paths by older templates are renamed.
    ///
    /// - Parameter id: of the item; nil for a new one.
    func claim(_ wanted: String, for id: Int64?, on catalog: Connection) throws -> ItemName {
        let stem = try inFreeFolder(wanted, on: catalog)
        let base = pathHash(stem)
        var number = names.firstNumber(base)
        while true {
            let name = ItemName(number == 1 ? stem : PathTemplate.numbered(stem: stem, number))
            let owner = try catalog.first(
                "SELECT \(ItemRow.columns) FROM item WHERE job = ? AND path_hash = ?", context.job.name, name.hash
            ) { try ItemRow($0) }
            if let owner, owner.id != id, renaming.isDue, let template = owner.template, template != renaming.template {
                try displace(owner, on: catalog)
                return name
            }
            if owner == nil || owner?.id == id, !names.hasFolder(name.hash) {
                names.note(number, base)
                return name
            }
            number += 1
        }
    }

    /// The name with the first number that no item has.
    func freeName(_ wanted: String, on catalog: Connection) throws -> ItemName {
        let stem = try inFreeFolder(wanted, on: catalog)
        let base = pathHash(stem)
        var number = max(2, names.firstNumber(base))
        while true {
            let name = ItemName(PathTemplate.numbered(stem: stem, number))
            if try !isTaken(name.hash, on: catalog), !names.hasFolder(name.hash) {
                names.noteTried(number, base)
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
        -> ItemName
    {
        let parts = stem.split(separator: "/", omittingEmptySubsequences: false)
        let depth = file.components.count
        let folder = parts.prefix(depth).joined(separator: "/")
        let rest = parts.dropFirst(depth).joined(separator: "/")
        var number = 2
        while true {
            let other = PathTemplate.numbered(stem: folder, number)
            let path = try RelativePath(validating: PathTemplate.path(stem: other, extension: type))
            if context.output.information(path)?.isFolder ?? true {
                return try claim("\(other)/\(rest)", for: nil, on: catalog)
            }
            number += 1
        }
    }

    private func isTaken(_ hash: Int64, on catalog: Connection) throws -> Bool {
        let owner: Int64? = try catalog.value(
            "SELECT id FROM item WHERE job = ? AND path_hash = ?", context.job.name, hash)
        return owner != nil
    }

    // MARK: Folders

    /// The stem with numbers at those of its folders that are other items' files.
    private func inFreeFolder(_ stem: String, on catalog: Connection) throws -> String {
        guard renaming.mayNameFilesLikeFolders else { return stem }
        try readFolders(on: catalog)
        guard let slash = stem.utf8.lastIndex(of: UInt8(ascii: "/")) else { return stem }
        let wanted = stem[..<slash]
        if let last = names.lastFolder, last.wanted == wanted { return last.given + stem[slash...] }
        var given = ""
        for part in wanted.split(separator: "/") {
            let path = given.isEmpty ? String(part) : "\(given)/\(part)"
            let base = pathHash(path)
            var number = names.firstFolderNumber(base)
            while true {
                given = number == 1 ? path : PathTemplate.numbered(stem: path, number)
                let hash = pathHash(given)
                // What is a folder of some item is no file of another.
                if names.hasFolder(hash) { break }
                if try !isTaken(hash, on: catalog) {
                    names.folders?.insert(hash)
                    break
                }
                number += 1
            }
            names.noteFolder(number, base)
        }
        names.lastFolder = (wanted, given)
        return given + stem[slash...]
    }

    /// Reads the folders of all paths that items have, when the first of them matters.
    private func readFolders(on catalog: Connection) throws {
        guard names.folders == nil else { return }
        names.folders = FolderHashes()
        guard !isNew else { return }
        var last = ""
        try catalog.forEach("SELECT stem FROM item WHERE job = ?", context.job.name) { row in
            let stem: String = try row[0]
            guard let slash = stem.utf8.lastIndex(of: UInt8(ascii: "/")), stem[..<slash] != last[...] else { return }
            last = String(stem[..<slash])
            var folder = last[...]
            while true {
                names.folders?.insert(pathHash(String(folder)))
                guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
                folder = folder[..<slash]
            }
        }
    }
}
