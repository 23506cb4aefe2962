import SQLite
import Testing

@Suite("Values", .timeLimit(.minutes(1)))
struct ValueTests {
    /// The value as it comes back from SQLite, and how it was stored.
    private func roundTrip<Value: SQLiteBindable & SQLiteReadable>(_ value: Value) throws -> (Value, Row.Storage) {
        let connection = try Connection.inMemory()
        try connection.run("CREATE TABLE t (v)")
        try connection.run("INSERT INTO t VALUES (?)", value)
        return try #require(try connection.first("SELECT v FROM t") { row in (try row[0], row.storage(of: 0)) })
    }

    @Test("an integer comes back as it was", arguments: [0, -1, Int64.max, Int64.min])
    func integers(value: Int64) throws {
        #expect(try roundTrip(value) == (value, .integer))
        #expect(try roundTrip(Int(value)) == (Int(value), .integer))
    }

    @Test("a real number comes back as it was", arguments: [0.5, -0.0, .infinity, .leastNonzeroMagnitude])
    func reals(value: Double) throws {
        #expect(try roundTrip(value) == (value, .real))
    }

    @Test("NaN is stored as NULL")
    func notANumber() throws {
        let stored: (Double?, Row.Storage) = try roundTrip(Double?.some(.nan))
        #expect(stored == (nil, .null))
    }

    @Test(
        "text comes back byte for byte",
        arguments: ["", "flag", "a\u{0}b", "Việt Nam", "Vie\u{302}\u{323}t", "🇻🇳", "العربية"])
    func texts(value: String) throws {
        let (text, storage) = try roundTrip(value)
        // Not ==, which takes composed and decomposed forms for equal.
        #expect(Array(text.utf8) == Array(value.utf8))
        #expect(storage == .text)
    }

    @Test("texts of one statement come back, long and short, however many", arguments: [1, 600, 700, 2_048, 5_000])
    func severalTexts(length: Int) throws {
        let connection = try Connection.inMemory()
        try connection.run("CREATE TABLE t (a, b, c, d)")
        let texts = ["a", "b", "", "d"].map { String(repeating: $0, count: length) }
        for _ in 0..<2 {
            try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", texts[0], texts[1], texts[2], texts[3])
        }
        let stored = try connection.rows("SELECT a, b, c, d FROM t") { row in
            [try row[0], try row[1], try row[2], try row[3]] as [String]
        }
        #expect(stored == [texts, texts])
    }

    @Test("bytes come back as they were, also none", arguments: [[], [0], [1, 0, 255]] as [[UInt8]])
    func bytes(value: [UInt8]) throws {
        #expect(try roundTrip(value) == (value, .blob))
    }

    @Test("a truth value is 0 or 1")
    func truth() throws {
        #expect(try roundTrip(true) == (true, .integer))
        #expect(try roundTrip(false) == (false, .integer))
    }

    @Test("nil is NULL and back")
    func nothing() throws {
        #expect(try roundTrip(nil as String?) == (nil, .null))
        #expect(try roundTrip("x" as String?) == ("x", .text))
    }

    @Test("NULL read as a type that is not optional names the column")
    func nullMismatch() throws {
        let connection = try Connection.inMemory()
        let error = #expect(throws: SQLiteError.self) {
            try connection.first("SELECT NULL AS size") { row in try row[0] as Int }
        }
        #expect(error?.code == .mismatch)
        #expect(error?.message == "column 'size' holds NULL where an integer is wanted")
    }

    @Test("no conversion is made between text and numbers")
    func typeMismatch() throws {
        let connection = try Connection.inMemory()
        #expect(throws: SQLiteError.self) { try connection.first("SELECT '12'") { row in try row[0] as Int } }
        #expect(throws: SQLiteError.self) { try connection.first("SELECT 12") { row in try row[0] as String } }
        #expect(throws: SQLiteError.self) { try connection.first("SELECT 1.5") { row in try row[0] as Int64 } }
        #expect(throws: SQLiteError.self) { try connection.first("SELECT 'x'") { row in try row[0] as [UInt8] } }
    }

    @Test("an integer can be read as a real number")
    func integerAsReal() throws {
        let connection = try Connection.inMemory()
        #expect(try connection.value("SELECT 3") == 3.0)
    }

    @Test("text that is not UTF-8 is repaired")
    func brokenText() throws {
        let connection = try Connection.inMemory()
        #expect(try connection.value("SELECT CAST(x'41FF42' AS TEXT)") == "A\u{fffd}B")
    }

    @Test("the columns of a row tell their number, names and storage")
    func columns() throws {
        let connection = try Connection.inMemory()
        try connection.forEach("SELECT 1 AS id, 'x' AS title, 0.5, x'00', NULL") { row in
            #expect(row.count == 5)
            #expect((0..<2).map { row.name(of: $0) } == ["id", "title"])
            #expect((0..<5).map { row.storage(of: $0) } == [.integer, .text, .real, .blob, .null])
        }
    }
}
