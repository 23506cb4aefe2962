/// An immutable list of request headers that any number of requests share.
///
/// Consecutive requests with the same list leave the handle's headers as they are.
package final class HTTPHeaderList: Sendable {
    /// The failure of a header that cannot be sent; a request with this list then finishes with it.
    let failure: HTTPFailure?

    let headers: [HTTPHeader]

    /// Takes the headers in order. One that is not valid is left out, and makes every request with this list finish as
    /// `.invalid` before anything is sent.
    package init(_ headers: [HTTPHeader]) {
        var failure: HTTPFailure?
        self.headers = headers.filter { header in
            do throws(HTTPFailure) {
                try header.validate()
                return true
            } catch {
                failure = failure ?? error
                return false
            }
        }
        self.failure = failure
    }
}
