/// A result code of SQLite, primary or extended (<https://www.sqlite.org/rescode.html>).
///
/// A pattern that is a primary code also matches the extended codes of its family:
///
///     do { try connection.run(…) } catch ResultCode.busy { … }   // SQLITE_BUSY_SNAPSHOT too
@usableFromInline
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    @usableFromInline
    package let rawValue: Int32

    @usableFromInline
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    @usableFromInline
    package static let ok = ResultCode(rawValue: 0)
    package static let error = ResultCode(rawValue: 1)
    package static let permission = ResultCode(rawValue: 3)
    package static let busy = ResultCode(rawValue: 5)
    package static let locked = ResultCode(rawValue: 6)
    package static let interrupted = ResultCode(rawValue: 9)
    package static let readOnly = ResultCode(rawValue: 8)
    static let inputOutput = ResultCode(rawValue: 10)
    package static let corrupt = ResultCode(rawValue: 11)
    package static let full = ResultCode(rawValue: 13)
    package static let cannotOpen = ResultCode(rawValue: 14)
    package static let constraint = ResultCode(rawValue: 19)
    package static let mismatch = ResultCode(rawValue: 20)
    package static let misuse = ResultCode(rawValue: 21)
    package static let notADatabase = ResultCode(rawValue: 26)
    package static let row = ResultCode(rawValue: 100)
    package static let done = ResultCode(rawValue: 101)

    package static let foreignKeyConstraint = ResultCode(rawValue: 19 | 3 << 8)

    /// The family of an extended code: its low eight bits.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    /// Whether `code` is `pattern`, or one of its family when `pattern` is a primary code.
    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }

    /// Whether `error` is a `SQLiteError` whose code matches `pattern`: for `catch ResultCode.busy`.
    package static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return pattern ~= error.code
    }
}
