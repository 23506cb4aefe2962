internal import SQLite

/// Writes CSV (RFC 4180): a header line, CRLF, quotes where a cell needs them, UTF-8 without a byte order mark.
struct CSVWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a text that a spreadsheet would take for a formula gets an apostrophe before it.
    let defusesFormulas: Bool
    /// Whether what controls a terminal is replaced.
    let isForTerminal: Bool

    private static let formulaStarts = Set("=+-@\t\r".utf8)

    mutating func removeBytes() { bytes.removeAll(keepingCapacity: true) }

    mutating func header(_ names: [String]) {
        for (index, name) in names.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            text(name)
        }
        endLine()
    }

    /// NULL is an empty cell.
    mutating func line(_ row: borrowing Row) throws {
        for column in 0..<row.count {
            if column > 0 { bytes.append(UInt8(ascii: ",")) }
            switch row.storage(of: column) {
            case .integer: bytes.append(contentsOf: String(try row[column] as Int64).utf8)
            case .real: bytes.append(contentsOf: "\(try row[column] as Double)".utf8)
            case .text: text(try row[column])
            // The catalog has no blobs to export.
            case .null, .blob: break
            }
        }
        endLine()
    }

    private mutating func endLine() {
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func text(_ value: String) {
        var value = isForTerminal ? displayable(value) : value
        let isFormula = defusesFormulas && value.utf8.first.map(Self.formulaStarts.contains) == true
        value.withUTF8 { utf8 in
            let isPlain =
                !isFormula
                && utf8.allSatisfy { byte in
                    byte >= 0x20 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
                }
            // Its quotes distinguish an empty text from NULL; a space at an end is lost to some readers without them.
            if isPlain, let first = utf8.first, let last = utf8.last, first != 0x20, last != 0x20 {
                return bytes.append(contentsOf: utf8)
            }
            bytes.append(UInt8(ascii: "\""))
            if isFormula { bytes.append(UInt8(ascii: "'")) }
            for byte in utf8 {
                switch byte {
                case UInt8(ascii: "\""): bytes.append(contentsOf: [byte, byte])
                // Many readers end a cell or the file there.
                case 0: bytes.append(contentsOf: "\u{fffd}".utf8)
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }
}
