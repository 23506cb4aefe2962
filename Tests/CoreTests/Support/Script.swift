import Synchronization
import TestSupport

/// What a server answers, by path: the responses in turn, the last one for ever. Other paths are 404.
final class Script: Sendable {
    typealias Answer = @Sendable (FaultyServer.Request) -> FaultyServer.Response?

    private let responses: Mutex<[String: [FaultyServer.Response]]>
    private let first: Answer

    /// - Parameter first: is asked before the table.
    init(_ responses: [String: [FaultyServer.Response]], first: @escaping Answer) {
        self.responses = Mutex(responses)
        self.first = first
    }

    func answer(_ request: FaultyServer.Request) -> FaultyServer.Response {
        if let response = first(request) { return response }
        return responses.withLock { responses in
            guard let list = responses[request.path], let first = list.first else { return .status(404) }
            if list.count > 1 { responses[request.path]?.removeFirst() }
            return first
        }
    }

    /// Answers a path otherwise from now on.
    func set(_ path: String, _ list: FaultyServer.Response...) {
        responses.withLock { $0[path] = list }
    }
}

/// A PNG's signature and as many bytes more, the same for the same seed.
func picture(_ count: Int = 100, seed: UInt8 = 1) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    var value = UInt32(seed) &* 2_654_435_761 | 1
    for _ in 0..<count {
        value = value &* 1_664_525 &+ 1_013_904_223
        bytes.append(UInt8(truncatingIfNeeded: value >> 24))
    }
    return bytes
}

/// Runs what blocks on a thread of its own: the cooperative pool is for those who do not.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        spawnThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Something that is let through once, by another thread or task.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() async throws {
        let isOpen = isOpen
        try await blocking {
            guard isOpen.wait(until: { $0 ? true : nil }) != nil else { throw TestSupportError("the gate stays shut") }
        }
    }
}
