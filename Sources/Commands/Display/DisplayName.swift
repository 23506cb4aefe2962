import Reports

/// A name from the network, made fit for a terminal once and measured once.
struct DisplayName: Equatable, Sendable {
    let text: String
    /// Columns.
    let width: Int
    private let isRightToLeft: Bool

    /// Characters that are kept, and scalars of one: more are never seen, and would be written with every drawing.
    private static let longest = 300
    private static let scalarsOfCharacter = 16

    init(_ name: String) {
        let name = displayable(name)
        if name.utf8.count <= Self.longest, name.utf8.allSatisfy({ $0 < 0x80 }) {
            text = name
            isRightToLeft = false
        } else {
            var kept = ""
            for character in name.prefix(Self.longest) {
                kept.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(Self.scalarsOfCharacter))
            }
            text = kept
            isRightToLeft = kept.unicodeScalars.contains(where: Self.isWrittenLeftwards)
        }
        width = displayWidth(of: text)
    }

    /// The name in at most so many columns; of one that is longer the beginning and the end, which tell files apart.
    ///
    /// Arabic and Hebrew are enclosed in left-to-right marks: without them a terminal that reorders text (UAX #9) would take
    /// the figures that follow for a part of the name, or turn the whole row.
    func fitted(to columns: Int) -> String {
        let shown = width <= columns ? text : cutInside(text, toWidth: max(1, columns))
        return isRightToLeft ? "\u{200e}\(shown)\u{200e}" : shown
    }

    /// The blocks of scripts whose letters are of the bidirectional classes R and AL (UAX #9).
    private static func isWrittenLeftwards(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfefe, 0x10800...0x10fff, 0x1e800...0x1efff: true
        default: false
        }
    }
}
