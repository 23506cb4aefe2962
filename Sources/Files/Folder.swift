internal import Glibc
import System

/// A folder of an output directory, open for as long as someone holds it.
final class Folder: Sendable {
    /// Nil for the output directory itself.
    let path: RelativePath?
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor, path: RelativePath?) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Valid while the folder is held.
    var raw: Int32 { descriptor.raw }
}

/// The folders used last, so that 10,000 files of one folder open it once.
struct FolderCache {
    private var entries: [RelativePath: (folder: Folder, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func folder(at path: RelativePath) -> Folder? {
        guard let index = entries.index(forKey: path) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].folder
    }

    mutating func insert(_ folder: Folder, at path: RelativePath) {
        uses += 1
        entries[path] = (folder, uses)
        if entries.count > capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
    }

    mutating func remove(_ path: RelativePath) {
        entries[path] = nil
    }
}

/// The folders whose entries changed since they were last flushed.
struct TouchedFolders {
    private var folders: [ObjectIdentifier: Folder] = [:]
    /// Which was inserted last: the files of a batch mostly share a folder.
    private var last: Folder?
    private(set) var overflowed = false
    private let capacity: Int

    /// At most `capacity` folders are held open; beyond that the whole file system is to be flushed instead.
    init(capacity: Int) {
        self.capacity = capacity
    }

    var all: [Folder] { Array(folders.values) }

    mutating func insert(_ folder: Folder) {
        guard !overflowed, folder !== last else { return }
        last = folder
        folders[ObjectIdentifier(folder)] = folder
        if folders.count > capacity { overflow() }
    }

    mutating func overflow() {
        folders = [:]
        last = nil
        overflowed = true
    }
}
