import Dispatch
import Glibc
import HTTP
package import JSON
import Server

/// A client of one run's control socket. Its calls wait for the answer: not on Swift's cooperative pool.
package struct ControlClient: Sendable {
    /// Why a run cannot be asked.
    package enum Failure: Error, Hashable, Sendable {
        /// No run answers: it has ended, or never had a socket.
        case absent
        /// The run does not do it: what its answer says.
        case refused(status: Int, detail: String)
        /// What came is no answer.
        case broken(String)
    }

    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    private let folder: SocketFolder
    private let name: String

    /// The socket of a run, where there is one and it is this run's: the folder may be shared by runs of other catalogs,
    /// which have the same numbers.
    ///
    /// - Parameters:
    ///   - processID: of the run's process.
    ///   - environment: of this process; that of the run's is looked at too, where it may be.
    package static func find(
        run: Int64, processID: Int64, database: String, environment: [String: String]
    ) -> ControlClient? {
        var folders = SocketPlaces.folders(environment: environment, database: database)
        for folder in SocketPlaces.folders(environment: SocketPlaces.environment(of: processID), database: database)
        where !folders.contains(folder) {
            folders.append(folder)
        }
        for path in folders {
            guard let folder = try? SocketFolder(path, creating: false) else { continue }
            let client = ControlClient(folder: folder, name: SocketPlaces.name(ofRun: run))
            guard let status = try? client.status(), status["run"] == .integer(run),
                status["pid"] == .integer(processID)
            else { continue }
            return client
        }
        return nil
    }

    private init(folder: SocketFolder, name: String) {
        self.folder = folder
        self.name = name
    }

    // MARK: Requests

    /// What the run is at: the members of `GET /v1/status`.
    package func status() throws(Failure) -> [String: JSONValue] {
        try object(try get("status").body)
    }

    package func get(_ verb: String) throws(Failure) -> Answer {
        try answer(to: "GET /v1/\(verb) HTTP/1.1\r\nHost: run\r\nConnection: close\r\n\r\n")
    }

    /// Asks for a change, which has taken effect when this returns.
    package func post(_ verb: String, _ body: JSONValue = .object([:])) throws(Failure) -> Answer {
        try post(verb, json: String(decoding: body.line, as: UTF8.self))
    }

    /// The same with a body that is JSON already.
    package func post(_ verb: String, json: String) throws(Failure) -> Answer {
        let bytes = Array(json.utf8)
        let head =
            "POST /v1/\(verb) HTTP/1.1\r\nHost: run\r\nConnection: close\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(bytes.count)\r\n\r\n"
        return try answer(to: head + json)
    }

    /// Calls `body` with the name and the data of each event until it returns false or the run has finished.
    ///
    /// - Parameters:
    ///   - last: the `seq` of the last event that is known, so that only what followed is sent; nil for all.
    ///   - isWanted: asked with each heartbeat as well, while the run has nothing to tell.
    package func events(
        after last: Int64? = nil, while isWanted: () -> Bool = { true }, _ body: (String, [UInt8]) -> Bool
    ) throws(Failure) {
        let field = last.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let stream = try send("GET /v1/events HTTP/1.1\r\nHost: run\r\nAccept: text/event-stream\r\n\(field)\r\n")
        let head = try stream.head()
        guard head.status == 200 else { throw failure(head.status, try stream.rest(head)) }
        var name = ""
        var data: [UInt8] = []
        while let line = try stream.bodyLine(head), isWanted() {
            if line.isEmpty {
                if !data.isEmpty, !body(name, data) { return }
                name = ""
                data = []
            } else if line.starts(with: Array("event: ".utf8)) {
                name = String(decoding: line.dropFirst(7), as: UTF8.self)
            } else if line.starts(with: Array("data: ".utf8)) {
                data += line.dropFirst(6)
            }
        }
    }

    private func answer(to request: String) throws(Failure) -> Answer {
        let stream = try send(request)
        let head = try stream.head()
        let body = try stream.rest(head)
        guard (200..<300).contains(head.status) else { throw failure(head.status, body) }
        return Answer(status: head.status, body: body)
    }

    private func failure(_ status: Int, _ body: [UInt8]) -> Failure {
        guard case .text(let detail)? = (try? object(body))?["detail"] else {
            return .broken("the run answered \(status)")
        }
        return .refused(status: status, detail: detail)
    }

    private func object(_ bytes: [UInt8]) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members)? = JSONValue(parsing: bytes) else {
            throw .broken("the run answered with what is not JSON")
        }
        return members
    }

    private func send(_ request: String) throws(Failure) -> ResponseStream {
        guard let socket = folder.connect(to: name) else { throw .absent }
        let stream = ResponseStream(socket)
        try stream.write(Array(request.utf8))
        return stream
    }
}

