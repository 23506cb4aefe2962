package import Model
package import SQLite

/// The words of the catalog, as the columns have them.
///
/// A word that this version does not know was written by a later one, whose catalogs are refused: it does not happen.
extension SQLiteReadable where Self: RawRepresentable<String> {
    package static func read(from row: borrowing Row, at column: Int32) throws(SQLiteError) -> Self {
        let text = try String.read(from: row, at: column)
        guard let word = Self(rawValue: text) else { throw row.unknownWord(text, at: column) }
        return word
    }
}

extension SQLiteBindable where Self: RawRepresentable<String> {
    package func bind(to statement: Statement, at index: Int32) -> ResultCode {
        rawValue.bind(to: statement, at: index)
    }
}

extension ItemState: SQLiteReadable, SQLiteBindable {}
extension TransferOutcome: SQLiteReadable, SQLiteBindable {}
extension FailureWord: SQLiteReadable, SQLiteBindable {}
extension RunOutcome: SQLiteReadable, SQLiteBindable {}
