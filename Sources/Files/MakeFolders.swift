internal import Glibc
import System

/// Makes a folder and those above it where they are missing.
///
/// - Parameters:
///   - path: absolute.
///   - mode: of those that are made, under the umask.
/// - Throws: `FileError` with the folder that can't be made, or that is something else.
package func makeFolders(_ path: String, mode: UInt32) throws(FileError) {
    var made = ""
    for component in path.split(separator: "/") {
        made += "/\(component)"
        guard mkdir(made, mode) != 0 else { continue }
        let code = errno
        var information = stat()
        // One that may not be changed may still be passed through.
        guard stat(made, &information) == 0 else {
            throw FileError(operation: "make", path: made, errno: code)
        }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(operation: "make", path: made, errno: ENOTDIR, reason: "it is there, and no folder")
        }
    }
}
