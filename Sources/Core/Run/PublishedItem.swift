import Catalog
import Files
import HTTP
import Jobs
import Model
import Transfer

/// A finished item with where its file is, on its way to its rows. Confined, like the ledger, to the catalog's queue.
final class PublishedItem {
    let item: FinishedItem
    /// The extension and media type of its body.
    var type: BodyType?
    /// The validators of a good reply.
    var freshness: Freshness?
    var file: StoredFile?
    /// What its numbers are added to.
    var wanted: String
    /// Set when the name was taken and the item's row gets another one.
    var name: PathKey?
    /// What has replaced the file that the item's row tells of, although the item failed.
    var unclaimed: StoredFile?
    /// Whether a request was sent, for it or for its URL in another place.
    var isAsked: Bool
    /// Whether its file turned out to be another than its row tells.
    var isDoubtful = false
    /// Whether its bytes take no room of their own.
    var isShared = false
    private var path: (stem: String, path: RelativePath)?

    init(_ item: FinishedItem) {
        self.item = item
        isAsked = item.record.attempts > 0
        wanted = item.work.stem
        guard let reply = item.reply else { return }
        let secrets = item.work.context.job.trust.secrets
        var freshness = reply.freshness.without(secrets)
        if reply.hasVary {
            freshness.variant = RequestVariant(vary: reply.headers.all("Vary"), of: item.work)?.text
        }
        if item.body != nil {
            var type = reply.bodyType
            // A server may say what it was asked.
            type.mediaType = type.mediaType.map(secrets.hide)
            self.type = type
        } else if item.record.outcome == .unchanged, let stored = item.work.stored {
            if item.record.status == 304 {
                // It updates what is stored; a validator it leaves out stays (RFC 9111 section 4.3.4).
                freshness.etag = freshness.etag ?? stored.freshness.etag
                freshness.lastModified = freshness.lastModified ?? stored.freshness.lastModified
                freshness.variant = freshness.variant ?? stored.freshness.variant
            }
            file = stored
        }
        self.freshness = freshness
    }

    /// The present one of its item.
    var stem: String { name?.stem ?? item.work.stem }

    /// Of its body's file.
    var `extension`: String { type?.extension ?? "bin" }

    /// Where its body goes: the journal has that before the file is there.
    func bodyPath() throws(InvalidPath) -> RelativePath {
        let stem = stem
        if let path, path.stem == stem { return path.path }
        let path = try RelativePath(
            validating: PathTemplate.path(stem: stem, extension: `extension`))
        self.path = (stem, path)
        return path
    }
}
