/// What a caller wants done with the body of a reply.
package enum HTTPBodyAction: Sendable {
    /// Hand it over through `receive`.
    case deliver
    /// Drop it: up to 64 KiB are read so that the connection can be reused, then the transfer ends. Whatever
    /// happens to a dropped body is not a failure.
    case discard
    /// End the transfer now, with the failure `.rejected`.
    case reject
}

/// What a caller hangs on a transfer to hear of it.
///
/// All calls come on the loop's thread, in the order of declaration. `begin` and `receive` come from inside
/// libcurl: they must be quick and must not call the loop's `begin`; `cancel` is allowed and takes effect
/// right after. `finish` may call both.
package protocol HTTPExchange: AnyObject {
    /// The final (not 1xx) header block is there. At most once.
    func begin(_ head: HTTPHead) -> HTTPBodyAction

    /// The next decoded bytes of the body; they are valid during the call only. Returning false ends the
    /// transfer with the failure `.rejected`.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// The transfer is over. Exactly once, always: also after a cancel and when the loop stops.
    func finish(_ result: HTTPResult)
}

/// The head of a reply.
package struct HTTPHead: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    /// "1.0", "1.1", "2" or "3".
    package let version: String
    /// What Content-Length says; nil without one, and where Transfer-Encoding overrides it (RFC 9112, 6.3).
    package let length: Int64?
    /// Whether a Repr-Digest or Content-Digest may be among the headers (RFC 9530): a search for them is not for free.
    package let hasDigest: Bool
    /// Whether there is a Vary.
    package let hasVary: Bool

    init(
        status: Int, headers: HTTPHeaders, version: String, length: Int64? = nil, hasDigest: Bool = false,
        hasVary: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.version = version
        self.length = length
        self.hasDigest = hasDigest
        self.hasVary = hasVary
    }
}
