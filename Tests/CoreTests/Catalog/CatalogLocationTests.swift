import SQLite
import TestSupport
import Testing

@testable import Catalog

@Suite("Opening a catalog", .timeLimit(.minutes(1)))
struct CatalogLocationTests {
    @Test("one that an earlier version made is brought up to date before it is read")
    func earlier() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("runner.sqlite")
        let current = CatalogSchema.migrator
        let old = try Connection(path: path, mode: .readWriteCreate)
        try Migrator(applicationID: current.applicationID, migrations: current.migrations.dropLast()).migrate(old)
        old.close()

        let catalog = try CatalogLocation.openForReading(path)
        defer { catalog.close() }
        #expect(try current.verify(catalog) == current.migrations.count)
        #expect(throws: SQLiteError.self) { try catalog.run("DELETE FROM item") }
    }
}
