import Glibc

/// The values that a job must not show, and the names that are written in their place.
///
/// Text for people, such as the detail of a failure, is hidden by ``hide(_:)``: a value is found in the percent-decoded
/// text, in any case and with `+` for a space, and the user information of every URL goes. Text that is used again, such as
/// the URL of a row, is written by ``mask(_:)`` or ``mask(url:)`` and read by ``expand(_:userinfo:)``. Keys, titles and
/// paths are neither hidden nor masked: they are names, and one that changed would be another item.
///
/// In masked text a value is `${NAME}`, its percent-encoded form `${NAME%}`, and any other spelling of it `${NAME?}`, which
/// does not expand. A literal `${` is `$${`, and a `$` before a variable `${$}`, so that what a list or a server wrote can
/// never expand to a secret.
package struct Secrets: Sendable {
    /// A value and how it is looked for.
    private struct Secret: Sendable {
        let name: String
        let bytes: [UInt8]
        let encoded: [UInt8]
        let replacement: [UInt8]
    }

    /// Longest first, so that of two values of which one begins with the other the whole one is found.
    private var secrets: [Secret] = []
    /// Whether a secret may begin with a byte, in small letters.
    private var mayBegin = [Bool](repeating: false, count: 256)
    /// What names expand to, those of ordinary variables too.
    private var values: [String: String] = [:]

    package init() {}

    /// - Parameters:
    ///   - secrets: names and values. Of several values of one name only the first expands; all are hidden.
    ///   - ordinary: variables that are not hidden, and that text of an earlier version of a job file may name.
    package init(_ secrets: [(name: String, value: String)], ordinary: [(name: String, value: String)] = []) {
        for (name, value) in secrets where !value.isEmpty {
            if values[name] == nil { values[name] = value }
            let bytes = Array(value.utf8)
            guard !self.secrets.contains(where: { $0.bytes == bytes }) else { continue }
            self.secrets.append(
                Secret(
                    name: name, bytes: bytes, encoded: percentEncoded(value), replacement: Array("${\(name)}".utf8)))
            mayBegin[Int(small(bytes[0]))] = true
        }
        self.secrets.sort { $0.bytes.count > $1.bytes.count }
        for (name, value) in ordinary where values[name] == nil { values[name] = value }
    }

    var isEmpty: Bool { secrets.isEmpty }

    // MARK: Text for people

    /// The text as it may be shown. Hiding twice is hiding once. What is to be cut is hidden before.
    package func hide(_ text: String) -> String {
        guard !secrets.isEmpty || text.utf8.contains(UInt8(ascii: "@")) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let end = endOfReplacement(in: bytes, at: index) {
                result += bytes[index..<end]
                index = end
            } else if let userinfo = userinfoOfURL(in: bytes, at: index) {
                result += "://\(Self.userinfoToken)".utf8
                index = userinfo.upperBound
            } else if let (secret, end) = match(in: bytes, at: index) {
                result += secret.replacement
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The beginning of a text from outside as it may be shown, hidden before it is cut.
    package func excerpt(_ text: String, _ count: Int) -> String {
        String(hide(text).prefix(count))
    }

    /// Whether the text contains a value, in whatever spelling.
    package func occur(in text: String) -> Bool {
        guard !secrets.isEmpty else { return false }
        let bytes = Array(text.utf8)
        return bytes.indices.contains { match(in: bytes, at: $0) != nil }
    }

    /// What ``hide(_:)`` wrote, which stays as it is.
    private func endOfReplacement(in bytes: [UInt8], at index: Int) -> Int? {
        guard bytes[index] == UInt8(ascii: "$") else { return nil }
        let rest = bytes[index...]
        if rest.starts(with: Self.userinfoToken.utf8) { return index + Self.userinfoToken.utf8.count }
        return secrets.first { rest.starts(with: $0.replacement) }.map { index + $0.replacement.count }
    }

    /// The user information, with its at sign, of a URL whose `://` is here.
    private func userinfoOfURL(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        guard bytes[index] == UInt8(ascii: ":"), bytes[index...].starts(with: "://".utf8) else { return nil }
        return userinfo(in: bytes, after: index + 3)
    }

    // MARK: Text that is used again

    /// The text as the catalog writes it, from which ``expand(_:userinfo:)`` makes it again.
    package func mask(_ text: String) -> String {
        guard !secrets.isEmpty || Self.has(UInt8(ascii: "$"), text) else { return text }
        return String(decoding: masked(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// A URL as the catalog writes it: with ``userinfoToken`` for its user information, and without secrets in its query.
    /// The path stays as it is.
    ///
    /// - Parameter isAddress: false for what can't be asked for, which is masked in whole.
    package func mask(url text: String, isAddress: Bool = true) -> String {
        guard !secrets.isEmpty || Self.has(UInt8(ascii: "$"), text) || Self.has(UInt8(ascii: "@"), text) else {
            return text
        }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var start = 0
        if let userinfo = Self.userinfo(of: bytes) {
            result += literal(bytes[..<userinfo.lowerBound])
            result += Self.userinfoToken.utf8
            start = userinfo.upperBound
        }
        let query =
            isAddress
            ? bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count : start
        result += literal(bytes[start..<query])
        result += masked(bytes[query...])
        return String(decoding: result, as: UTF8.self)
    }

    private func masked(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let all = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(all.count)
        var index = 0
        while index < all.count {
            guard let (secret, end) = match(in: all, at: index) else {
                result += literal(all, at: index, isBeforeSecret: { match(in: all, at: $0) != nil })
                index += 1
                continue
            }
            let written = all[index..<end]
            result += "${\(secret.name)".utf8
            if values[secret.name].map({ Array($0.utf8) }) != secret.bytes {
                result.append(UInt8(ascii: "?"))
            } else if !written.elementsEqual(secret.bytes) {
                result.append(written.elementsEqual(secret.encoded) ? UInt8(ascii: "%") : UInt8(ascii: "?"))
            }
            result.append(UInt8(ascii: "}"))
            index = end
        }
        return result
    }

    private func literal(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let all = Array(bytes)
        guard all.contains(UInt8(ascii: "$")) else { return all }
        return all.indices.flatMap { literal(all, at: $0, isBeforeSecret: { _ in false }) }
    }

    /// How a byte that no value begins with is written.
    private func literal(_ bytes: [UInt8], at index: Int, isBeforeSecret: (Int) -> Bool) -> ArraySlice<UInt8> {
        guard bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count else { return bytes[index...index] }
        // Before a variable or another dollar sign `$` alone would be taken for the beginning of `$${`.
        if bytes[index + 1] == UInt8(ascii: "$") || isBeforeSecret(index + 1) { return dollar[...] }
        return bytes[index + 1] == UInt8(ascii: "{") ? escape[...] : bytes[index...index]
    }

    /// The text as it is used: the reverse of ``mask(_:)`` and ``mask(url:)``.
    ///
    /// - Parameter userinfo: what ``userinfoToken`` stands for; the catalog does not have it.
    /// - Returns: nil when it names a value that this job does not have, or one in a spelling that is not kept.
    package func expand(_ text: String, userinfo: String? = nil) -> String? {
        guard Self.has(UInt8(ascii: "$"), text) else { return text }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            let tail = rest[dollar...]
            if tail.hasPrefix("$${") {
                result += "${"
                rest = tail.dropFirst(3)
            } else if tail.hasPrefix(Self.userinfoToken), result.hasSuffix("://") {
                guard let userinfo else { return nil }
                result += "\(userinfo)@"
                rest = tail.dropFirst(Self.userinfoToken.count)
            } else if tail.hasPrefix("${"), let end = tail.firstIndex(of: "}") {
                guard let value = value(named: tail[tail.index(dollar, offsetBy: 2)..<end]) else { return nil }
                result += value
                rest = tail[tail.index(after: end)...]
            } else {
                result += "$"
                rest = tail.dropFirst()
            }
        }
        return result + rest
    }

    private func value(named name: Substring) -> String? {
        if name == "$" { return "$" }
        guard name.hasSuffix("%") else { return values[String(name)] }
        return values[String(name.dropLast())].map { String(decoding: percentEncoded($0), as: UTF8.self) }
    }

    // MARK: User information

    /// What stands for the user information of a URL, its at sign included.
    package static let userinfoToken = "${userinfo}@"

    /// The user information of a URL, without its at sign; nil without any.
    package static func userinfo(of url: String) -> String? {
        guard has(UInt8(ascii: "@"), url) else { return nil }
        let bytes = Array(url.utf8)
        return userinfo(of: bytes).map { String(decoding: bytes[$0].dropLast(), as: UTF8.self) }
    }

    /// The text without the user information of the URLs in it.
    package static func withoutUserinfo(_ text: String) -> String {
        guard has(UInt8(ascii: "@"), text) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: ":"), bytes[index...].starts(with: "://".utf8) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += "://".utf8
            index = Secrets.userinfo(in: bytes, after: index + 3)?.upperBound ?? index + 3
        }
        return result.count == bytes.count ? text : String(decoding: result, as: UTF8.self)
    }

    private static func userinfo(of bytes: [UInt8]) -> Range<Int>? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        return userinfo(in: bytes, after: colon + 3)
    }

    /// The user information at the beginning of an authority (RFC 3986, 3.2), with its at sign.
    private static func userinfo(in bytes: [UInt8], after start: Int) -> Range<Int>? {
        let authority = bytes[start...].prefix { byte in
            byte > 0x20 && !"/?#\\\"'<>".utf8.contains(byte)
        }
        return authority.lastIndex(of: UInt8(ascii: "@")).map { start..<($0 + 1) }
    }

    private func userinfo(in bytes: [UInt8], after start: Int) -> Range<Int>? {
        Self.userinfo(in: bytes, after: start)
    }

    // MARK: Looking

    /// The secret that begins here, and where it ends.
    private func match(in bytes: [UInt8], at index: Int) -> (Secret, end: Int)? {
        let byte = bytes[index]
        let isPossible =
            mayBegin[Int(small(byte))] || (byte == UInt8(ascii: "+") && mayBegin[0x20])
            || decoded(bytes, at: index).map { mayBegin[Int(small($0))] } == true
        guard isPossible else { return nil }
        for secret in secrets {
            if let end = end(of: secret.bytes[...], in: bytes, at: index) { return (secret, end) }
        }
        return nil
    }

    /// Where a value that begins here ends: each of its bytes as it is, in either case, or percent-encoded, a space also as
    /// a plus sign.
    private func end(of value: ArraySlice<UInt8>, in bytes: [UInt8], at start: Int) -> Int? {
        var index = start
        var value = value
        while let wanted = value.popFirst() {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            let isSame = small(byte) == small(wanted)
            if let escaped = decoded(bytes, at: index), small(escaped) == small(wanted) {
                // The value may itself have what looks like an escape.
                if isSame, let end = end(of: value, in: bytes, at: index + 1) { return end }
                index += 3
            } else if isSame || (byte == UInt8(ascii: "+") && wanted == 0x20) {
                index += 1
            } else {
                return nil
            }
        }
        return index
    }

    private func decoded(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexadecimal(bytes[index + 1]),
            let low = hexadecimal(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func has(_ byte: UInt8, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
        }
    }
}

private let escape = Array("$$".utf8)
/// A dollar sign before a variable, which `$` alone would escape.
private let dollar = Array("${$}".utf8)

private func small(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
}

private func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch small(byte) {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): small(byte) - UInt8(ascii: "a") + 10
    default: nil
    }
}

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
