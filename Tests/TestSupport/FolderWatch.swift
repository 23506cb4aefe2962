import Glibc

/// Calls back for each change in some folders, by inotify(7), on a thread of its own; until the value goes.
package final class FolderWatch: Sendable {
    /// One of two sockets; the thread ends when it closes.
    private let ending: Int32

    /// Watches for entries that are made, renamed, removed or written to.
    ///
    /// - Parameter change: called with the folder's place in `folders` and the entry's name.
    package init(_ folders: [String], change: @escaping @Sendable (_ folder: Int, _ name: String) -> Void) throws {
        let inotify = inotify_init1(Int32(IN_CLOEXEC))
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard inotify >= 0, socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw TestSupportError("no inotify") }
        var numbers: [Int32: Int] = [:]
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MODIFY)
        for (index, folder) in folders.enumerated() {
            let watch = inotify_add_watch(inotify, folder, events)
            guard watch >= 0 else {
                throw TestSupportError("can't watch \(folder): \(String(cString: strerror(errno)))")
            }
            numbers[watch] = index
        }
        ending = ends[1]
        let (end, folderOfWatch) = (ends[0], numbers)
        spawnThread {
            Self.read(inotify, until: end) { watch, name in
                if let folder = folderOfWatch[watch] { change(folder, name) }
            }
            close(inotify)
            close(end)
        }
    }

    deinit {
        close(ending)
    }

    private static func read(_ inotify: Int32, until ending: Int32, change: (Int32, String) -> Void) {
        let size = 65_536
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<inotify_event>.alignment)
        defer { buffer.deallocate() }
        while true {
            var waiting = [
                pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
                pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
            ]
            poll(&waiting, 2, -1)
            if waiting[1].revents != 0 { return }
            let count = Glibc.read(inotify, buffer, size)
            var offset = 0
            while offset < count {
                // The header of an event is followed by its name, padded with zeros to `len` bytes.
                let event = (buffer + offset).load(as: inotify_event.self)
                let name = UnsafeRawBufferPointer(
                    start: buffer + offset + MemoryLayout<inotify_event>.size, count: Int(event.len))
                change(event.wd, String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
                offset += MemoryLayout<inotify_event>.size + Int(event.len)
            }
        }
    }
}
