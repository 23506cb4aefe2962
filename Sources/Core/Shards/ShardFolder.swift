import Catalog
import Files
import FoundationEssentials
import Glibc
import SQLite
import System

/// The folder that machines share: `0000.shard` and so on, as they were carved, beside each `0000.part`, how far it came,
/// or `0000.done`, its result. All of them appear whole.
package struct ShardFolder: Sendable {
    /// Absolute.
    package let path: String

    package enum Stage: String, Sendable {
        case shard, part, done
    }

    /// The most shards of a folder.
    package static let mostShards = 10_000

    package init(path: String) {
        self.path = FilePath.absolute(path)
    }

    package func file(_ number: Int, _ stage: Stage) -> String {
        let digits = String(number)
        return "\(path)/\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits).\(stage.rawValue)"
    }

    package func has(_ number: Int, _ stage: Stage) -> Bool {
        access(file(number, stage), F_OK) == 0
    }

    /// The numbers of the carved shards that are there, sorted.
    package func numbers() throws -> [Int] {
        guard let folder = opendir(path) else {
            throw CatalogError("the folder \(path) can't be read: \(String(cString: strerror(errno)))")
        }
        closedir(folder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CatalogError("the folder \(path) can't be read")
        }
        return names.compactMap { name in
            name.hasSuffix(".shard") ? Int(name.dropLast(6)).flatMap { $0 >= 0 ? $0 : nil } : nil
        }.sorted()
    }

    /// Makes the folder. Shards of a run that is over give way.
    ///
    /// - Parameter database: the catalog's file.
    /// - Throws: ``CatalogError`` where the shards of another run are there.
    func make(database: String) throws {
        do throws(FileError) {
            try makeFolders(path, mode: 0o777)
        } catch {
            let reason = error.reason ?? String(cString: strerror(error.errno))
            throw CatalogError("can't make the folder \(error.path): \(reason)")
        }
        let old = try numbers()
        guard let first = old.first else { return }
        let scratch = try ScratchFolder(for: "shards")
        defer { scratch.remove() }
        guard let head = try? Self.head(of: file(first, .shard), copiedTo: "\(scratch.path)/head"),
            let catalog = try? CatalogLocation.openForReading(database),
            (try? OwnershipRows.identity(of: catalog)) == head.catalog,
            let run = try? CarriedRun.find(head.run, on: catalog),
            try run.finishedAt != nil || ShardRows.all(ofRun: head.run, on: catalog).isEmpty
        else {
            throw CatalogError(
                "\(path) has the shards of a run that has not ended: runner merge \(path) names those that are missing; "
                    + "to give the run up, remove them")
        }
        for number in old {
            for stage in [Stage.shard, .part, .done] { unlink(file(number, stage)) }
        }
    }

    /// Whether shards of a run of a catalog are there.
    func has(run: Int64, of catalog: Connection) throws -> Bool {
        guard access(path, F_OK) == 0, let first = try numbers().first else { return false }
        let scratch = try ScratchFolder(for: "shards")
        defer { scratch.remove() }
        guard let head = try? Self.head(of: file(first, .shard), copiedTo: "\(scratch.path)/head") else { return false }
        return try head.run == run && head.catalog == OwnershipRows.identity(of: catalog)
    }

    /// Takes away what was carved: the run did not begin.
    package func removeShards(_ count: Int) {
        for number in 0..<count { unlink(file(number, .shard)) }
    }

    /// What the first readable shard says of the run.
    func head(in scratch: ScratchFolder) throws -> ShardHead {
        guard let number = try numbers().first else {
            throw CatalogError("\(path) has no shards: runner shards makes them")
        }
        return try Self.head(of: file(number, .shard), copiedTo: "\(scratch.path)/head")
    }

    /// - Parameter copy: SQLite opens nothing on a network file system.
    /// - Throws: ``CatalogError`` for what is no shard; `FileError`; `SQLiteError` for a fault of this machine.
    static func head(of file: String, copiedTo copy: String) throws -> ShardHead {
        try WholeCopy.write(file, to: copy, mark: "head")
        defer { unlink(copy) }
        return try head(of: copy, namedFor: file)
    }

    /// What a copy says, with the file in messages that it is of.
    static func head(of copy: String, namedFor file: String) throws -> ShardHead {
        do {
            let connection = try Connection(path: copy, mode: .readWrite)
            defer { connection.close() }
            return try ShardFile.head(of: connection, copiedFrom: file)
        } catch let error as SQLiteError {
            switch error.code.primary {
            case .notADatabase: throw CatalogError("\(file) is no shard: runner shards makes them")
            case .corrupt: throw CatalogError("\(file) is damaged")
            default: throw error
            }
        }
    }
}
