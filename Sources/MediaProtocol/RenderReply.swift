/// What the renderer says. To a request it answers any number of pictures and faults, then `done`.
package enum RenderReply: Hashable, Sendable {
    /// The first word of a renderer: it has dropped its privileges, and takes requests.
    case ready(version: String)
    /// The only word of a renderer that can't give up its powers or start its library.
    case unable(reason: String)
    /// A picture; its bytes follow, so many as it says.
    case picture(RenderedPicture)
    case fault(RenderFault)
    case done
}

/// A picture that was made.
package struct RenderedPicture: Hashable, Sendable {
    /// `picture.kind`.
    package enum Kind: String, Sendable, CaseIterable {
        case thumbnail
        /// A page of a PDF.
        case page
        /// A picture inside a ZIP file, as it is.
        case entry
    }

    package var kind: Kind
    /// Which of the file's pictures it is, or is the thumbnail of: from 1.
    package var position: Int
    /// The entry's name.
    package var name: String?
    /// Of the bytes' format.
    package var fileExtension: String
    package var width: Int
    package var height: Int
    /// Length in bytes.
    package var size: Int
    /// A ``PreviewHash`` of a thumbnail.
    package var preview: [UInt8]?

    package init(
        kind: Kind, position: Int, name: String?, fileExtension: String, width: Int, height: Int, size: Int,
        preview: [UInt8]? = nil
    ) {
        self.preview = preview
        self.kind = kind
        self.position = position
        self.name = name
        self.fileExtension = fileExtension
        self.width = width
        self.height = height
        self.size = size
    }
}

/// Why a picture could not be made.
package struct RenderFault: Error, Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The bytes can't be decoded.
        case corrupt
        /// The picture has more pixels, or the archive more bytes, than allowed.
        case tooLarge
        /// A time limit passed.
        case timeout
        /// The file's type is none of which pictures are made.
        case unsupported
    }

    package var kind: Kind
    /// For people.
    package var detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
