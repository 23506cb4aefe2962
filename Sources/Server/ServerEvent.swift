/// One event of an event stream, as the HTML standard writes them (section 9.2).
package struct ServerEvent: Sendable {
    package let name: String
    /// Comes back as Last-Event-ID when the client connects again.
    package let id: String?
    /// Text; each of its lines becomes a line of the event.
    package let data: [UInt8]

    package init(_ name: String, id: String? = nil, data: [UInt8]) {
        self.name = name
        self.id = id
        self.data = data
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 64)
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "event: \(name)\n".utf8
        var lines = data[...]
        if lines.last == UInt8(ascii: "\n") { lines.removeLast() }
        for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            bytes += "data: ".utf8
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
