internal import JSON

/// Why a request is refused, as problem details (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    /// The status code of the response.
    package let status: Int
    /// What is wrong, in a few words that are the same for all such problems.
    package let title: String
    /// What is wrong here, and the way out.
    package let detail: String
    /// The key or parameter that is to blame.
    package let field: String?

    package init(_ status: Int, _ title: String, _ detail: String, field: String? = nil) {
        self.status = status
        self.title = title
        self.detail = detail
        self.field = field
    }

    package var response: Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("title", title)
        json.member("status", Int64(status))
        json.member("detail", detail)
        if let field { json.member("field", field) }
        json.endObject()
        json.endLine()
        return Response(
            status: status, headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")],
            body: .data(json.bytes))
    }
}
