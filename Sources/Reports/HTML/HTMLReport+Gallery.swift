internal import Catalog
import FoundationEssentials
internal import Glibc
internal import SQLite

/// Thumbnails in the report itself: a few, since each makes it some kilobytes larger.
extension HTMLReport {
    private static let mostPictures = 200
    /// A larger one is no thumbnail.
    private static let mostBytes = 128 << 10

    func gallery(of run: RunReport, from connection: Connection, on page: inout HTMLPage) throws {
        // One more, to know whether there are more.
        let all = try ItemThumbnail.all(ofRun: run.id, limit: Self.mostPictures + 1, from: connection)
        var figures: [Markup] = []
        for thumbnail in all.prefix(Self.mostPictures) {
            guard let source = Self.source(of: thumbnail.file) else { continue }
            figures.append(
                """
                <figure><img src="\(source)" width="\(thumbnail.width)" height="\(thumbnail.height)" alt="" loading="lazy">\
                <figcaption>\(Markup.name(thumbnail.title))</figcaption></figure>

                """)
        }
        let message: String
        switch (figures.isEmpty, all.count > Self.mostPictures) {
        case (true, _): message = "There are no thumbnails: the job's media: makes them, or runner thumbnails."
        case (_, true): message = "The first \(figures.count) that have a thumbnail."
        default: message = "\(figures.count) have a thumbnail."
        }
        page.raw(
            """
            <div class="part part-whole"><\(headingTag)>What do they look like?</\(headingTag)><p class="message">\(message)</p>
            <div class="gallery">\(figures.joined())</div></div>

            """)
    }

    /// A picture as `data:`; nil for what is no regular file, too large, or of no type that thumbnails have.
    private static func source(of path: String) -> String? {
        let types = [".webp": "image/webp", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png"]
        guard let type = types.first(where: { path.hasSuffix($0.key) })?.value else { return nil }
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var information = stat()
        guard fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG, information.st_size > 0,
            information.st_size <= mostBytes
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + count }, $0.count - count) }
            guard got > 0 else { return nil }
            count += got
        }
        return "data:\(type);base64,\(Data(bytes).base64EncodedString())"
    }
}
