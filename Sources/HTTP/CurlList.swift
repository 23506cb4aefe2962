internal import CCurl

/// Owns a native list of strings while it is built and as long as libcurl points at it.
struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?
    private var last: UnsafeMutablePointer<curl_slist>?
    private var hasTail = false

    init() {}

    /// Adds a copy of `text` at the end. Call it before `share(tail:)`.
    mutating func append(_ text: String) throws(HTTPFailure) {
        // Appending to the last node, not the first, keeps a long list linear.
        guard let node = text.withCString({ curl_slist_append(nil, $0) }) else {
            throw HTTPFailure(.resource, "out of memory")
        }
        if let last { last.pointee.next = node } else { head = node }
        last = node
    }

    /// Ends the list with another one, which it does not own and which must outlive it.
    mutating func share(tail: UnsafeMutablePointer<curl_slist>) {
        precondition(last != nil && !hasTail)
        last?.pointee.next = tail
        hasTail = true
    }

    /// Hands the list to the caller, who frees it, and is empty afterwards.
    mutating func take() -> UnsafeMutablePointer<curl_slist>? {
        precondition(!hasTail)
        let taken = head
        head = nil
        last = nil
        return taken
    }

    deinit {
        if hasTail { last?.pointee.next = nil }
        curl_slist_free_all(head)
    }
}
