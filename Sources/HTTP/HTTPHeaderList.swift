internal import CCurl

/// A prebuilt, immutable list of request headers that any number of requests share.
///
/// The list is built once; a request that has it points libcurl at it and copies nothing.
package final class HTTPHeaderList: Sendable {
    /// The failure of a header that cannot be sent; a request with this list then finishes with it.
    let failure: HTTPFailure?

    /// The native list, nil when it is empty. Nothing writes to it after `init`.
    // Reason for `nonisolated(unsafe)`: a pointer to memory that is immutable until `deinit`.
    nonisolated(unsafe) let head: UnsafeMutablePointer<curl_slist>?

    /// Builds the list, in order. A header that is not valid is left out, and makes every request with this
    /// list finish as `.invalid` before anything is sent.
    package init(_ headers: [HTTPHeader]) {
        var failure: HTTPFailure?
        var list = CurlList()
        for header in headers {
            do {
                try header.validate()
                try list.append(header.line)
            } catch {
                failure = failure ?? error
            }
        }
        self.failure = failure
        head = list.take()
    }

    deinit {
        curl_slist_free_all(head)
    }
}
