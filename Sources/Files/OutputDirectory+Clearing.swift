internal import Glibc

extension OutputDirectory {
    /// Removes the folder of a file that has gone, and those above it, as far as they are empty. What can't be removed
    /// stays.
    package func removeEmptyFolders(above path: RelativePath) {
        var next = path.parent
        while let folder = next {
            guard let above = try? self.folder(folder.parent, creating: false),
                unlinkat(above.raw, folder.last, AT_REMOVEDIR) == 0
            else { return }
            // Whoever publishes there makes it anew.
            folders.forget(folder)
            touch(above)
            next = folder.parent
        }
    }

    /// Removes what the program has for its own use: parts, kept files, what shards keep, the journal, the owner. The lock stays, since others may be
    /// waiting for it.
    package func removePrivateFiles() throws(FileError) {
        try removeKept(except: [])
        try removeUnfinishedPictures()
        for part in try parts() { try removePart(part.name) }
        for group in try shardGroups() { try removeShardGroup(group.name) }
        guard let folder = try privateFolder(creating: false) else { return }
        for name in ["parts", "kept", "pictures"] {
            guard unlinkat(folder.raw, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY else {
                throw .last("remove", fullPath("\(Self.privateName)/\(name)"))
            }
        }
        folders.set(nil, as: .parts)
        folders.set(nil, as: .pictures)
        for name in ["journal", "journal.new"] {
            guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else {
                throw .last("remove", fullPath("\(Self.privateName)/\(name)"))
            }
        }
        try removeOwner()
    }
}
