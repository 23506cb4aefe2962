package import Files
package import HTTP
import Media
package import Model
package import System

/// An item whose transfer is over, on its way from the network to its name and its rows.
package final class FinishedItem: @unchecked Sendable {  // the loop hands it to the catalog's queue and forgets it
    package let work: ItemWork
    package var record: TransferRecord
    /// New bytes, to be given their name.
    package var body: SealedPart?
    /// What a good reply said of itself, read when the item is recorded: the loop has better to do.
    package let reply: GoodReply?
    /// Whether a failure lasts until its next attempt, a day or more later.
    package var isPermanent: Bool
    /// When the last byte came.
    package let endedAt: Monotonic

    package init(
        work: ItemWork, record: TransferRecord, body: SealedPart? = nil, reply: GoodReply? = nil,
        isPermanent: Bool = false, endedAt: Monotonic
    ) {
        self.work = work
        self.record = record
        self.body = body
        self.reply = reply
        self.isPermanent = isPermanent
        self.endedAt = endedAt
    }
}

/// The head of a reply that brought a body or said that it is unchanged.
package final class GoodReply: Sendable {
    package let headers: HTTPHeaders
    /// The body's type by its bytes.
    let type: MediaType?
    /// What was asked for.
    let url: WebURL
    /// When it was asked for, microseconds since 1970 UTC.
    let at: Int64
    /// The version that a resumed body is of, which a reply with the rest of it need not repeat (RFC 9110, 15.3.7).
    let resumed: PartNote.Validator?
    package let hasVary: Bool

    init(
        headers: HTTPHeaders, type: MediaType?, url: WebURL, at: Int64, resumed: PartNote.Validator?, hasVary: Bool
    ) {
        self.headers = headers
        self.type = type
        self.url = url
        self.at = at
        self.resumed = resumed
        self.hasVary = hasVary
    }

    package var freshness: Freshness {
        guard let resumed else { return Freshness(headers, now: at) }
        var freshness = Freshness(headers, now: at)
        switch resumed {
        case .etag(let tag): freshness.etag = freshness.etag ?? tag
        case .lastModified(let date): freshness.lastModified = freshness.lastModified ?? date
        }
        return freshness
    }

    /// What the file is called by and counted as.
    package var bodyType: BodyType {
        BodyType(
            bytes: type, name: url.lastPathSegment, contentType: headers["Content-Type"].map(MediaType.essence(of:)))
    }
}

/// An attempt that was admitted.
package struct StartedItem: Sendable {
    package let work: ItemWork
    package let attempt: Int
}
