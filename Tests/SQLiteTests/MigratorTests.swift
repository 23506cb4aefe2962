import Dispatch
import Glibc
import SQLite
import Synchronization
import Testing

@Suite("Migrations", .timeLimit(.minutes(1)))
struct MigratorTests {
    private struct Stop: Error {}

    private static let first = Migration("jobs", sql: "CREATE TABLE job (name TEXT); INSERT INTO job VALUES ('first')")
    private static let second = Migration("numbers") { connection in
        try connection.execute("ALTER TABLE job ADD COLUMN number INTEGER")
        try connection.run("UPDATE job SET number = ?", 7)
    }

    private func migrator(_ migrations: Migration..., applicationID: Int32 = 0x7465_7374) -> Migrator {
        Migrator(applicationID: applicationID, migrations: migrations)
    }

    @Test("a new file gets every migration, the identity and the write-ahead log")
    func newFile() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        #expect(try migrator(Self.first, Self.second).verify(connection) == 0)
        try migrator(Self.first, Self.second).migrate(connection)
        #expect(try connection.value("SELECT number FROM job") == 7)
        #expect(try connection.applicationID == 0x7465_7374)
        #expect(try connection.userVersion == 2)
        #expect(try connection.value("PRAGMA journal_mode") == "wal")
    }

    @Test("an older file gets only what it lacks, its rows stay")
    func olderFile() throws {
        let folder = try TemporaryFolder()
        try migrator(Self.first).migrate(folder.connection())
        let connection = try folder.connection()
        #expect(try migrator(Self.first, Self.second).verify(connection) == 1)
        try migrator(Self.first, Self.second).migrate(connection)
        #expect(
            try connection.rows("SELECT name, number FROM job") { row in "\(try row[0] as String) \(try row[1] as Int)"
            } == ["first 7"])
    }

    @Test("a failing migration changes nothing and is named; those before it stay")
    func failing() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        let broken = Migration("broken") { connection in
            try connection.execute("DROP TABLE job")
            throw Stop()
        }
        let error = #expect(throws: MigrationError.self) { try migrator(Self.first, broken).migrate(connection) }
        #expect(error?.description.hasPrefix("\(folder.database()): the migration 'broken' failed: ") == true)
        #expect(try connection.userVersion == 1)
        #expect(try connection.value("SELECT name FROM job") == "first")
    }

    @Test("a newer schema is refused, with both versions", arguments: [Connection.Mode.readWrite, .readOnly])
    func newer(mode: Connection.Mode) throws {
        let folder = try TemporaryFolder()
        try migrator(Self.first, Self.second).migrate(folder.connection())
        let connection = try folder.connection(mode)
        let error = #expect(throws: MigrationError.self) { _ = try migrator(Self.first).verify(connection) }
        #expect(
            error?.description
                == "\(folder.database()) has schema version 2, this program knows versions up to 1: use a newer one")
        #expect(throws: MigrationError.self) { try migrator(Self.first).migrate(connection) }
    }

    @Test(
        "a database of another program is refused and left as it is",
        arguments: ["PRAGMA application_id = 5", "CREATE TABLE bookmark (url TEXT)"])
    func foreign(setup: String) throws {
        let folder = try TemporaryFolder()
        try folder.connection().execute(setup)
        let before = try contents(of: folder.database())
        do {
            let connection = try folder.connection()
            let error = #expect(throws: MigrationError.self) { try migrator(Self.first).migrate(connection) }
            #expect(error?.description.hasPrefix("\(folder.database()) is a database of another program") == true)
        }
        #expect(try contents(of: folder.database()) == before)
    }

    @Test("several connections that migrate a new file at once apply each migration once")
    func race() throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let path = folder.database()
            let migrator = migrator(Self.first, Self.second)
            let faults = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                do {
                    try migrator.migrate(Connection(path: path, mode: .readWriteCreate))
                } catch {
                    faults.withLock { $0.append("\(error)") }
                }
            }
            #expect(faults.withLock { $0 } == [])
            let connection = try folder.connection()
            #expect(try connection.value("SELECT count(*) FROM job") == 1)
            #expect(try connection.userVersion == 2)
        }
    }
}
