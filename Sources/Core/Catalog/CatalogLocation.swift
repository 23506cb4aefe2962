import Files
import Glibc
package import SQLite
import System

/// Where the catalog is.
package enum CatalogLocation {
    /// The file: a flag's value, `$RUNNER_DATABASE`, `$STATE_DIRECTORY/runner.sqlite` (systemd gives a unit's own folder),
    /// `$XDG_STATE_HOME/runner/runner.sqlite`, else `~/.local/state/runner/runner.sqlite`, as the XDG Base Directory
    /// Specification has it.
    ///
    /// - Throws: ``CatalogError`` when no place can be named.
    package static func path(flag: String?, environment: [String: String]) throws -> String {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        if let path = flag ?? value("RUNNER_DATABASE") { return FilePath.absolute(path) }
        // systemd separates several directories with colons; the first is the unit's main one.
        if let directory = value("STATE_DIRECTORY")?.split(separator: ":").first { return "\(directory)/runner.sqlite" }
        if let directory = value("XDG_STATE_HOME"), directory.hasPrefix("/") {
            return "\(directory)/runner/runner.sqlite"
        }
        guard let home = value("HOME") else {
            throw CatalogError("there is no place for the catalog: HOME is not set; give --database FILE")
        }
        return "\(home)/.local/state/runner/runner.sqlite"
    }

    /// The file whose lock a run of a job with this catalog holds.
    package static func lock(of job: String, catalog path: String) -> String {
        "\(path).\(job).lock"
    }

    /// Opens the catalog for a run: makes it, and its folder, where they are missing, and brings its tables up to date.
    ///
    /// - Throws: ``CatalogError``, `SQLiteError` or `MigrationError`, each with a way out.
    package static func openForWriting(_ path: String) throws -> Connection {
        let folder = FilePath.folder(of: path)
        do throws(FileError) {
            try makeFolders(folder, mode: 0o700)
        } catch {
            throw CatalogError(
                "can't make the catalog's folder \(error.path): \(error.reason ?? String(cString: strerror(error.errno)))"
            )
        }
        if let system = networkFileSystem(at: folder) {
            throw CatalogError(
                "\(path) is on \(system), where SQLite's locks can't be relied on; "
                    + "give --database a file on a local disk, or set RUNNER_DATABASE")
        }
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try CatalogSchema.migrator.migrate(connection)
        // Others who may read the catalog can't make the files that SQLite needs to read it.
        if let mode = sharedMode(path) {
            try connection.keepLogFiles()
            // Those that are there may be from before it was shared; another user's stay as they are.
            for suffix in ["-wal", "-shm"] { chmod(path + suffix, mode) }
        }
        return connection
    }

    /// Opens an existing catalog to change it.
    ///
    /// - Throws: ``CatalogError`` when it is missing; what ``openForWriting(_:)`` throws.
    package static func openExisting(_ path: String) throws -> Connection {
        try requireCatalog(at: path)
        return try openForWriting(path)
    }

    /// The permissions of a file that users other than the owner may read; nil for a private one.
    private static func sharedMode(_ path: String) -> mode_t? {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & 0o044 != 0 else { return nil }
        return information.st_mode & 0o777
    }

    private static func requireCatalog(at path: String) throws {
        guard access(path, F_OK) == 0 || errno == EACCES else {
            throw CatalogError("there is no catalog at \(path); the first run makes it")
        }
        // A pipe would be read as one until somebody writes to it.
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            throw CatalogError("there is no catalog at \(path): it is not a regular file")
        }
    }

    /// Opens an existing catalog to read from it. One that an earlier version made is brought up to date first.
    ///
    /// - Throws: ``CatalogError`` when it is missing, or earlier and not to be written; `MigrationError` when it is newer
    ///   than this program or another program's.
    package static func openForReading(_ path: String) throws -> Connection {
        try requireCatalog(at: path)
        let connection = try openReadOnly(path)
        guard try CatalogSchema.migrator.verify(connection) < CatalogSchema.migrator.migrations.count else {
            return connection
        }
        connection.close()
        do {
            try openForWriting(path).close()
        } catch {
            throw CatalogError(
                "\(path) is of an earlier version, and can't be brought up to date: \(error); a run of this version does it"
            )
        }
        return try openReadOnly(path)
    }

    private static func openReadOnly(_ path: String) throws -> Connection {
        let fault: SQLiteError
        do throws(SQLiteError) {
            return try Connection(path: path, mode: .readOnly)
        } catch {
            fault = error
        }
        let lacksLog = fault.code.primary == .cannotOpen || fault.code.primary == .readOnly
        guard lacksLog, access(path, R_OK) == 0, let copy = try CatalogCopy.open(path) else { throw fault }
        return copy
    }
}
