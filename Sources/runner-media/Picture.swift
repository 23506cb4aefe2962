import CVips
import MediaProtocol

/// Where a picture's bytes come from, for libvips.
struct PictureSource: ~Copyable {
    let raw: UnsafeMutablePointer<VipsSource>

    /// Reads a descriptor, which stays the caller's and must be open as long as the source.
    init(descriptor: Int32) throws(RenderFault) {
        guard let raw = vips_source_new_from_descriptor(descriptor) else { throw Vips.fault() }
        self.raw = raw
    }

    /// Reads bytes in memory, which must stay where they are as long as the source.
    init(_ bytes: UnsafeRawBufferPointer) throws(RenderFault) {
        guard let raw = vips_source_new_from_memory(bytes.baseAddress, bytes.count) else { throw Vips.fault() }
        self.raw = raw
    }

    deinit {
        cvips_unref_source(raw)
    }
}

/// A picture of libvips, which computes its pixels when they are written.
struct Picture: ~Copyable {
    let raw: UnsafeMutablePointer<VipsImage>

    init(owning raw: UnsafeMutablePointer<VipsImage>) {
        self.raw = raw
    }

    /// Opens a picture; only its header is read.
    init(_ source: borrowing PictureSource) throws(RenderFault) {
        guard let raw = cvips_open(source.raw) else { throw Vips.fault() }
        self.raw = raw
    }

    /// Opens a page of a PDF, from 1.
    init(page: Int, of source: borrowing PictureSource, dpi: Int) throws(RenderFault) {
        var image: UnsafeMutablePointer<VipsImage>?
        guard cvips_open_page(source.raw, &image, Int32(page - 1), Double(dpi)) == 0, let image else {
            throw Vips.fault()
        }
        raw = image
    }

    /// A thumbnail of a source's picture, which is not enlarged; what has no pixels of its own gets the size wanted.
    ///
    /// - Parameters:
    ///   - hasProfile: whether the picture has a colour profile.
    ///   - page: of a PDF, from 1.
    init(
        thumbnailOf source: borrowing PictureSource, size: Int, isVector: Bool, hasProfile: Bool, page: Int? = nil
    ) throws(RenderFault) {
        // As an option of the loader: libvips 8.14 does not pass on the thumbnailer's option for failures.
        let options = "[fail_on=error\(page.map { ",page=\($0 - 1)" } ?? "")]"
        var image: UnsafeMutablePointer<VipsImage>?
        let mode = isVector ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN
        guard cvips_thumbnail(source.raw, &image, options, Int32(size), mode, hasProfile ? 1 : 0) == 0, let image else {
            throw Vips.fault()
        }
        // Its colours are sRGB's, which everyone assumes where no profile says otherwise.
        vips_image_remove(image, VIPS_META_ICC_NAME)
        raw = image
    }

    /// A drawing, of SVG, at a thousandth of its size.
    init(smallestDrawingOf source: borrowing PictureSource) throws(RenderFault) {
        var image: UnsafeMutablePointer<VipsImage>?
        guard cvips_open_drawing(source.raw, &image) == 0, let image else { throw Vips.fault() }
        raw = image
    }

    /// A thumbnail of an open picture, which is not enlarged.
    init(thumbnailOf picture: borrowing Picture, size: Int) throws(RenderFault) {
        var image: UnsafeMutablePointer<VipsImage>?
        guard cvips_shrink(picture.raw, &image, Int32(size)) == 0, let image else { throw Vips.fault() }
        raw = image
    }

    deinit {
        cvips_unref_image(raw)
    }

    var width: Int { Int(vips_image_get_width(raw)) }
    var height: Int { Int(vips_image_get_height(raw)) }
    /// Whether a colour profile says what its numbers mean.
    var hasProfile: Bool { vips_image_get_typeof(raw, VIPS_META_ICC_NAME) != 0 }
    var pageCount: Int { Int(cvips_page_count(raw)) }

    /// The same on white, where it has transparency.
    func flattened() throws(RenderFault) -> Picture {
        var image: UnsafeMutablePointer<VipsImage>?
        guard cvips_flatten(raw, &image) == 0, let image else { throw Vips.fault() }
        return Picture(owning: image)
    }

    /// The same with its pixels computed, so that they can be read more than once.
    func inMemory() throws(RenderFault) -> Picture {
        guard let image = cvips_in_memory(raw) else { throw Vips.fault() }
        return Picture(owning: image)
    }

    /// A blurred preview of a picture in memory; nil where its pixels are none that it can be made of.
    var preview: PreviewHash? {
        var (width, height) = (Int32(0), Int32(0))
        var count = 0
        guard let pixels = cvips_rgba(raw, Int32(Self.previewSide), &width, &height, &count) else {
            Vips.forgetFaults()
            return nil
        }
        defer { g_free(pixels) }
        guard count == Int(width) * Int(height) * 4, count > 0 else { return nil }
        return PreviewHash(
            width: Int(width), height: Int(height), pixels: UnsafeRawBufferPointer(start: pixels, count: count))
    }

    /// Pixels of the longer side that previews are made of: they keep only the lowest frequencies.
    private static let previewSide = 64

    private var isTransparent: Bool { vips_image_hasalpha(raw) != 0 }

    /// Computes and codes the picture, without metadata.
    func encode(_ format: RenderSettings.Format, quality: Int) throws(RenderFault) -> EncodedPicture {
        if format == .jpeg, isTransparent { return try flattened().encode(format, quality: quality) }
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let result =
            switch format {
            case .webp: cvips_write_webp(raw, &bytes, &count, Int32(quality))
            case .jpeg: cvips_write_jpeg(raw, &bytes, &count, Int32(quality))
            case .png: cvips_write_png(raw, &bytes, &count)
            }
        guard result == 0, let bytes else { throw Vips.fault() }
        return EncodedPicture(UnsafeMutableRawBufferPointer(start: bytes, count: count))
    }
}

/// The bytes of a coded picture, in memory of GLib.
struct EncodedPicture: ~Copyable {
    private let buffer: UnsafeMutableRawBufferPointer

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    deinit {
        g_free(buffer.baseAddress)
    }

    /// Valid as long as the picture.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer) }
}
