import Files
import Glibc
import System
import TestSupport
import Testing

/// A directory for one test, with a hash worker of its own.
struct Fixture {
    let temporary: TemporaryDirectory
    let directory: OutputDirectory
    let worker = HashWorker()

    init(in parent: String = "/tmp") throws {
        temporary = try TemporaryDirectory(in: parent)
        directory = try OutputDirectory(path: temporary.path("out"), create: true)
    }

    func part(_ name: String = "part", resumingAt offset: Int64 = 0) -> PartFile {
        PartFile(in: directory, name: name, hasher: worker, resumingAt: offset)
    }

    /// A sealed and stored part that holds `bytes`.
    func sealed(_ bytes: [UInt8], name: String = "part") async throws -> SealedPart {
        let part = part(name)
        try part.append(all: bytes)
        return try await part.stored(in: directory)
    }

    /// Publishes `bytes` at a path.
    @discardableResult
    func publish(
        _ bytes: [UInt8], as path: String, replacing: Bool = false, modified: Int64? = nil
    ) async throws -> Publication {
        try await directory.publish(
            directory.store(sealed(bytes), modified: modified), as: RelativePath(validating: path), replacing: replacing
        )
    }

    /// The bytes of a file in the output directory.
    func bytes(_ path: String) -> [UInt8]? { temporary.read("out/" + path) }

    var parts: [String] { temporary.names(in: "out/.runner/parts") }
}

extension PartFile {
    func append(all bytes: [UInt8], pieces: Int = .max) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try rest.prefix(pieces).withUnsafeBytes { try append($0) }
            rest = rest.dropFirst(pieces)
        }
    }

    /// Seals and waits. The result comes behind a lock, which ThreadSanitizer sees; a continuation alone it may not.
    func sealed() async throws -> SealedPart {
        let result = Locked<Result<SealedPart, FileError>?>(nil)
        await withCheckedContinuation { continuation in
            seal { sealed in
                result.withLock { $0 = sealed }
                continuation.resume()
            }
        }
        return try #require(result.withLock { $0 }).get()
    }

    /// Seals, waits, and has a short body written.
    func stored(in directory: OutputDirectory) async throws -> SealedPart {
        try directory.store(try await sealed())
    }
}

/// Bytes that look random and are the same each time.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let words = (0..<(count + 7) / 8).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}

/// The digest of a whole message at once.
func digest(_ bytes: [UInt8]) -> SHA256Digest {
    var hasher = SHA256()
    bytes.withUnsafeBytes { hasher.update($0) }
    return hasher.finalize()
}

/// Starts a program that is found by its path; its process id, to be waited for.
func start(_ arguments: [String]) throws -> pid_t {
    var process: pid_t = 0
    var pointers = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    let code = posix_spawnp(&process, arguments[0], nil, nil, pointers, environ)
    guard code == 0 else { throw FileError(operation: "start", path: arguments[0], errno: code) }
    return process
}

/// Waits for a process; what it exited with.
@discardableResult
func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status >> 8 & 0xFF
}

/// Whether a program is there to be started.
func isInstalled(_ program: String) -> Bool {
    ["/usr/bin/", "/bin/"].contains { access($0 + program, X_OK) == 0 }
}
