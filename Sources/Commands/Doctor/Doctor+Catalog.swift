import Catalog
import Files
import Glibc
import Reports
import SQLite
import System

extension Doctor {
    /// The catalog, and the disk that it is on or will be.
    var catalog: [Finding] {
        let path: String
        do {
            path = try CatalogLocation.path(flag: database, environment: environment)
        } catch {
            return [.problem("catalog", "\(error)", advice: "set HOME or RUNNER_DATABASE, or give --database")]
        }
        return [Self.catalog(at: path), Self.disk(of: path)]
    }

    private static func catalog(at path: String) -> Finding {
        guard access(path, F_OK) == 0 else {
            let folder = existingFolder(above: path)
            guard access(folder, W_OK | X_OK) == 0 else {
                return .problem(
                    "catalog", "\(path) can't be made: \(folder) is not writable",
                    advice: "give --database or RUNNER_DATABASE a place that this user may write")
            }
            return .ok("catalog", "\(path), not there yet; the first run makes it")
        }
        do {
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            let runs = try RunRows.count(on: connection)
            guard access(path, W_OK) == 0 else {
                return .problem("catalog", "\(path) is not writable", advice: "run as the user that owns it")
            }
            return .ok("catalog", "\(path), schema \(try connection.userVersion), \(counted(runs, "run"))")
        } catch {
            return .problem("catalog", "\(path): \(error)", advice: "use another file, or move this one away")
        }
    }

    private static func disk(of path: String) -> Finding {
        let folder = existingFolder(above: path)
        if let network = networkFileSystem(at: folder) {
            return .problem(
                "disk", "\(folder) is on \(network), where SQLite's locks can't be relied on",
                advice: "give --database or RUNNER_DATABASE a file on a local disk")
        }
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else {
            return .warning(
                "disk", "\(folder): \(String(cString: strerror(errno)))", advice: "see whether it is mounted")
        }
        let free = Int64(clamping: UInt64(space.f_bavail).multipliedFullWidth(by: UInt64(space.f_frsize)).low)
        let state = "\(byteText(free)) free in \(folder)"
        guard free >= 100_000_000 else {
            return .warning("disk", state, advice: "make room: a run ends when the catalog can't be written")
        }
        return .ok("disk", state)
    }

    private static func existingFolder(above path: String) -> String {
        var folder = FilePath.folder(of: path)
        while access(folder, F_OK) != 0, folder != "/", folder != "." { folder = FilePath.folder(of: folder) }
        return folder
    }
}
