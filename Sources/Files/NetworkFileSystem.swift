internal import CLinux
internal import Glibc
import System

/// The kind of network file system that holds a path, such as "nfs"; nil for a local one. What does not exist yet is
/// judged by the nearest folder above it that does.
///
/// Locks and shared memory work on one machine only there, if at all, so a SQLite database in WAL mode must not be kept
/// on it (sqlite.org/wal.html).
package func networkFileSystem(at path: String) -> String? {
    let existing = nearestExisting(path)
    let type = clinux_file_system_type(existing)
    guard type != -1 else { return nil }
    // The field is signed and the numbers are not.
    let magic = UInt32(truncatingIfNeeded: type)
    if magic == fuseMagic { return mountedType(of: existing).flatMap { networkFUSETypes.contains($0) ? $0 : nil } }
    return networkMagics[magic]
}

/// statfs(2) and linux/magic.h.
private let networkMagics: [UInt32: String] = [
    0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x0102_1997: "9p", 0x5346_414F: "afs",
    0x6B41_4653: "afs", 0x7375_7245: "coda", 0x564C: "ncp", 0x00C3_6400: "ceph", 0x7461_636F: "ocfs2",
    0x0116_1970: "gfs2", 0x0BD0_0BD0: "lustre",
]

/// Every file system in user space has this one; which it is, only its mount tells.
private let fuseMagic: UInt32 = 0x6573_5546

private let networkFUSETypes: Set<String> = [
    "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.goofys", "fuse.mount-s3", "fuse.davfs2",
    "fuse.davfs", "fuse.glusterfs", "fuse.ceph-fuse", "fuse.ceph", "fuse.curlftpfs", "fuse.juicefs", "fuse.blobfuse",
    "fuse.blobfuse2", "fuse.moosefs", "fuse.mfs", "fuse.seaweedfs", "fuse.smbnetfs", "fuse.afp",
]

private func nearestExisting(_ path: String) -> String {
    var path = path[...]
    while true {
        if path.isEmpty { return "." }
        if access(String(path), F_OK) == 0 { return String(path) }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        if slash == path.startIndex { return "/" }
        path = path[..<slash]
    }
}

/// The type in /proc/self/mountinfo of the mount that holds a path (proc_pid_mountinfo(5)).
private func mountedType(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let raw = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    let device = "\(clinux_device_major(status.st_dev)):\(clinux_device_minor(status.st_dev))"
    for line in String(decoding: readAll(file.raw) ?? [], as: UTF8.self).split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
        else { continue }
        return String(fields[dash + 1])
    }
    return nil
}
