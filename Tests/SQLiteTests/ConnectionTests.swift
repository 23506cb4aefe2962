import Glibc
import SQLite
import Testing

@Suite("Connections", .timeLimit(.minutes(1)))
struct ConnectionTests {
    private struct Stop: Error {}

    private func permissions(_ path: String) throws -> mode_t {
        var information = stat()
        try #require(stat(path, &information) == 0, "\(path) is there")
        return information.st_mode & 0o777
    }

    @Test("a new file and the files beside it are private")
    func privateFile() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.enableWriteAheadLog()
        try connection.execute("CREATE TABLE t (v)")
        for suffix in ["", "-wal", "-shm"] {
            #expect(try permissions(folder.database() + suffix) == 0o600)
        }
    }

    @Test("the permissions of a file that is there stay")
    func existingPermissions() throws {
        let folder = try TemporaryFolder()
        try write("", to: folder.database())
        chmod(folder.database(), 0o640)
        try folder.connection().execute("CREATE TABLE t (v)")
        #expect(try permissions(folder.database()) == 0o640)
    }

    @Test("a path that looks like a URI or like memory is a path")
    func literalPath() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file:x?mode=memory"
        try Connection(path: path, mode: .readWriteCreate).execute("CREATE TABLE t (v)")
        #expect(unlink(path) == 0)
    }

    @Test("a missing file is not made by a reader, and the error names it", arguments: [true, false])
    func missing(isReader: Bool) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SQLiteError.self) { _ = try folder.connection(isReader ? .readOnly : .readWrite) }
        #expect(error?.code.primary == .cannotOpen)
        #expect(
            error?.message
                == "cannot open \(folder.database()): unable to open database file (No such file or directory)")
        #expect(access(folder.database(), F_OK) != 0)
    }

    @Test("a file in a missing folder cannot be made, and the error says why")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/none/catalog.sqlite"
        let error = #expect(throws: SQLiteError.self) { _ = try Connection(path: path, mode: .readWriteCreate) }
        #expect(error?.message == "cannot create \(path): No such file or directory")
    }

    @Test("a file that is no database is refused by name and left as it is")
    func notADatabase() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "name: flags\n", count: 100)
        try write(text, to: folder.database())
        let error = #expect(throws: SQLiteError.self) { _ = try folder.connection() }
        #expect(error?.code == .notADatabase)
        #expect(error?.message == "cannot read \(folder.database()): file is not a database")
        #expect(try contents(of: folder.database()) == Array(text.utf8))
    }

    @Test("a fault of the file or around it names the file and a way out, not the statement")
    func wayOut() throws {
        let folder = try TemporaryFolder()
        let path = folder.database()
        let connection = try folder.connection()
        try connection.execute("CREATE TABLE t (v); PRAGMA max_page_count = 3")
        let full = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO t VALUES (?)", String(repeating: "x", count: 100_000))
        }
        let start = "\(path): database or disk is full (SQLite code 13); the disk is full: "
        #expect(full?.description.hasPrefix(start) == true)

        let other = try Connection(path: path, mode: .readWrite, busyTimeout: 0)
        try connection.transaction {
            let busy = #expect(throws: SQLiteError.self) { try other.run("INSERT INTO t VALUES (1)") }
            let start = "\(path): database is locked (SQLite code 5); another process "
            #expect(busy?.description.hasPrefix(start) == true)
        }
        let reader = try folder.connection(.readOnly)
        let readOnly = #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO t VALUES (1)") }
        #expect(readOnly?.description.contains("\(path): attempt to write a readonly database") == true)
        #expect(readOnly?.description.contains("; it can't be written: give this user write permission") == true)
        #expect(readOnly?.description.contains("INSERT") == false)

        let place = try TemporaryFolder()
        try write("name: flags\n" + String(repeating: "#", count: 4_096), to: place.database())
        let stranger = #expect(throws: SQLiteError.self) { _ = try place.connection() }
        let end = "; it is no SQLite database: give the catalog's file with --database FILE"
        #expect(stranger?.description.hasSuffix(end) == true)
        let none = #expect(throws: SQLiteError.self) { _ = try Connection(path: "/none/c", mode: .readOnly) }
        #expect(none?.description.contains("; it can't be opened: give this user permission") == true)
    }

    @Test("damage inside a file is an error, not a crash")
    func corrupt() throws {
        let folder = try TemporaryFolder()
        do {
            let connection = try folder.connection()
            try connection.execute("CREATE TABLE t (v); CREATE INDEX i ON t(v)")
            try connection.transaction { for n in 0..<2_000 { try connection.run("INSERT INTO t VALUES (?)", n) } }
        }
        let file = try #require(fopen(folder.database(), "r+"))
        fseek(file, 4_096, SEEK_SET)
        let noise = [UInt8](repeating: 0xa5, count: 8_192)
        fwrite(noise, 1, noise.count, file)
        fclose(file)
        let connection = try folder.connection()
        let error = #expect(throws: SQLiteError.self) { try connection.run("SELECT count(*) FROM t") }
        #expect(error?.code.primary == .corrupt)
    }

    @Test("a reader cannot write")
    func readOnly() throws {
        let folder = try TemporaryFolder()
        try folder.connection().execute("CREATE TABLE t (v)")
        let reader = try folder.connection(.readOnly)
        let error = #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO t VALUES (1)") }
        #expect(error?.code.primary == .readOnly)
    }

    @Test("a folder in which a reader may make no file gives the way out")
    func readOnlyFolder() async {
        // In a process of its own, which can become a user that may not write.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            do {
                let connection = try folder.connection()
                try connection.enableWriteAheadLog()
                try connection.execute("CREATE TABLE t (v)")
            }
            chmod(folder.database(), 0o644)
            chmod(folder.path, 0o555)
            let user = geteuid()
            if user == 0 { try #require(seteuid(65_534) == 0) }
            let error = #expect(throws: SQLiteError.self) { _ = try folder.connection(.readOnly) }
            if user == 0 { try #require(seteuid(user) == 0) }
            chmod(folder.path, 0o755)
            #expect(error?.code.primary == .cannotOpen || error?.code.primary == .readOnly)
            #expect(error?.message.hasPrefix("cannot read \(folder.database()): ") == true)
            #expect(error?.message.hasSuffix("or a folder to make them in") == true)
        }
    }

    @Test("readers see the last commit while a writer is at work")
    func readersBesideWriter() throws {
        let folder = try TemporaryFolder()
        let writer = try folder.connection()
        try writer.enableWriteAheadLog()
        try writer.execute("CREATE TABLE t (v)")
        let reader = try folder.connection(.readOnly, busyTimeout: 0)
        try writer.transaction {
            try writer.run("INSERT INTO t VALUES (1)")
            #expect(try reader.value("SELECT count(*) FROM t") == 0)
        }
        #expect(try reader.value("SELECT count(*) FROM t") == 1)
    }

    @Test("a second writer is told busy after its time-out, and nothing of it is left")
    func busy() throws {
        let folder = try TemporaryFolder()
        let first = try folder.connection()
        try first.enableWriteAheadLog()
        try first.execute("CREATE TABLE t (v)")
        let second = try folder.connection(busyTimeout: 1)
        try first.transaction {
            do {
                try second.transaction { try second.run("INSERT INTO t VALUES (2)") }
                Issue.record("no error")
            } catch ResultCode.busy {}
            #expect(!second.isInTransaction)
        }
        try second.transaction { try second.run("INSERT INTO t VALUES (2)") }
        #expect(try first.value("SELECT v FROM t") == 2)
    }

    @Test("turning on the write-ahead log waits for a writer throughout the time-out")
    func logWhileWriting() throws {
        let folder = try TemporaryFolder()
        let first = try folder.connection()
        let second = try folder.connection(busyTimeout: 50)
        try first.transaction {
            let waited = try ContinuousClock().measure {
                do {
                    try second.enableWriteAheadLog()
                    Issue.record("no error")
                } catch ResultCode.busy {}
            }
            #expect(waited >= .milliseconds(50))
        }
        try second.enableWriteAheadLog()
    }

    @Test("a transaction that throws leaves no trace")
    func rollback() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (v)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    @Test("a transaction that is renewed keeps what it had, whatever follows")
    func renewed() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (v)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                try connection.renewTransaction()
                try connection.run("INSERT INTO t VALUES (2)")
                throw Stop()
            }
        }
        #expect(try connection.rows("SELECT v FROM t") { try $0[0] as Int } == [1])
    }

    @Test("a commit that is refused rolls back")
    func refusedCommit() throws {
        let connection = try Connection.inMemory()
        try connection.execute(
            """
            CREATE TABLE job (name TEXT PRIMARY KEY);
            CREATE TABLE run (job TEXT REFERENCES job(name) DEFERRABLE INITIALLY DEFERRED)
            """)
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { try connection.run("INSERT INTO run VALUES ('none')") }
        }
        #expect(error?.code == .foreignKeyConstraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.value("SELECT count(*) FROM run") == 0)
    }

    @Test("a transaction inside a transaction traps")
    func nested() async {
        await #expect(processExitsWith: .failure) {
            let connection = try Connection.inMemory()
            try connection.transaction { try connection.transaction {} }
        }
    }

    @Test("a checkpoint empties the log into the file, as far as readers let it")
    func checkpoint() throws {
        let folder = try TemporaryFolder()
        let writer = try folder.connection()
        try writer.enableWriteAheadLog()
        try writer.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        let reader = try folder.connection(.readOnly)
        try reader.transaction(.deferred) {
            try reader.run("SELECT v FROM t")
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try !writer.checkpoint())
        }
        #expect(try writer.checkpoint())
    }

    @Test("a closed connection leaves only the file")
    func closing() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.enableWriteAheadLog()
        try connection.execute("CREATE TABLE t (v)")
        try connection.run("INSERT INTO t VALUES (1)")
        connection.close()
        #expect(access(folder.database() + "-wal", F_OK) != 0)
        #expect(try folder.connection(.readOnly).value("SELECT v FROM t") == 1)
    }

    @Test("synchronous is as set", arguments: [(Connection.Synchronous.normal, 1), (.full, 2)])
    func synchronous(level: Connection.Synchronous, number: Int) throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.setSynchronous(level)
        #expect(try connection.value("PRAGMA synchronous") == number)
    }
}
