import Glibc
import Media
import MediaProtocol

/// Makes the pictures of one file: throws a ``RenderFault`` for what can't be made, a ``ChannelError`` when nobody takes
/// what is.
struct Renderer {
    /// Pages of one PDF.
    private static let mostPages = 2_000

    let settings: RenderSettings
    /// A file in memory.
    let scratch: Int32
    /// Takes each picture as it is made.
    let deliver: (RenderedPicture, UnsafeRawBufferPointer) throws -> Void
    /// Takes a fault of one picture, after which others follow.
    let complain: (RenderFault) throws -> Void
    /// The number of pictures so far.
    private var position = 0

    init(
        settings: RenderSettings, scratch: Int32,
        deliver: @escaping (RenderedPicture, UnsafeRawBufferPointer) throws -> Void,
        complain: @escaping (RenderFault) throws -> Void
    ) {
        self.settings = settings
        self.scratch = scratch
        self.deliver = deliver
        self.complain = complain
    }

    /// Makes the pictures of an open file, by its type.
    mutating func render(descriptor: Int32) throws {
        var head = [UInt8](repeating: 0, count: MediaType.sniffLength)
        let count = pread(descriptor, &head, head.count, 0)
        let type = MediaType(sniffing: Array(head.prefix(max(0, count))))
        Vips.forgetFaults()
        switch type?.kind {
        case .image where type.map(Self.isDecoded) == true:
            let source = try PictureSource(descriptor: descriptor)
            try addThumbnail(source, of: try Picture(source), isDrawing: type == .svg)
        case .pdf:
            try addPages(of: try PictureSource(descriptor: descriptor))
        case .zip:
            let pictures = ContainedPictures(takesAll: settings.entries == .all, scratch: scratch)
            try pictures.visit(descriptor) { try add($0) }
        default:
            throw RenderFault(.unsupported, "no picture is made of \(type?.name ?? "bytes of no known type")")
        }
    }

    /// Whether there is a loader for pictures of the type.
    static func isDecoded(_ type: MediaType) -> Bool {
        [.jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .svg].contains(type)
    }

    // MARK: Pictures

    /// A picture inside a ZIP file: itself, once it was decoded, and its thumbnail.
    private mutating func add(_ found: ContainedPictures.Found) throws {
        switch found {
        case .fault(let fault):
            try complain(fault)
        case .picture(let name, let type, let bytes):
            Vips.forgetFaults()
            do {
                try bytes.withUnsafeBytes { bytes in
                    let source = try PictureSource(bytes)
                    let picture = try Picture(source)
                    let (width, height) = (picture.width, picture.height)
                    try addThumbnail(source, of: picture, isDrawing: type == .svg, name: name)
                    let entry = RenderedPicture(
                        kind: .entry, position: position, name: name, fileExtension: type.extension, width: width,
                        height: height, size: bytes.count)
                    try deliver(entry, bytes)
                }
            } catch let fault as RenderFault {
                try complain(RenderFault(fault.kind, "entry '\(name)': \(fault.detail)"))
            }
        }
    }

    /// - Parameters:
    ///   - picture: the source's, whose header is read.
    ///   - isDrawing: whether it has no pixels of its own: then its thumbnail's are judged, not those that its units would
    ///     be.
    private mutating func addThumbnail(
        _ source: borrowing PictureSource, of picture: borrowing Picture, isDrawing: Bool, name: String? = nil
    ) throws {
        let size = settings.thumbnail.size
        if !isDrawing {
            try checkSize(picture)
            position += 1
            let thumbnail = try Picture(
                thumbnailOf: source, size: size, isVector: false, hasProfile: picture.hasProfile)
            try send(thumbnail, name: name)
        } else if isVast(picture, source) {
            // The loader draws nothing smaller than a thousandth.
            let drawing = try Picture(smallestDrawingOf: source)
            try checkSize(drawing)
            position += 1
            try send(try Picture(thumbnailOf: drawing, size: size), name: name)
        } else {
            let thumbnail = try Picture(thumbnailOf: source, size: size, isVector: true, hasProfile: false)
            try checkSize(thumbnail)
            position += 1
            try send(thumbnail, name: name)
        }
    }

    /// Whether a drawing is more than a thousand times as large as its thumbnail.
    private func isVast(_ picture: borrowing Picture, _ source: borrowing PictureSource) -> Bool {
        if max(picture.width, picture.height) / 1_000 >= settings.thumbnail.size { return true }
        // libvips gives a side that is longer than it can count one pixel.
        guard min(picture.width, picture.height) == 1 else { return false }
        do {
            let drawing = try Picture(smallestDrawingOf: source)
            return max(drawing.width, drawing.height) > 1
        } catch {
            Vips.forgetFaults()
            return false
        }
    }

    private func send(_ thumbnail: borrowing Picture, name: String?) throws {
        let wanted = settings.thumbnail
        let picture = try thumbnail.inMemory()
        try send(
            picture, .thumbnail, as: wanted.format, quality: wanted.quality, name: name, preview: picture.preview)
    }

    // MARK: Pages

    private mutating func addPages(of source: borrowing PictureSource) throws {
        let wanted = settings.pdf
        let count = try Picture(page: 1, of: source, dpi: wanted.dpi).pageCount
        let last = min(wanted.last ?? count, count)
        guard wanted.first <= last else {
            throw RenderFault(.unsupported, "the PDF has \(count) pages, and \(wanted.first) is the first one wanted")
        }
        guard last - wanted.first < Self.mostPages else {
            throw RenderFault(.tooLarge, "the PDF has over \(Self.mostPages) pages")
        }
        for number in wanted.first...last {
            Vips.forgetFaults()
            do {
                let page = try Picture(page: number, of: source, dpi: wanted.dpi)
                // libvips gives a side that is longer than it can count one pixel.
                guard page.width > 1, page.height > 1 else {
                    throw RenderFault(.tooLarge, "it is too wide or too high to be drawn")
                }
                try checkSize(page)
                position += 1
                let paper = try page.flattened()
                try send(paper, .page, as: wanted.format, quality: 90, name: "page \(number)")
                let thumbnail = try Picture(
                    thumbnailOf: source, size: settings.thumbnail.size, isVector: true, hasProfile: false, page: number)
                try send(thumbnail, name: "page \(number)")
            } catch let fault as RenderFault {
                throw RenderFault(fault.kind, "page \(number): \(fault.detail)")
            }
        }
    }

    // MARK: Both

    private func checkSize(_ picture: borrowing Picture) throws {
        let pixels = Int64(picture.width) * Int64(picture.height)
        guard pixels <= settings.maximumPixels else {
            throw RenderFault(
                .tooLarge,
                "\(picture.width) × \(picture.height) pixels are more than max_pixels, \(settings.maximumPixels)")
        }
    }

    private func send(
        _ picture: borrowing Picture, _ kind: RenderedPicture.Kind, as format: RenderSettings.Format, quality: Int,
        name: String?, preview: PreviewHash? = nil
    ) throws {
        let encoded = try picture.encode(format, quality: quality)
        let bytes = encoded.bytes
        guard bytes.count <= MediaChannel.longestPicture else {
            throw RenderFault(.tooLarge, "the picture made has \(bytes.count) bytes")
        }
        let result = RenderedPicture(
            kind: kind, position: position, name: name, fileExtension: format == .jpeg ? "jpg" : format.rawValue,
            width: picture.width, height: picture.height, size: bytes.count, preview: preview?.bytes)
        try deliver(result, bytes)
    }
}
