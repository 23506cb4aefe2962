import Catalog
import HTTP
import Jobs
import Model
import Transfer

/// What the URLs of a run's items have and the catalog does not: user information, and secrets in unusual spellings. It
/// lasts as long as the run.
struct HiddenURLs {
    /// The first user information that was met at an origin, which is mostly that of all its URLs.
    fileprivate var userinfo: [HTTPOrigin: String] = [:]
    /// URLs that are not made again of what the catalog has, by item.
    fileprivate var others: [Int64: WebURL] = [:]
}

extension RunLedger {
    /// Remembers of a listed URL what its row leaves out.
    func keep(_ url: WebURL, of row: ItemRow) {
        // Most have nothing to leave out.
        guard row.url.utf8.contains(UInt8(ascii: "$")) else { return }
        if let userinfo = Secrets.userinfo(of: url.text), hiddenURLs.userinfo[url.origin] == nil {
            hiddenURLs.userinfo[url.origin] = userinfo
        }
        let made = try? self.url(row.url, of: row.id)
        if made != url { hiddenURLs.others[row.id] = url }
    }

    /// The URL of an item as it is asked for.
    ///
    /// - Throws: `WebURLError` for one that can't be asked, or of which only the list knows the whole.
    func url(of row: ItemRow) throws(WebURLError) -> WebURL {
        try url(row.url, of: row.id)
    }

    /// The same of an item whose row has this URL.
    func url(_ shown: String, of id: Int64) throws(WebURLError) -> WebURL {
        if let url = hiddenURLs.others[id] { return url }
        var userinfo: String?
        if shown.contains(Secrets.userinfoToken), !hiddenURLs.userinfo.isEmpty,
            let plain = context.job.trust.secrets.expand(shown, userinfo: "user"), let url = try? WebURL(plain)
        {
            userinfo = hiddenURLs.userinfo[url.origin]
        }
        guard let text = context.job.trust.secrets.expand(shown, userinfo: userinfo) else {
            throw WebURLError(reason: "the list alone knows what is hidden in \(shown); run the job without --failed")
        }
        return try WebURL(text)
    }

    /// Whether what is stored is of the URL that is listed now, however secrets were hidden when it was stored.
    func isSameURL(_ row: ItemRow) -> Bool {
        row.storedURL.map { context.job.trust.secrets.isSameURL($0, row.url) } ?? false
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
