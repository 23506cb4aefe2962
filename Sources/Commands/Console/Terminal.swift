import Glibc

/// What a descriptor is, as far as layout and colour go.
struct Terminal: Equatable, Sendable {
    /// Whether a person sees it.
    var isTerminal = false
    /// The same, with a cursor that can be moved.
    var isInteractive = false
    /// Whether words may be coloured.
    var hasColour = false
    /// Columns; nil where lines need not fit anything.
    var width: Int?

    static let none = Terminal()

    /// Looks at a descriptor and the environment: `NO_COLOR` (no-color.org: any value but an empty one), `TERM=dumb`,
    /// `COLUMNS` where the terminal does not tell its width.
    init(descriptor: Int32, environment: [String: String]) {
        guard isatty(descriptor) == 1 else { return }
        isTerminal = true
        let isDumb = environment["TERM"] == "dumb"
        isInteractive = !isDumb
        hasColour = !isDumb && environment["NO_COLOR", default: ""].isEmpty
        width = Self.width(of: descriptor) ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    init(isInteractive: Bool = false, hasColour: Bool = false, width: Int? = nil) {
        self.isTerminal = isInteractive
        self.isInteractive = isInteractive
        self.hasColour = hasColour
        self.width = width
    }

    /// The columns of the terminal now; it may be resized at any time.
    static func width(of descriptor: Int32) -> Int? {
        size(of: descriptor)?.columns
    }

    /// The size of the terminal now; nil where it does not tell.
    static func size(of descriptor: Int32) -> ScreenSize? {
        // `struct winsize` (ioctl_tty(2)): rows, columns, and two fields without use.
        var size: (rows: UInt16, columns: UInt16, UInt16, UInt16) = (0, 0, 0, 0)
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.columns > 0, size.rows > 0 else { return nil }
        return ScreenSize(columns: Int(size.columns), rows: Int(size.rows))
    }
}
