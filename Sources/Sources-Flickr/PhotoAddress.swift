/// What the addresses of a photo's pictures are made of (flickr.com/services/api/misc.urls.html).
struct PhotoAddress: Sendable {
    /// The addresses that the list gives, by the letters of their extras: `url_m` is `m`.
    private var given: [String: String]
    /// Width and height of some of them, in pixels.
    private var dimensions: [String: (width: Int, height: Int)] = [:]
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
        for letters in given.keys {
            let (width, height) = ("width_\(letters)", "height_\(letters)")
            note(
                fields.integer(FieldName(stringValue: width)), fields.integer(FieldName(stringValue: height)),
                of: letters)
        }
        note(fields.integer("o_width"), fields.integer("o_height"), of: "o")
    }

    /// Takes the addresses of another reply.
    mutating func add(_ sizes: PhotoSizes) {
        for size in sizes.sizes {
            given[size.letters] = size.url
            note(size.width, size.height, of: size.letters)
        }
    }

    private mutating func note(_ width: Int?, _ height: Int?, of letters: String) {
        if let width, let height, width > 0, height > 0 { dimensions[letters] = (width, height) }
    }

    /// One of the photo's pictures.
    struct Picture {
        let url: String
        /// `large`, `medium 640`.
        let size: String
        /// In pixels; nil where the list does not tell.
        let dimensions: (width: Int, height: Int)?
    }

    /// The width and height of what was uploaded; nil where the list does not tell.
    var originalDimensions: (width: Int, height: Int)? { dimensions["o"] }

    /// `jpg`, `png`; nil where the list does not tell.
    var format: String? { originalFormat }

    /// The address of ``picture(_:host:)``.
    func url(_ size: PhotoSize, host: String) -> String? { picture(size, host: host)?.url }

    /// The picture of that size, else of the next smaller one that there is; nil where the list tells of none.
    ///
    /// The sizes above `large` and the original have secrets of their own: they are there only where the list gives them.
    func picture(_ size: PhotoSize, host: String) -> Picture? {
        // Larger than asked for is better than nothing, where nothing else can be made.
        let larger = server == nil || secret == nil ? PhotoSize.original.letters.reversed() : []
        if let letters = (size.letters + larger).first(where: { given[$0] != nil }), let url = given[letters] {
            return Picture(
                url: moved(url, to: host), size: PhotoSize.names[letters] ?? letters, dimensions: dimensions[letters])
        }
        guard let server, let secret else { return nil }
        if size == .original, let originalSecret {
            let url = "\(trimmedSlash(host))/\(server)/\(id)_\(originalSecret)_o.\(originalFormat ?? "jpg")"
            return Picture(url: url, size: size.rawValue, dimensions: originalDimensions)
        }
        let made = size == .original ? PhotoSize.large : size
        return Picture(
            url: "\(trimmedSlash(host))/\(server)/\(id)_\(secret)\(made.suffix).jpg", size: made.rawValue,
            dimensions: nil)
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
