import Glibc

/// Values that came from the environment through `${NAME}` and are written as `${NAME}` wherever they would be seen.
///
/// In stored text a literal `${` is `$${`, and a `$` before a variable `${$}`, so that what a list or a server wrote can
/// never expand to a secret.
package struct Secrets: Sendable {
    /// What is looked for, longest first: each value, and its percent-encoded form where that differs.
    private var forms: [(bytes: [UInt8], replacement: [UInt8])] = []
    private var values: [String: String] = [:]

    package init() {}

    package init(_ variables: [(name: String, value: String)]) {
        for (name, value) in variables where !value.isEmpty && values.updateValue(value, forKey: name) == nil {
            let replacement = Array("${\(name)}".utf8)
            for form in Set([Array(value.utf8), percentEncoded(value)]) {
                forms.append((form, replacement))
            }
        }
        forms.sort { $0.bytes.count > $1.bytes.count }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The text as it may be stored and shown.
    package func hide(_ text: String) -> String {
        guard !forms.isEmpty || Self.hasDollar(text) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let form = form(in: bytes[index...]) {
                result += form.replacement
                index += form.bytes.count
                continue
            }
            result += literal(bytes[index...])
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hasDollar(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, Int32(UInt8(ascii: "$")), bytes.count) != nil } ?? false
        }
    }

    /// Whether a value stands in the text.
    package func occur(in text: String) -> Bool {
        guard !forms.isEmpty else { return false }
        let bytes = Array(text.utf8)
        return bytes.indices.contains { form(in: bytes[$0...]) != nil }
    }

    /// How the first of these bytes, which no form begins with, is written.
    private func literal(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: "$"), let next = rest.first else { return bytes.prefix(1) }
        // Before a variable or another dollar sign `$` alone would be taken for the beginning of `$${`.
        if next == UInt8(ascii: "$") || form(in: rest) != nil { return dollar[...] }
        return next == UInt8(ascii: "{") ? escape[...] : bytes.prefix(1)
    }

    private func form(in bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], replacement: [UInt8])? {
        forms.first { bytes.starts(with: $0.bytes) }
    }

    /// The text as it is used: the reverse of ``hide(_:)``.
    ///
    /// - Returns: nil when it names a variable that this job does not have.
    package func expand(_ text: String) -> String? {
        guard Self.hasDollar(text) else { return text }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            let tail = rest[dollar...]
            if tail.hasPrefix("$${") {
                result += "${"
                rest = tail.dropFirst(3)
            } else if tail.hasPrefix("${"), let end = tail.firstIndex(of: "}") {
                let name = String(tail[tail.index(dollar, offsetBy: 2)..<end])
                guard let value = name == "$" ? "$" : values[name] else { return nil }
                result += value
                rest = tail[tail.index(after: end)...]
            } else {
                result += "$"
                rest = tail.dropFirst()
            }
        }
        return result + rest
    }
}

private let escape = Array("$$".utf8)
/// A dollar sign before a variable, which `$` alone would escape.
private let dollar = Array("${$}".utf8)

/// Everything but RFC 3986's unreserved characters as `%XX`.
private func percentEncoded(_ text: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            result.append(byte)
        default:
            result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return result
}
