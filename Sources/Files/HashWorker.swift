internal import Dispatch

/// Hashes large bodies beside the thread that receives them, all of one worker on one thread.
///
/// It follows the files rather than being handed their bytes: what was just written is read back from the page cache.
/// So nothing waits in memory however far the hash falls behind, and the receiving thread never waits for it.
package final class HashWorker: Sendable {
    private let queue = DispatchQueue(label: "runner.hash")
    /// Read into by one step at a time.
    nonisolated(unsafe) let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)

    /// Starts no thread before there is something to hash.
    package init() {}

    deinit {
        buffer.deallocate()
    }

    /// Runs a step, after those given before.
    func perform(_ step: @escaping @Sendable () -> Void) {
        queue.async(execute: step)
    }
}
