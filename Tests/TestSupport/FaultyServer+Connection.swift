import Glibc

extension FaultyServer {
    /// One connection of a `FaultyServer`, for answering by hand. Confined to the thread of its handler.
    package final class Connection {
        private let descriptor: Int32
        private var received: [UInt8] = []
        package private(set) var isOpen = true

        init(descriptor: Int32) {
            self.descriptor = descriptor
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }

        /// Sends bytes; false when the client has gone.
        @discardableResult
        package func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty, isOpen {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { isOpen = false } else { rest = rest.dropFirst(count) }
            }
            return isOpen
        }

        @discardableResult
        package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends a response with all its faults.
        package func send(_ response: Response) {
            for step in response.steps where isOpen { perform(step) }
        }

        /// Sends byte by byte, so many milliseconds apart.
        package func drip(_ bytes: [UInt8], everyMilliseconds interval: Int) {
            for byte in bytes where isOpen {
                if !send([byte]) { return }
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if Glibc.poll(&poll, 1, Int32(interval)) != 0 { isOpen = false }
            }
        }

        /// Says nothing more until the client closes the connection or the server stops.
        package func stall() {
            while read() {}
            isOpen = false
        }

        /// Ends the connection with a reset instead of a clean end (RFC 9293, 3.5.2).
        package func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            isOpen = false
        }

        /// Ends the connection after this request.
        package func end() { isOpen = false }

        private func perform(_ step: Response.Step) {
            switch step {
            case .send(let bytes): send(bytes)
            case .drip(let bytes, let interval): drip(bytes, everyMilliseconds: interval)
            case .endless(let bytes): while send(bytes) {}
            case .stall: stall()
            case .reset: reset()
            case .close: end()
            }
        }

        /// The next request's head without the empty line; nil when there is none.
        func readHead() -> String? {
            let end: [UInt8] = [13, 10, 13, 10]
            while true {
                if let range = received.firstRange(of: end) {
                    defer { received.removeSubrange(..<range.upperBound) }
                    return String(decoding: received[..<range.lowerBound], as: UTF8.self)
                }
                guard read() else { return nil }
            }
        }

        /// The next bytes, exactly so many; nil when the client has gone before.
        package func receive(_ count: Int) -> [UInt8]? {
            while received.count < count {
                guard read() else { return nil }
            }
            defer { received.removeFirst(count) }
            return Array(received.prefix(count))
        }

        private func read() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { received += buffer[..<count] }
            return count > 0
        }

        /// Called once, by the server.
        func close() { Glibc.close(descriptor) }
    }
}
