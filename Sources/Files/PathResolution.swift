internal import CLinux
internal import Glibc
import System

/// How a path of several components is opened below a folder so that no symbolic link on the way is followed.
enum PathResolution: Sendable {
    /// One call that the kernel checks (Linux 5.6).
    case kernel
    /// Folder by folder: for older kernels, and for containers that refuse the call.
    case componentWise

    /// What this kernel offers.
    static func available(below folder: Int32) -> PathResolution {
        let probe = clinux_open_beneath(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard probe >= 0 else { return .componentWise }
        close(probe)
        return .kernel
    }

    /// Opens the folder at `path` for reading; -1 with `errno` set on failure: ELOOP where a symbolic link is in the
    /// way.
    func openFolder(_ path: RelativePath, below folder: Int32) -> Int32 {
        switch self {
        case .kernel:
            while true {
                let result = clinux_open_beneath(folder, path.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
                // EAGAIN: a folder was moved while the kernel looked.
                if result >= 0 || (errno != EINTR && errno != EAGAIN) { return result }
            }
        case .componentWise:
            var current = folder
            for component in path.components {
                let name = String(component)
                let next = uninterrupted {
                    openat(current, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                }
                let failure = next >= 0 || !isLink(name, in: current) ? errno : ELOOP
                if current != folder { close(current) }
                errno = failure
                guard next >= 0 else { return -1 }
                current = next
            }
            return current
        }
    }

    /// Tells a link from a file in the way, as the kernel's check does: opening either says "not a directory".
    private func isLink(_ name: String, in folder: Int32) -> Bool {
        let failure = errno
        defer { errno = failure }
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
