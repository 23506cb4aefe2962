import SQLite

/// A value of a catalog's column, to be compared with a literal.
enum Cell: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var isNull: Bool { self == .null }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int64) { self = .integer(number) }
}

/// The columns of a row by name.
typealias Columns = [String: Cell]

extension Connection {
    /// Every row of a query, whatever its columns are.
    func table<each Value: SQLiteBindable>(_ sql: String, _ values: repeat each Value) throws -> [Columns] {
        try rows(sql, repeat each values) { row in
            var columns: Columns = [:]
            for index in 0..<row.count {
                let value: Cell =
                    switch row.storage(of: index) {
                    case .integer: .integer(try row[index])
                    case .real: .real(try row[index])
                    case .text: .text(try row[index])
                    case .blob, .null: .null
                    }
                columns[row.name(of: index)] = value
            }
            return columns
        }
    }
}
