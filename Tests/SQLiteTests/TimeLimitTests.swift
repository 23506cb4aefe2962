import SQLite
import Testing

@Suite("Statements under a time limit", .timeLimit(.minutes(1)))
struct TimeLimitTests {
    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"

    @Test("one that takes longer is interrupted, and the connection goes on")
    func interrupted() throws {
        let connection = try Connection.inMemory()
        let error = #expect(throws: SQLiteError.self) {
            try connection.limited(to: 20_000) { try connection.value(Self.endless, as: Int.self) }
        }
        #expect(error.map { ResultCode.interrupted ~= $0.code } == true)
        #expect(try connection.value("SELECT 7", as: Int.self) == 7)
    }

    @Test("one that is quick enough is not")
    func quick() throws {
        let connection = try Connection.inMemory()
        #expect(try connection.limited(to: 10_000_000) { try connection.value("SELECT 7", as: Int.self) } == 7)
    }
}
