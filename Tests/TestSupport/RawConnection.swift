import Glibc

/// A client's end of a connection, over which a test sends what bytes it likes.
package final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Takes a connected socket over.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
        // A test that waits in vain fails instead of hanging.
        var time = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port of 127.0.0.1.
    package convenience init(port: Int) throws {
        guard let descriptor = LoopbackSocket.connected(to: port) else {
            throw TestSupportError("nothing answers on port \(port)")
        }
        self.init(owning: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// False when the other side has closed the connection.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until the other side closes the connection, at most so many milliseconds.
    ///
    /// - Returns: whether it has.
    package func ends(within milliseconds: Int32) -> Bool {
        // POLLRDHUP, which the module of the C library does not have.
        let isClosed: Int16 = 0x2000
        var wait = pollfd(fd: descriptor, events: isClosed, revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    /// What comes until the text so far is enough, or the connection ends.
    package func read(until isEnough: (String) -> Bool) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if isEnough(text) { return text }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            bytes += buffer[..<count]
        }
    }

    /// What comes until the other side closes the connection.
    package func readToEnd() -> String { read { _ in false } }

    /// Sends a request and waits for one response, whose length is known or which ends the connection.
    package func exchange(_ request: String) throws -> RawResponse {
        send(request)
        let text = read { RawResponse($0)?.isComplete ?? false }
        guard let response = RawResponse(text) else {
            throw TestSupportError("no response but \(text.debugDescription)")
        }
        return response
    }
}

/// A response as it came; its body as text.
package struct RawResponse: Sendable {
    package let status: Int
    /// The lines of the head after the first.
    package let lines: [String]
    package let body: String

    /// Nil while the head is not there.
    init?(_ text: String) {
        // In scalars, since CR LF is one character.
        let scalars = Array(text.utf8)
        let end = Array("\r\n\r\n".utf8)
        guard let split = scalars.indices.first(where: { scalars[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: scalars[..<split], as: UTF8.self)
            .split(whereSeparator: { $0 == "\r\n" }).map(String.init)
        guard let first = head.first?.split(separator: " "), first.count > 1, let status = Int(first[1]) else {
            return nil
        }
        self.status = status
        lines = Array(head.dropFirst())
        body = String(decoding: scalars[(split + end.count)...], as: UTF8.self)
    }

    /// The values of a header field.
    package func all(_ name: String) -> [String] {
        let prefix = name.lowercased() + ":"
        return lines.filter { $0.lowercased().hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }

    package subscript(name: String) -> String? { all(name).first }

    var isComplete: Bool {
        if status == 304 || status == 204 { return true }
        guard let length = self["content-length"].flatMap(Int.init) else { return false }
        return body.utf8.count >= length
    }
}