/// The response of one request, read from a socket that is its own.
private final class ResponseStream {
    struct Head {
        let status: Int
        let isChunked: Bool
        let length: Int?
    }

    private let socket: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    /// Bytes left of the chunk, and whether there is one.
    private var chunk = 0

    /// A run answers within milliseconds; a heartbeat comes every fifteen seconds.
    private static let patience = 30
    /// No answer is as long.
    private static let longest = 64 << 20

    init(_ socket: Int32) {
        self.socket = socket
        var time = timeval(tv_sec: Self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    deinit {
        close(socket)
    }

    func write(_ bytes: [UInt8]) throws(ControlClient.Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .absent }
            sent += count
        }
    }

    /// Reads more; false at the end.
    private func fill() throws(ControlClient.Failure) -> Bool {
        if start > 65_536 {
            buffer.removeFirst(start)
            start = 0
        }
        guard buffer.count < Self.longest else { throw .broken("the answer has no end") }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw errno == EAGAIN ? .broken("the run does not answer") : .absent
            }
            buffer += bytes.prefix(count)
            return count > 0
        }
    }

    private func byte() throws(ControlClient.Failure) -> UInt8? {
        if start == buffer.count { guard try fill() else { return nil } }
        defer { start += 1 }
        return buffer[start]
    }

    private func line() throws(ControlClient.Failure) -> String? {
        var line: [UInt8] = []
        while let byte = try byte() {
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            line.append(byte)
        }
        return nil
    }

    func head() throws(ControlClient.Failure) -> Head {
        // A run that ends lets connections go without an answer.
        guard let first = try line() else { throw .absent }
        let words = first.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw .broken("what listens there does not speak HTTP")
        }
        var isChunked = false
        var length: Int?
        while let field = try line(), !field.isEmpty {
            let parts = field.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "transfer-encoding": isChunked = value.lowercased() == "chunked"
            case "content-length": length = Int(value)
            default: break
            }
        }
        return Head(status: status, isChunked: isChunked, length: length)
    }

    /// The next byte of the body; nil at its end.
    private func bodyByte(_ head: Head) throws(ControlClient.Failure) -> UInt8? {
        guard head.isChunked else { return try byte() }
        if chunk == 0 {
            var size = try line()
            // The line end of the chunk before.
            if size?.isEmpty == true { size = try line() }
            guard let size, let count = Int(size.prefix { $0 != ";" }, radix: 16), count > 0 else { return nil }
            chunk = count
        }
        chunk -= 1
        return try byte()
    }

    /// The next line of the body without its end; nil at the end of the body.
    func bodyLine(_ head: Head) throws(ControlClient.Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while let byte = try bodyByte(head) {
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        return nil
    }

    func rest(_ head: Head) throws(ControlClient.Failure) -> [UInt8] {
        var body: [UInt8] = []
        if head.status == 204 { return body }
        while head.isChunked || body.count < head.length ?? .max, let byte = try bodyByte(head) { body.append(byte) }
        return body
    }
}
