/// The width and height of a picture, in pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// In pixels; headers may tell what no whole number holds.
    var area: Double { Double(width) * Double(height) }
}

/// A body whose structure is broken, or that ends before it is complete.
package struct MediaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people: "the PNG ends within its chunk IDAT".
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension MediaType {
    /// Whether ``checkStructure(of:)`` knows the type.
    package var hasCheckedStructure: Bool {
        [.jpeg, .png, .gif, .webp, .avif, .heic, .svg, .pdf, .zip].contains(self)
    }

    /// Looks whether a complete body of this type has all of its structure, without decoding it.
    ///
    /// It accepts what viewers accept: bytes behind the end, and checksums of parts that are passed over. Reads little of
    /// most types; all of a PNG, whose chunks have checksums.
    ///
    /// - Returns: the size that the header tells, before any turning by its metadata; nil for a type without one.
    /// - Throws: ``MediaFault``, and what the source throws.
    @discardableResult
    package func checkStructure(of source: some ByteSource) throws -> PixelSize? {
        switch self {
        case .jpeg: return try JPEGStructure.check(source)
        case .png: return try PNGStructure.check(source)
        case .gif: return try GIFStructure.check(source)
        case .webp: return try WebPStructure.check(source)
        case .avif: return try ISOMediaStructure.check(source, name: "AVIF")
        case .heic: return try ISOMediaStructure.check(source, name: "HEIC")
        case .svg: try SVGStructure.check(source)
        case .pdf: try PDFStructure.check(source)
        case .zip: try ZIPStructure.check(source)
        default: break
        }
        return nil
    }
}
