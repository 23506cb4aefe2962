internal import Glibc
import System

extension OutputDirectory {
    /// The name below the directory that the program keeps for itself.
    package static let privateName = ".runner"
    /// In `.runner`: where programs that take a shard each keep what is their own.
    package static let shardsName = "shards"

    /// The private folder below the directory, for messages.
    var privatePath: String {
        workspace.map { "\(Self.privateName)/\(Self.shardsName)/\($0.text)" } ?? Self.privateName
    }

    /// The folder at `path` (nil: the directory itself), from the open ones or opened now. With `creating` it is made
    /// where it is missing, and its parents with it, with all permissions that the umask leaves.
    func folder(_ path: RelativePath?, creating: Bool) throws(FileError) -> Folder {
        guard let path else { return root }
        if let folder = folders.folder(at: path) { return folder }
        guard path.components[0] != Self.privateName else {
            throw FileError(
                operation: "use", path: fullPath(path), errno: EPERM, reason: "the folder is reserved for the program")
        }
        let folder: Folder
        do throws(FileError) {
            folder = try openFolder(path)
        } catch {
            guard creating, error.errno == ENOENT else { throw error }
            folder = try makeFolder(path)
        }
        folders.insert(folder, at: path)
        return folder
    }

    /// Remembers that the entries of a folder changed, for the next `flushFolders`.
    func touch(_ folder: Folder) {
        folders.touch(folder)
    }

    /// Makes the folder and every missing one above it, from the top down.
    private func makeFolder(_ path: RelativePath) throws(FileError) -> Folder {
        var missing = [path]
        var current = root
        while let above = missing.last?.parent {
            do throws(FileError) {
                current = try openFolder(above)
                break
            } catch {
                guard error.errno == ENOENT else { throw error }
                missing.append(above)
            }
        }
        for next in missing.reversed() {
            // EEXIST: someone else made it meanwhile.
            guard mkdirat(current.raw, next.last, 0o777) == 0 || errno == EEXIST else {
                throw .last("make", fullPath(next))
            }
            touch(current)
            let raw = uninterrupted { openat(current.raw, next.last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            guard raw >= 0 else { throw .last("open", fullPath(next)) }
            current = Folder(Descriptor(owning: raw), path: next)
        }
        return current
    }

    private func openFolder(_ path: RelativePath) throws(FileError) -> Folder {
        let raw = resolution.openFolder(path, below: root.raw)
        guard raw >= 0 else { throw linkAware(.last("open", fullPath(path))) }
        return Folder(Descriptor(owning: raw), path: path)
    }

    /// The private folder, `.runner` or the workspace in it, readable by its owner only. Nil where it is missing and not to
    /// be made.
    func privateFolder(creating: Bool) throws(FileError) -> Folder? {
        if let folder = folders.folder(.own) { return folder }
        var folder = try privateFolder(Self.privateName, in: root, shownAs: Self.privateName, creating: creating)
        if let workspace {
            var shown = Self.privateName
            for name in [Self.shardsName] + workspace.components.map(String.init) {
                shown += "/\(name)"
                guard let above = folder else { return nil }
                folder = try privateFolder(name, in: above, shownAs: shown, creating: creating)
            }
        }
        if let folder { folders.set(folder, as: .own) }
        return folder
    }

    /// The names of the workspaces in a group of them.
    func workspaces(in group: RelativePath) throws(FileError) -> [String] {
        var shown = Self.privateName
        var folder = try privateFolder(Self.privateName, in: root, shownAs: shown, creating: false)
        for name in [Self.shardsName] + group.components.map(String.init) {
            shown += "/\(name)"
            guard let above = folder else { return [] }
            folder = try privateFolder(name, in: above, shownAs: shown, creating: false)
        }
        guard let folder else { return [] }
        return try entries(of: folder, shownAs: fullPath(shown))
    }

    /// `.runner/parts`, where bodies grow. Nil where it is missing and not to be made.
    func partsFolder(creating: Bool) throws(FileError) -> Folder? {
        if let folder = folders.folder(.parts) { return folder }
        guard let above = try privateFolder(creating: creating) else { return nil }
        let folder = try privateFolder("parts", in: above, shownAs: privatePath + "/parts", creating: creating)
        if let folder { folders.set(folder, as: .parts) }
        return folder
    }

    func privateFolder(
        _ name: String, in above: Folder, shownAs shown: String, creating: Bool
    ) throws(FileError) -> Folder? {
        if creating, mkdirat(above.raw, name, 0o700) != 0, errno != EEXIST {
            throw .last("make", fullPath(shown))
        }
        let raw = uninterrupted { openat(above.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        if raw < 0, errno == ENOENT, !creating { return nil }
        guard raw >= 0 else { throw linkAware(.last("open", fullPath(shown))) }
        return Folder(Descriptor(owning: raw), path: nil)
    }

    /// The names in a folder, in no order.
    func entries(of folder: Folder, shownAs path: String) throws(FileError) -> [String] {
        let raw = uninterrupted { openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0, let stream = fdopendir(raw) else { throw .last("list", path) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
