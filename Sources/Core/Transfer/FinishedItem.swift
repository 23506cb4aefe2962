import Files
import HTTP
import Media

/// An item whose transfer is over, on its way from the network to its name and its rows.
final class FinishedItem: @unchecked Sendable {  // the loop hands it to the catalog's queue and forgets it
    let work: ItemWork
    var record: TransferRecord
    /// New bytes, to be given their name.
    var body: SealedPart?
    /// What a good reply said of itself, read when the item is recorded: the loop has better to do.
    let reply: GoodReply?
    /// Whether a failure stands until its time to be asked again.
    var isPermanent: Bool
    /// When the last byte came.
    let endedAt: Monotonic

    init(
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
struct GoodReply: Sendable {
    let headers: HTTPHeaders
    /// The body's type by its bytes.
    let type: MediaType?
    /// What was asked for.
    let url: WebURL
    /// When it was asked for, microseconds since 1970 UTC.
    let at: Int64
    /// The version that a resumed body is of, which a reply with the rest of it need not repeat (RFC 9110, 15.3.7).
    var resumed: PartNote.Validator?
    var hasVary = false

    var freshness: Freshness {
        var freshness = Freshness(headers, now: at)
        freshness.lastModified = lastModified
        if case .etag(let tag) = resumed { freshness.etag = freshness.etag ?? tag }
        return freshness
    }

    /// The file's date, verbatim; nil where nothing tells it.
    var lastModified: String? {
        if let date = headers["Last-Modified"] { return date }
        if case .lastModified(let date) = resumed { return date }
        return nil
    }

    /// What the file is called by and counted as: by its bytes, else by the URL's name or the Content-Type.
    var bodyType: BodyType {
        if let type { return BodyType(extension: type.extension, mediaType: type.name) }
        let declared = headers["Content-Type"].map(MediaType.essence(of:))
        let named = MediaType(name: url.lastPathSegment) ?? declared.flatMap(MediaType.init(contentType:))
        return BodyType(extension: named?.extension ?? "bin", mediaType: declared ?? named?.name)
    }
}

/// The extension of a body's file and its media type.
struct BodyType: Sendable, Hashable {
    var `extension`: String
    var mediaType: String?
}

/// An attempt that was admitted.
struct StartedItem: Sendable {
    let work: ItemWork
    let attempt: Int
}
