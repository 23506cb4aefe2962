/// A text taken apart at its variables.
struct VariableTemplate {
    /// Which of the `${` of the text a part begins at, of how many, and the length of the part in scalars.
    struct Place {
        let ordinal: Int
        let count: Int
        let length: Int
    }

    enum Part {
        case literal(String)
        case variable(name: String, Place)
        /// `${` with no name of the shell's kind and `}` behind it.
        case malformed(written: String, Place)
    }

    private(set) var parts: [Part] = []

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        let openings = Self.openings(in: scalars)
        var passed = 0

        var literal = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            while passed < openings.count, openings[passed] < index { passed += 1 }
            let opening = passed < openings.count ? openings[passed] : nil
            if opening == index + 1, scalars[index] == "$" {
                literal.append(contentsOf: "${".unicodeScalars)
                index += 3
                continue
            }
            guard opening == index else {
                literal.append(scalars[index])
                index += 1
                continue
            }
            parts.append(.literal(String(literal)))
            literal = .init()
            let end = scalars[index...].firstIndex(of: "}")
            let written = scalars[index..<(end.map { $0 + 1 } ?? scalars.count)]
            let name = written.dropFirst(2).dropLast()
            let place = Place(ordinal: passed, count: openings.count, length: written.count)
            if end != nil, Self.isName(name) {
                parts.append(.variable(name: Self.string(name), place))
            } else {
                parts.append(.malformed(written: Self.string(written), place))
            }
            index += written.count
        }
        parts.append(.literal(String(literal)))
    }

    /// Where each `${` begins.
    static func openings(in scalars: [Unicode.Scalar]) -> [Int] {
        scalars.indices.dropLast().filter { scalars[$0] == "$" && scalars[$0 + 1] == "{" }
    }

    /// Whether it is a name by POSIX (Base Definitions, section 8.1), in either case.
    private static func isName(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = scalars.first, !("0"..."9").contains(first) else { return false }
        return scalars.allSatisfy { scalar in
            switch scalar {
            case "A"..."Z", "a"..."z", "0"..."9", "_": true
            default: false
            }
        }
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

extension Node {
    /// Where the parts are in the source. Escapes and line folds move what is behind them, so the `${` of the text are
    /// matched with those that are written; where their numbers differ, the scalar's own mark must do.
    func marks(of places: [VariableTemplate.Place]) -> [Mark] {
        let written = Array(source.text(at: mark).unicodeScalars)
        let openings = VariableTemplate.openings(in: written)
        return places.map { place in
            guard openings.count == place.count else { return mark }
            let offset = openings[place.ordinal]
            return Mark(
                line: mark.line, column: mark.column + offset, length: min(place.length, written.count - offset))
        }
    }
}
