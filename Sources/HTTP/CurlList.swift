internal import CCurl

/// Owns a native list of strings while it is built and as long as libcurl points at it.
struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?
    private var last: UnsafeMutablePointer<curl_slist>?

    init() {}

    /// Adds a copy of `text` at the end.
    mutating func append(_ text: String) throws(HTTPFailure) {
        // Appending to the last node, not the first, keeps a long list linear.
        guard let node = text.withCString({ curl_slist_append(nil, $0) }) else {
            throw HTTPFailure(.resource, "out of memory")
        }
        if let last { last.pointee.next = node } else { head = node }
        last = node
    }

    /// Hands the list to the caller, who frees it, and is empty afterwards.
    mutating func take() -> UnsafeMutablePointer<curl_slist>? {
        let taken = head
        head = nil
        last = nil
        return taken
    }

    deinit {
        curl_slist_free_all(head)
    }
}
