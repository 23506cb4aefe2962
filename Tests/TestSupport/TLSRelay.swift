import Glibc

/// Stands between a client and a TLS server, passes all on but the server's alerts, and closes the connection as the
/// server does: what an attacker can do who cuts a reply short (RFC 8446, 6.1).
package final class TLSRelay: Sendable {
    package let port: Int
    private let listener: LoopbackSocket

    package init(to target: Int) throws {
        listener = try LoopbackSocket()
        port = listener.port
        let descriptor = listener.descriptor
        guard listen(descriptor, 16) == 0 else {
            throw TestSupportError("no relay: \(String(cString: strerror(errno)))")
        }
        spawnThread {
            while true {
                let client = accept(descriptor, nil, nil)
                // Shut down by `deinit`.
                guard client >= 0 else { return }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard let server = LoopbackSocket.connected(to: target) else {
                    close(client)
                    continue
                }
                let isOneDone = Monitor(false)
                spawnThread {
                    Self.copy(from: client, to: server)
                    shutdown(server, Int32(SHUT_WR))
                    Self.finish(client, server, isOneDone)
                }
                spawnThread {
                    Self.copyRecords(from: server, to: client)
                    shutdown(client, Int32(SHUT_RDWR))
                    Self.finish(client, server, isOneDone)
                }
            }
        }
    }

    deinit {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    /// Closes both sockets once both directions have ended.
    private static func finish(_ client: Int32, _ server: Int32, _ isOneDone: Monitor<Bool>) {
        let isSecond = isOneDone.withLock { isOneDone in
            defer { isOneDone = true }
            return isOneDone
        }
        guard isSecond else { return }
        close(client)
        close(server)
    }

    private static func copy(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            guard send(buffer[..<count], to: target) else { return }
        }
    }

    /// Passes on whole records but alerts: those of their own type, and in TLS 1.3, where the type is hidden, those of an
    /// alert's length, which no other record of a test has.
    private static func copyRecords(from source: Int32, to target: Int32) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            received += buffer[..<count]
            while received.count >= 5, case let length = 5 + Int(received[3]) << 8 + Int(received[4]),
                received.count >= length
            {
                let isAlert = received[0] == 21 || (received[0] == 23 && length == 5 + 19)
                if !isAlert, !send(received[..<length], to: target) { return }
                received.removeFirst(length)
            }
        }
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
