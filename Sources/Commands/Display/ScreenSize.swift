/// The columns and rows of a terminal.
struct ScreenSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// What terminals have by tradition, for those that do not tell.
    static let standard = ScreenSize(columns: 80, rows: 24)
}
