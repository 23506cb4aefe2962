internal import CLinux
internal import Glibc

/// Why messages can't be exchanged.
package enum ChannelError: Error, Hashable, Sendable {
    /// The other side is gone, or the system refused.
    case broken
    /// The other side said what is no message.
    case malformed
    /// Nothing came in time.
    case timedOut
}

/// One end of the pair of sockets between the program and a renderer. Blocks; used on one thread at a time.
package struct MediaChannel: ~Copyable {
    /// Bytes of one picture.
    package static let longestPicture = 256 << 20
    /// Bytes of one message.
    private static let longestMessage = 64 << 10

    private let socket: Int32
    private let isOwned: Bool
    /// When waiting ends, microseconds of the monotonic clock; nil: never.
    package var deadline: Int64?

    /// Uses an open socket; closes it in the end when it is `owned`.
    package init(socket: Int32, owned: Bool) {
        self.socket = socket
        isOwned = owned
    }

    deinit {
        if isOwned { _ = close(socket) }
    }

    // MARK: The program's side

    package func send(_ request: RenderRequest, file: Int32) throws(ChannelError) {
        let message = Self.framed(request.encoded)
        let count = message.withUnsafeBytes { bytes in
            repeating { clinux_send_descriptor(socket, file, bytes.baseAddress, bytes.count) }
        }
        guard count >= 0 else { throw .broken }
        try write(message[count...])
    }

    package func receiveReply() throws(ChannelError) -> RenderReply {
        try RenderReply(encoded: try receiveMessage())
    }

    /// Reads the bytes of a picture, some at a time.
    package func receive<Fault: Error>(
        _ count: Int, into buffer: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(Fault) -> Void
    ) throws(ChannelError) -> Fault? {
        var fault: Fault?
        var rest = count
        while rest > 0 {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(rest, buffer.count)])
            let length = try read(piece)
            rest -= length
            guard fault == nil else { continue }
            // What follows is read all the same, up to the next message.
            do throws(Fault) { try body(UnsafeRawBufferPointer(rebasing: piece[..<length])) } catch { fault = error }
        }
        return fault
    }

    // MARK: The renderer's side

    /// The next request with its file, which is the caller's to close; nil when the program has gone.
    package func receiveRequest() throws(ChannelError) -> (request: RenderRequest, file: Int32)? {
        var file: Int32 = -1
        var length: UInt32 = 0
        let count = withUnsafeMutableBytes(of: &length) { bytes in
            repeating { clinux_receive_descriptor(socket, &file, bytes.baseAddress, bytes.count) }
        }
        if count == 0 { return nil }
        guard count == 4, file >= 0 else { throw .broken }
        return (try RenderRequest(encoded: try receive(length: Int(UInt32(littleEndian: length)))), file)
    }

    package func send(_ reply: RenderReply) throws(ChannelError) {
        try write(Self.framed(reply.encoded)[...])
    }

    package func send(_ picture: RenderedPicture, _ bytes: UnsafeRawBufferPointer) throws(ChannelError) {
        try send(.picture(picture))
        try write(bytes)
    }

    // MARK: Bytes

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message
    }

    private func receiveMessage() throws(ChannelError) -> [UInt8] {
        let head = try receive(length: 4)
        return try receive(length: head.reversed().reduce(0) { $0 << 8 | Int($1) })
    }

    private func receive(length: Int) throws(ChannelError) -> [UInt8] {
        guard length <= Self.longestMessage else { throw .malformed }
        var bytes = [UInt8](repeating: 0, count: length)
        var filled = 0
        while filled < length {
            filled += try bytes.withUnsafeMutableBufferPointer { (bytes) throws(ChannelError) in
                try read(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[filled...])))
            }
        }
        return bytes
    }

    /// At least one byte.
    private func read(_ buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> Int {
        try waitForBytes()
        let count = repeating { recv(socket, buffer.baseAddress, buffer.count, 0) }
        guard count > 0 else { throw .broken }
        return count
    }

    private func waitForBytes() throws(ChannelError) {
        guard let deadline else { return }
        while true {
            let rest = deadline - monotonicMicroseconds()
            guard rest > 0 else { throw .timedOut }
            var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let result = poll(&wait, 1, Int32(clamping: rest / 1_000 + 1))
            if result > 0 { return }
            guard result == 0 || errno == EINTR else { throw .broken }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) throws(ChannelError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(ChannelError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            // A side that has gone is an error here, and no signal.
            let count = repeating { Glibc.send(socket, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL)) }
            guard count >= 0 else { throw .broken }
            rest = rest.dropFirst(count)
        }
    }
}

/// Microseconds of the monotonic clock.
package func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}

/// Repeats a system call that a signal interrupted.
private func repeating(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
