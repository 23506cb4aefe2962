/// Finds what no YAML text may hold, before libyaml sees it: libyaml knows no line and column of a bad byte.
enum InputCheck {
    /// The first fault of the bytes of `source`; nil if all of them are UTF-8 and printable (YAML 1.2.2, section 5.1).
    static func fault(in source: YAMLSource, limits: YAMLLimits) -> Diagnostic? {
        let bytes = source.bytes
        if bytes.count > limits.maximumBytes {
            return Diagnostic("larger than \(limits.maximumBytes) bytes", in: source)
        }
        if isWide(bytes) {
            return Diagnostic("not UTF-8 but UTF-16 or UTF-32", in: source, hint: "save it as UTF-8")
        }
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                let scalar = Unicode.Scalar(bytes[index])
                guard isAllowed(scalar) else { return controlCharacter(scalar, at: index, in: source) }
                index += 1
                continue
            }
            var iterator = bytes[index...].makeIterator()
            var parser = Unicode.UTF8.ForwardParser()
            guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else {
                let byte = String(bytes[index], radix: 16, uppercase: true)
                return Diagnostic(
                    "the byte 0x\(byte) is not UTF-8", at: source.mark(atByte: index), in: source,
                    hint: "save it as UTF-8")
            }
            let scalar = Unicode.UTF8.decode(encoded)
            guard isAllowed(scalar) else { return controlCharacter(scalar, at: index, in: source) }
            index += encoded.count
        }
        return nil
    }

    /// Whether the text looks like UTF-16 or UTF-32: it has a byte order mark of these, or every other byte of its
    /// beginning is NUL, since a job file begins with ASCII characters (YAML 1.2.2, section 5.2).
    private static func isWide(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        guard bytes.count >= 4 else { return false }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return true }
        return (bytes[0] == 0 && bytes[2] == 0) || (bytes[1] == 0 && bytes[3] == 0)
    }

    /// The characters that libyaml's reader takes.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF:
            true
        default: false
        }
    }

    private static func controlCharacter(
        _ scalar: Unicode.Scalar, at offset: Int, in source: YAMLSource
    ) -> Diagnostic {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return Diagnostic("the character \(name) is not allowed", at: source.mark(atByte: offset), in: source)
    }
}
