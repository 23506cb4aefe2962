/// The parameters of a statement while they get their values, one after the other; see `Connection.run(_:binding:)`.
@usableFromInline
package struct Parameters: ~Copyable {
    @usableFromInline
    let statement: Statement
    @usableFromInline
    var count: Int32 = 0
    /// What the first value that could not be bound came to.
    @usableFromInline
    var code = ResultCode.ok

    @usableFromInline
    init(of statement: Statement) {
        self.statement = statement
    }

    /// Gives the next parameter its value.
    @inlinable
    package mutating func add(_ value: some SQLiteBindable) {
        count += 1
        let result = value.bind(to: statement, at: count)
        if result != .ok, code == .ok { code = result }
    }
}
