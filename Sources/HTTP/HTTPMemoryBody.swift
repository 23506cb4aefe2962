/// A ready exchange for small replies: it collects the body and calls a closure with it.
package final class HTTPMemoryBody: HTTPExchange {
    private let maximumBytes: Int
    private let completion: (HTTPResult, [UInt8]) -> Void
    private var bytes: [UInt8] = []
    private var isTooLarge = false

    /// Collects at most `maximumBytes`; a longer body ends the transfer with the failure `.tooLarge`.
    ///
    /// `completion` is called once, on the loop's thread, with what came of the body, of any status.
    package init(maximumBytes: Int, completion: @escaping (HTTPResult, [UInt8]) -> Void) {
        self.maximumBytes = maximumBytes
        self.completion = completion
    }

    package func begin(_ head: HTTPHead) -> HTTPBodyAction { .deliver }

    package func receive(_ received: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = received.count > maximumBytes - bytes.count
        if !isTooLarge { bytes.append(contentsOf: received) }
        return !isTooLarge
    }

    package func finish(_ result: HTTPResult) {
        var result = result
        if isTooLarge {
            result.failure = HTTPFailure(.tooLarge, "the reply is larger than \(maximumBytes) bytes")
        }
        completion(result, bytes)
    }
}
