import Glibc

/// Where a directory is, or will be once it is made: by whatever links and dots it was written, the same place is equal.
package struct DirectoryPlace {
    /// Without links, as far as it exists.
    package let path: String
    /// Tells places apart that are reached by several mounts; nil while there is no directory.
    private let file: (device: UInt, inode: UInt)?

    /// - Parameter path: absolute.
    package init(_ path: String) {
        var existing = path.split(separator: "/").map(String.init)
        var rest: [String] = []
        var information = stat()
        file = stat(path, &information) == 0 ? (UInt(information.st_dev), UInt(information.st_ino)) : nil
        while !existing.isEmpty {
            if let real = realpath("/" + existing.joined(separator: "/"), nil) {
                defer { free(real) }
                existing = String(cString: real).split(separator: "/").map(String.init)
                break
            }
            rest.insert(existing.removeLast(), at: 0)
        }
        for component in rest {
            switch component {
            case ".": break
            case "..": _ = existing.popLast()
            default: existing.append(component)
            }
        }
        self.path = "/" + existing.joined(separator: "/")
    }

    func isSame(as other: DirectoryPlace) -> Bool {
        if let file, let another = other.file { return file == another }
        return path == other.path
    }

    /// Whether it is among the program's own files in another output directory.
    func isPrivate(in other: DirectoryPlace) -> Bool {
        let folder = other.path + "/.runner"
        return path == folder || path.hasPrefix(folder + "/")
    }
}
