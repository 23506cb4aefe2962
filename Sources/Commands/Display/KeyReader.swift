/// A key that a run understands.
enum Key: Equatable, Sendable {
    case pause, more, fewer, quit, help, redraw
}

/// Finds keys in what a terminal sends. A value.
struct KeyReader: Sendable {
    private enum State { case ground, escape, control, single }
    private var state = State.ground

    /// The keys of some bytes, in order. Other keys, and the sequences of arrows, functions and the keypad, are none.
    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { key($0) }
    }

    private mutating func key(_ byte: UInt8) -> Key? {
        switch state {
        case .escape:
            // CSI and SS3 (ECMA-48); anything else is a key together with Alt.
            state = byte == UInt8(ascii: "[") ? .control : byte == UInt8(ascii: "O") ? .single : .ground
            return nil
        case .control:
            if (0x40...0x7e).contains(byte) { state = .ground }
            return nil
        case .single:
            state = .ground
            return nil
        case .ground: break
        }
        switch byte {
        case 0x1b:
            state = .escape
            return nil
        case UInt8(ascii: "p"), UInt8(ascii: "P"): return .pause
        // Without Shift, where + is above =.
        case UInt8(ascii: "+"), UInt8(ascii: "="): return .more
        case UInt8(ascii: "-"): return .fewer
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): return .quit
        case UInt8(ascii: "?"), UInt8(ascii: "h"): return .help
        case 0x0c: return .redraw
        default: return nil
        }
    }
}
