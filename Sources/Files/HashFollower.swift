internal import Dispatch

/// The hash of one part that grows while it is computed.
///
/// Unchecked because all that changes is touched only on the worker's serial queue.
final class HashFollower: @unchecked Sendable {
    typealias Completion = @Sendable (Result<SHA256Digest, FileError>) -> Void

    /// Bytes hashed before another part gets its turn.
    private static let turnLength: Int64 = 4 * 1024 * 1024

    private let worker: HashWorker
    private let file: OpenPart
    private var hasher: SHA256
    private var hashed: Int64
    /// Bytes that are in the file.
    private var written: Int64
    private var completion: Completion?
    private var failure: FileError?
    private var isCancelled = false
    private var hasTurnAhead = false

    /// Follows `file` from where `hasher` is: it has taken the first `hashed` bytes.
    init(_ file: OpenPart, hasher: consuming SHA256, hashed: Int64, worker: HashWorker) {
        self.worker = worker
        self.file = file
        self.hasher = hasher
        self.hashed = hashed
        written = hashed
    }

    /// The file has grown to `size`.
    func follow(to size: Int64) {
        worker.perform {
            self.written = size
            self.goOn()
        }
    }

    /// The file ends at `size`. `completion` is called once, on the worker's thread, unless `cancel()` comes first.
    func finish(at size: Int64, _ completion: @escaping Completion) {
        worker.perform {
            self.written = size
            self.completion = completion
            self.goOn()
        }
    }

    /// Stops after the present turn: the file may still be read for a moment.
    func cancel() {
        worker.perform {
            self.isCancelled = true
            self.completion = nil
        }
    }

    private func goOn() {
        if !hasTurnAhead { takeTurn() }
    }

    private func takeTurn() {
        hasTurnAhead = false
        guard !isCancelled else { return }
        let end = min(written, hashed + Self.turnLength)
        do throws(FileError) {
            if failure == nil { try file.hash(hashed..<end, into: &hasher, through: worker.buffer) }
        } catch {
            failure = error
        }
        hashed = end
        if hashed < written, failure == nil {
            hasTurnAhead = true
            worker.perform { self.takeTurn() }
        } else if let completion {
            self.completion = nil
            completion(failure.map(Result.failure) ?? .success(exchange(&hasher, with: SHA256()).finalize()))
        }
    }
}
