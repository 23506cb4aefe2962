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

/// The folders that an output directory holds open.
final class OpenFolders: Sendable {
    /// Folders that are private to the program.
    enum Private: Sendable {
        /// `.runner`.
        case own
        /// `.runner/parts`.
        case parts
        /// `.runner/pictures`.
        case pictures
    }

    private struct State {
        var cache = FolderCache(capacity: 64)
        var touched = TouchedFolders(capacity: 64)
        var privateFolders: [Private: Folder] = [:]
    }

    private let state = Locked(State())

    func folder(at path: RelativePath) -> Folder? { state.withLock { $0.cache.folder(at: path) } }

    func insert(_ folder: Folder, at path: RelativePath) { state.withLock { $0.cache.insert(folder, at: path) } }

    func forget(_ path: RelativePath) { state.withLock { $0.cache.remove(path) } }

    func folder(_ which: Private) -> Folder? { state.withLock { $0.privateFolders[which] } }

    func set(_ folder: Folder?, as which: Private) { state.withLock { $0.privateFolders[which] = folder } }

    /// Remembers that entries of a folder changed.
    func touch(_ folder: Folder) { state.withLock { $0.touched.insert(folder) } }

    /// Has the next flush be that of the whole file system: nobody knows which folders changed.
    func touchAll() { state.withLock { $0.touched.overflow() } }

    /// The folders that changed since the last time.
    func takeTouched() -> TouchedFolders {
        state.withLock { state in
            let touched = state.touched
            state.touched = TouchedFolders(capacity: 64)
            return touched
        }
    }
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
