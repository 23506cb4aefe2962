import FoundationEssentials
internal import Glibc
import System

/// What machines that take a shard each keep in `.runner/shards`: a folder for each shard, with one for each attempt.
extension OutputDirectory {
    /// The folders of shards, with the bytes in them, sorted by name.
    package func shardGroups() throws(FileError) -> [(name: String, size: Int64)] {
        guard let folder = try shardsFolder() else { return [] }
        return try entries(of: folder, shownAs: fullPath(Self.shardsPath)).sorted().map {
            ($0, Self.size(of: $0, in: folder))
        }
    }

    /// Removes what is kept for a shard, and the folder of all of them with the last.
    package func removeShardGroup(_ name: String) throws(FileError) {
        guard let folder = try shardsFolder() else { return }
        do {
            try FileManager.default.removeItem(atPath: Self.path(of: name, in: folder))
        } catch {
            guard errno == ENOENT else { throw .last("remove", fullPath("\(Self.shardsPath)/\(name)")) }
        }
        if let above = try privateFolder(creating: false) { unlinkat(above.raw, Self.shardsName, AT_REMOVEDIR) }
    }

    private static let shardsPath = "\(privateName)/\(shardsName)"

    private func shardsFolder() throws(FileError) -> Folder? {
        guard let above = try privateFolder(creating: false) else { return nil }
        return try privateFolder(Self.shardsName, in: above, shownAs: Self.shardsPath, creating: false)
    }

    /// Through the open folder: no link on the way to it leads elsewhere.
    private static func path(of name: String, in folder: Folder) -> String { "/proc/self/fd/\(folder.raw)/\(name)" }

    private static func size(of name: String, in folder: Folder) -> Int64 {
        let path = path(of: name, in: folder)
        return ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).reduce(0) { sum, below in
            var information = stat()
            guard lstat("\(path)/\(below)", &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
                return sum
            }
            return sum + Int64(information.st_size)
        }
    }
}
