internal import Glibc

/// An open file descriptor, closed with its owner.
package struct Descriptor: ~Copyable {
    package let raw: Int32

    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // A failed close cannot be reported from here; where it matters the owner calls `close()`.
        _ = Glibc.close(raw)
    }

    /// Closes and returns 0 or the error number: a network file system reports a failed write as late as here.
    package consuming func close() -> Int32 {
        let result = Glibc.close(raw) == 0 ? 0 : errno
        discard self
        // Linux has closed the descriptor even when a signal came in between.
        return result == EINTR ? 0 : result
    }
}

extension Descriptor {
    /// The number, which the caller closes from now on.
    package consuming func takeRaw() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}

/// Repeats a system call that a signal interrupted.
@inline(__always)
package func uninterrupted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

/// Writes all bytes at `offset`; returns 0 or the error number.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let start = UnsafeRawBufferPointer(rebasing: rest)
        let position = offset + Int64(bytes.count - rest.count)
        let count = uninterrupted { pwrite(descriptor, start.baseAddress, start.count, off_t(position)) }
        guard count >= 0 else { return errno }
        rest = rest.dropFirst(count)
    }
    return 0
}

/// The whole of a small file that is open for reading, or nil when a read fails.
package func readAll(_ descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
        let count = chunk.withUnsafeMutableBytes { chunk in
            uninterrupted { pread(descriptor, chunk.baseAddress, chunk.count, off_t(bytes.count)) }
        }
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}

/// How long a pipe that is read as a file may say nothing, milliseconds.
private let longestSilence: Int32 = 30_000

/// The bytes of a file that a person named, so many at most. A pipe, such as the shell's `<(…)`, is read to its end; one
/// that nobody has open for writing is empty. Blocks.
package func readFile(_ path: String, limit: Int) throws(SystemCallFailure) -> [UInt8] {
    let file = Descriptor(owning: uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
    guard file.raw >= 0 else { throw SystemCallFailure(call: "open", errno: errno) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
        let count = uninterrupted { read(file.raw, &buffer, buffer.count) }
        if count == 0 { break }
        if count > 0 {
            bytes += buffer[..<count]
            continue
        }
        guard errno == EAGAIN else { throw SystemCallFailure(call: "read", errno: errno) }
        var wait = pollfd(fd: file.raw, events: Int16(POLLIN), revents: 0)
        guard uninterrupted({ poll(&wait, 1, longestSilence) }) > 0 else {
            throw SystemCallFailure(call: "read", errno: ETIMEDOUT)
        }
    }
    return bytes
}
