/// What the addresses of a photo's pictures are made of (flickr.com/services/api/misc.urls.html).
struct PhotoAddress: Sendable {
    /// The addresses that the list gives, by the letters of their extras: `url_m` is `m`.
    private let given: [String: String]
    private let id: String
    private let server: String?
    private let secret: String?
    private let originalSecret: String?
    private let originalFormat: String?

    init(id: String, _ fields: KeyedDecodingContainer<FieldName>) {
        self.id = id
        server = fields.text("server").flatMap { $0 == "0" ? nil : $0 }
        secret = fields.text("secret")
        originalSecret = fields.text("originalsecret")
        originalFormat = fields.text("originalformat")
        var given: [String: String] = [:]
        for letters in PhotoSize.allLetters {
            given[letters] = fields.text(FieldName(stringValue: "url_\(letters)"))
        }
        self.given = given
    }

    /// The picture of that size, else of the next smaller one that there is; nil where the list tells of none.
    ///
    /// The sizes above `large` and the original have secrets of their own: they are there only where the list gives them.
    func url(_ size: PhotoSize, host: String) -> String? {
        if let url = size.letters.lazy.compactMap({ given[$0] }).first { return moved(url, to: host) }
        guard let server, let secret else {
            // Larger than asked for is better than nothing.
            return PhotoSize.original.letters.reversed().lazy.compactMap { given[$0] }.first.map { moved($0, to: host) }
        }
        if size == .original, let originalSecret {
            return "\(trimmedSlash(host))/\(server)/\(id)_\(originalSecret)_o.\(originalFormat ?? "jpg")"
        }
        return "\(trimmedSlash(host))/\(server)/\(id)_\(secret)\(size.suffix).jpg"
    }

    /// An address of Flickr's picture hosts, old and new, is asked of `host`: those of 2004 to 2019 had numbers, `farm8`,
    /// and no TLS.
    private func moved(_ url: String, to host: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" }
        let isFlickrs =
            authority == "live.staticflickr.com" || authority == "static.flickr.com"
            || (authority.hasPrefix("farm")
                && (authority.hasSuffix(".staticflickr.com") || authority.hasSuffix(".static.flickr.com")))
        return isFlickrs ? "\(trimmedSlash(host))\(url[authority.endIndex...])" : url
    }

    private func trimmedSlash(_ host: String) -> Substring {
        host.hasSuffix("/") ? host.dropLast() : host[...]
    }
}
