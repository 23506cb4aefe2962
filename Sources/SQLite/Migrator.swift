/// One step of a schema. Once released it never changes; what it got wrong is put right by a later one.
package struct Migration: Sendable {
    /// What it is for, in error messages.
    package let name: String
    let apply: @Sendable (Connection) throws -> Void

    /// A step that is SQL alone.
    package init(_ name: String, sql: String) {
        self.init(name) { connection in try connection.execute(sql) }
    }

    /// A step that has to look at the rows. It runs inside a transaction.
    package init(_ name: String, apply: @escaping @Sendable (Connection) throws -> Void) {
        self.name = name
        self.apply = apply
    }
}

/// Why a file cannot be used with a schema.
package enum MigrationError: Error, CustomStringConvertible {
    /// The file is a database of another program, or of none that says its name, and has tables already.
    case foreign(path: String, applicationID: Int32)
    /// A later version of this program has changed the file.
    case newer(path: String, version: Int, known: Int)
    /// A migration threw; the file is as it was before it.
    case failed(path: String, migration: String, cause: any Error)

    package var description: String {
        switch self {
        case .foreign(let path, let applicationID):
            let hexadecimal = String(UInt32(bitPattern: applicationID), radix: 16)
            return "\(path) is a database of another program (application id 0x\(hexadecimal)): "
                + "give the catalog's file with --database FILE"
        case .newer(let path, let version, let known):
            return "\(path) has schema version \(version), this program knows versions up to \(known): use a newer one"
        case .failed(let path, let migration, let cause):
            return "\(path): the migration '\(migration)' failed: \(cause)"
        }
    }
}

/// Brings a file to the newest version of a schema: an append-only list of migrations.
///
/// `user_version` counts the migrations a file has seen, `application_id` says whose file it is.
package struct Migrator: Sendable {
    package let applicationID: Int32
    package let migrations: [Migration]

    /// `applicationID` is not 0, which is what the files of most programs have.
    package init(applicationID: Int32, migrations: [Migration]) {
        precondition(applicationID != 0)
        self.applicationID = applicationID
        self.migrations = migrations
    }

    /// Turns on the write-ahead log and applies the migrations that the file lacks, each in a transaction of its own.
    ///
    /// Several processes may do so at once: one applies, the others wait and find it done.
    /// - Throws: `MigrationError`, or `SQLiteError` where the file cannot be read or written. A file of another program
    ///   is left untouched.
    package func migrate(_ connection: Connection) throws {
        _ = try verify(connection)
        try connection.enableWriteAheadLog()
        for (version, migration) in zip(1..., migrations) {
            try apply(migration, version: version, to: connection)
        }
    }

    /// The version of the schema of a file that is only read, between 0 (new) and the number of migrations.
    ///
    /// - Throws: `MigrationError.foreign` or `.newer`.
    package func verify(_ connection: Connection) throws -> Int {
        // Both numbers from one state: another process may be making the file just now.
        try connection.isInTransaction
            ? inspect(connection) : connection.transaction(.deferred) { try inspect(connection) }
    }

    private func inspect(_ connection: Connection) throws -> Int {
        let version = Int(try connection.userVersion)
        let found = try connection.applicationID
        let isNew = try found == 0 && connection.value("SELECT count(*) FROM sqlite_schema") == 0
        guard found == applicationID || isNew else {
            throw MigrationError.foreign(path: connection.path, applicationID: found)
        }
        guard version <= migrations.count else {
            throw MigrationError.newer(path: connection.path, version: version, known: migrations.count)
        }
        return version
    }

    private func apply(_ migration: Migration, version: Int, to connection: Connection) throws {
        try connection.transaction {
            // Read again, now that no other process can write.
            guard try inspect(connection) < version else { return }
            do {
                try migration.apply(connection)
                try connection.setApplicationID(applicationID)
                try connection.setUserVersion(Int32(version))
            } catch {
                throw MigrationError.failed(path: connection.path, migration: migration.name, cause: error)
            }
        }
    }
}
