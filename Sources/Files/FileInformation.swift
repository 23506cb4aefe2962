// Both modules have `timespec`; which of them owns it to the compiler depends on what it loads first.
internal import CLinux
internal import Glibc

/// What the file system tells of a file, without opening it.
package struct FileInformation: Hashable, Sendable {
    /// Length in bytes.
    package let size: Int64
    /// False for folders, symbolic links, pipes and devices.
    package let isRegular: Bool
    /// Whether it is a folder itself, not a link to one.
    package let isFolder: Bool
    /// With `inode`, tells whether two names are one file.
    package let device: UInt64
    /// The file's number on its device.
    package let inode: UInt64
    /// Modification time, whole seconds since 1970.
    package let modified: Int64
    /// How many names the file has.
    package let links: Int

    /// Of the entry `name` itself: a symbolic link is not followed.
    init?(of name: String, in folder: Int32) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        size = Int64(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = Int64(status.st_mtim.tv_sec)
        links = Int(status.st_nlink)
    }
}
