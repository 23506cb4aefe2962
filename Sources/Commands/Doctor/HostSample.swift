import Glibc
import System

/// Hosts of a list, for `runner doctor --dns`: of its URLs, whatever its format, and of lines that are a host's name.
struct HostSample: Equatable, Sendable {
    /// At most ``most``, spread evenly over the list.
    let hosts: [String]
    /// How many different ones the list has. Addresses, which nobody looks up, are not counted.
    let count: Int

    static let most = 200
    /// Hosts beyond so many are not read: they say nothing new of a resolver.
    private static let mostKnown = 1_000_000
    /// A line that is longer, as a whole list in JSON may be, is read in parts.
    private static let longLine = 1 << 16

    init(evenly names: [String]) {
        count = names.count
        hosts = names.count <= Self.most ? names : (0..<Self.most).map { names[$0 * names.count / Self.most] }
    }

    /// - Throws: ``UnreadableList`` where the file can't be read, or names no host.
    static func read(_ path: String) throws(UnreadableList) -> HostSample {
        // A pipe that nobody writes to does not keep anybody waiting.
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { throw UnreadableList(path: path, code: errno) }
        let file = Descriptor(owning: raw)
        var hosts = Hosts(limit: mostKnown)
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: longLine)
        while true {
            let count = chunk.withUnsafeMutableBytes { chunk in
                uninterrupted { Glibc.read(file.raw, chunk.baseAddress, chunk.count) }
            }
            guard count >= 0 else { throw UnreadableList(path: path, code: errno) }
            if count == 0 { break }
            rest += chunk[..<count]
            if let end = rest.lastIndex(of: UInt8(ascii: "\n")) {
                hosts.add(String(decoding: rest[...end], as: UTF8.self))
                rest.removeFirst(end + 1)
            } else if rest.count > longLine {
                // No URL is cut where a text of JSON, or a field, ends.
                let end = rest.lastIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") } ?? rest.count - 1
                hosts.add(String(decoding: rest[...end], as: UTF8.self), isPartOfLine: true)
                rest.removeFirst(end + 1)
            }
        }
        hosts.add(String(decoding: rest, as: UTF8.self))
        guard !hosts.names.isEmpty else { throw UnreadableList(path: path, code: nil) }
        return HostSample(evenly: hosts.names)
    }
}

/// Why a list of hosts is of no use.
struct UnreadableList: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The value of `errno`; nil where the file was read and has no host.
    let code: Int32?

    var description: String {
        guard let code else { return "\(path) names no host: wanted are URLs, or a host in each line" }
        return "cannot read \(path): \(String(cString: strerror(code)))"
    }
}

/// Different hosts, in the order in which they come.
private struct Hosts {
    private(set) var names: [String] = []
    private var known: Set<String> = []
    private var isInsideLine = false
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter isPartOfLine: of one line, whose end comes later.
    mutating func add(_ text: String, isPartOfLine: Bool = false) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var rest = line
            var hasURL = false
            while let start = rest.firstRange(of: "://") {
                hasURL = true
                rest = rest[start.upperBound...]
                let authority = rest.prefix { !"/?#\"'<>,;\\ \t\r".contains($0) }
                let server = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
                insert(server.prefix { $0 != ":" })
            }
            if !hasURL, !isInsideLine, !isPartOfLine { insert(line.split { " \t\r".contains($0) }.first ?? "") }
            isInsideLine = false
        }
        isInsideLine = isPartOfLine
    }

    private mutating func insert(_ name: Substring) {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard names.count < limit, labels.count > 1, name.utf8.count <= 253,
            name.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }),
            // No address, and no number with a point: the last label of a host has letters (RFC 3696, section 2).
            labels.last(where: { !$0.isEmpty })?.contains(where: \.isLetter) == true
        else { return }
        let host = name.lowercased()
        if known.insert(host).inserted { names.append(host) }
    }
}
