/// How many tries after the first a run may still spend, so that many dead hosts can't hold it.
///
/// It begins with a reserve, which is all that a small job ever needs. A transfer that ends earns one try more, so that a
/// host that fails often but works goes on, and a run in which nothing works comes to its end.
struct RetryBudget: Sendable {
    static let reserve = 250
    /// What good times can save up.
    static let limit = 1_000

    private(set) var left = reserve

    mutating func earn() {
        left = min(left + 1, Self.limit)
    }

    /// Takes one try; false when none is left.
    mutating func spend() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
