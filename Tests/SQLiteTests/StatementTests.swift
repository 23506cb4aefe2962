import Testing

@testable import SQLite

@Suite("Statements", .timeLimit(.minutes(1)))
struct StatementTests {
    private struct Stop: Error {}

    private func numbers(_ count: Int) throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE number (n INTEGER PRIMARY KEY, name TEXT)")
        for n in 0..<count { try connection.run("INSERT INTO number VALUES (?, ?)", n, "n\(n)") }
        return connection
    }

    @Test("a query gives its rows in order")
    func rows() throws {
        let connection = try numbers(5)
        let found = try connection.rows("SELECT n FROM number WHERE n > ? ORDER BY n DESC", 1) { row in
            try row[0] as Int
        }
        #expect(found == [4, 3, 2])
    }

    @Test("the first row of none is nil")
    func first() throws {
        let connection = try numbers(3)
        #expect(try connection.first("SELECT name FROM number ORDER BY n") { row in try row[0] as String } == "n0")
        #expect(try connection.first("SELECT name FROM number WHERE n = 9") { row in try row[0] as String } == nil)
        #expect(try connection.value("SELECT count(*) FROM number", as: Int.self) == 3)
    }

    @Test("the same text is compiled once")
    func cache() throws {
        let connection = try numbers(1)
        let statement = try connection.statement("SELECT n FROM number")
        #expect(try connection.statement("SELECT n FROM number") === statement)
    }

    @Test("many different texts do not pile up")
    func cacheLimit() throws {
        let connection = try Connection.inMemory()
        weak let early = try connection.statement("SELECT -1")
        for n in 0..<1_000 { try connection.run("SELECT \(n)") }
        #expect(early == nil)
    }

    @Test("after a throw while reading, the statement is reset and bound to nothing")
    func resetAfterThrow() throws {
        let connection = try numbers(3)
        let statement = try connection.statement("SELECT n FROM number WHERE n >= ? ORDER BY n")
        #expect(throws: Stop.self) { try statement.forEach(1) { _ in throw Stop() } }
        #expect(!statement.isRunning)
        // A read that was left open would refuse this.
        try connection.execute("DROP TABLE number; CREATE TABLE number (n INTEGER)")
        #expect(try statement.rows(0) { row in try row[0] as Int } == [])
    }

    @Test("after an error while running, the statement can run again")
    func resetAfterError() throws {
        let connection = try numbers(1)
        let insert = try connection.statement("INSERT INTO number VALUES (?, ?)")
        #expect(throws: SQLiteError.self) { try insert.run(0, "again") }
        try insert.run(1, "one")
        #expect(try connection.value("SELECT count(*) FROM number") == 2)
    }

    @Test("a query may run the same text for each of its rows")
    func nestedSameText() throws {
        let connection = try numbers(3)
        var pairs: [[Int]] = []
        let text = "SELECT n FROM number ORDER BY n"
        try connection.forEach(text) { outer in
            let n: Int = try outer[0]
            try connection.forEach(text) { inner in pairs.append([n, try inner[0]]) }
        }
        #expect(pairs.count == 9)
        #expect(pairs.first == [0, 0] && pairs.last == [2, 2])
    }

    @Test(
        "text that is not exactly one statement is refused",
        arguments: ["", "  -- nothing", "SELECT 1; SELECT 2", "SELECT 1; nonsense"])
    func oneStatement(text: String) throws {
        let connection = try Connection.inMemory()
        let error = #expect(throws: SQLiteError.self) { try connection.run(text) }
        #expect(error?.code == .misuse)
    }

    @Test("space and comments may follow a statement")
    func trailing() throws {
        let connection = try Connection.inMemory()
        #expect(try connection.value("SELECT 1; -- one\n ;") == 1)
    }

    @Test("a misspelt column in double quotes is an error, not a string")
    func doubleQuotes() throws {
        let connection = try numbers(1)
        #expect(throws: SQLiteError.self) { try connection.run("SELECT \"nmae\" FROM number") }
    }

    @Test("an error tells the SQL on one line and never the values")
    func errorText() throws {
        let connection = try numbers(1)
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO number\n    VALUES (?, ?)", 0, "secret")
        }
        #expect(
            error?.description
                == "UNIQUE constraint failed: number.n (SQLite code 1555) in: INSERT INTO number VALUES (?, ?)")
        #expect(error?.code == ResultCode(rawValue: 1555))
    }

    @Test("an error is caught by its family")
    func catching() throws {
        let connection = try numbers(1)
        do {
            try connection.run("INSERT INTO number VALUES (0, 'again')")
            Issue.record("no error")
        } catch ResultCode.busy {
            Issue.record("another family")
        } catch ResultCode.constraint {
        }
    }

    @Test("changes and the last row's id are those of the last statement")
    func counts() throws {
        let connection = try numbers(4)
        #expect(connection.lastInsertedRowID == 3)
        try connection.run("UPDATE number SET name = NULL WHERE n >= ?", 2)
        #expect(connection.changes == 2)
    }

    @Test("values given one after the other are those of the parameters, and none stays for the next run")
    func binding() throws {
        let connection = try numbers(0)
        for (number, name) in [(1, "one"), (2, nil)] {
            try connection.run("INSERT INTO number (n, name) VALUES (?, ?)") { values in
                values.add(number)
                values.add(name)
            }
        }
        let names: [String?] = try connection.rows("SELECT name FROM number ORDER BY n") { row in try row[0] }
        #expect(names == ["one", nil])
    }

    @Test("too few values given one after the other trap")
    func tooFewValuesGiven() async {
        await #expect(processExitsWith: .failure) {
            try Connection.inMemory().run("SELECT ?, ?") { values in values.add(1) }
        }
    }

    @Test("too few values trap")
    func tooFewValues() async {
        await #expect(processExitsWith: .failure) {
            let connection = try Connection.inMemory()
            try connection.run("SELECT ?, ?", 1)
        }
    }

    @Test("running a statement inside its own rows traps")
    func reentrancy() async {
        await #expect(processExitsWith: .failure) {
            let connection = try Connection.inMemory()
            let statement = try connection.statement("SELECT 1")
            try statement.forEach { _ in try statement.run() }
        }
    }
}
