import Glibc

/// Where a program is that a file or a person names; nil where no executable file is there.
///
/// - Parameters:
///   - name: with a slash a path, seen from `folder`; else a name to look for.
///   - folders: as `PATH` has them.
package func executablePath(of name: String, in folder: String, searching folders: String) -> String? {
    let candidates =
        name.contains("/")
        ? [name.hasPrefix("/") ? name : "\(folder)/\(name)"]
        : folders.split(separator: ":").map { "\($0)/\(name)" }
    return candidates.first { path in
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
