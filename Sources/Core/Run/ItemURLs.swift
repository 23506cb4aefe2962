import Catalog
import HTTP
import Jobs
import Model
import System
import Transfer

/// The URLs of a run's items as they are asked for: with what the catalog leaves out, user information and secrets in
/// unusual spellings. It lasts as long as the run.
///
/// Confined to the catalog's queue, like the ledger.
final class ItemURLs {
    private let secrets: Secrets
    /// The first user information that was met at an origin, which is mostly that of all its URLs.
    private var userinfo: [HTTPOrigin: String] = [:]
    /// URLs that are not made again of what the catalog has, by item.
    private var others: [Int64: WebURL] = [:]

    init(_ secrets: Secrets) {
        self.secrets = secrets
    }

    /// Remembers of a listed URL what its row leaves out.
    func remember(_ url: WebURL, of row: ItemRow) {
        // Most have nothing to leave out.
        guard row.url.withBytes({ $0.contains(UInt8(ascii: "$")) }) else { return }
        if let found = Secrets.userinfo(of: url.text), userinfo[url.origin] == nil { userinfo[url.origin] = found }
        if (try? self.url(row.url, of: row.id)) != url { others[row.id] = url }
    }

    /// The URL of an item as it is asked for.
    ///
    /// - Throws: `WebURLError` for one that can't be asked, or of which only the list knows the whole.
    func url(of row: ItemRow) throws(WebURLError) -> WebURL {
        try url(row.url, of: row.id)
    }

    /// The same of an item whose row has this URL.
    func url(_ shown: String, of id: Int64) throws(WebURLError) -> WebURL {
        if let url = others[id] { return url }
        var found: String?
        if shown.contains(Secrets.userinfoToken), !userinfo.isEmpty,
            let plain = secrets.expand(shown, userinfo: "user"), let url = try? WebURL(plain)
        {
            found = userinfo[url.origin]
        }
        guard let text = secrets.expand(shown, userinfo: found) else {
            throw WebURLError(reason: "the list alone knows what is hidden in \(shown); run the job without --failed")
        }
        return try WebURL(text)
    }

    /// Whether what is stored is of the URL that is listed now, however secrets were hidden when it was stored.
    func isSame(_ row: ItemRow) -> Bool {
        row.storedURL.map { secrets.isSameURL($0, row.url) } ?? false
    }
}

extension Secrets {
    /// Whether two texts, of the catalog or older, are of one URL. User information is no part of it.
    func isSameURL(_ one: String, _ other: String) -> Bool {
        guard one != other else { return true }
        guard let one = expand(one, userinfo: ""), let other = expand(other, userinfo: "") else { return false }
        return Secrets.withoutUserinfo(one) == Secrets.withoutUserinfo(other)
    }
}
