/// Which pictures are made of a file, and how: what a job file says below `media:`.
package struct RenderSettings: Hashable, Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case webp, jpeg, png
    }

    /// Of every picture, page and contained picture.
    package struct Thumbnail: Hashable, Sendable {
        /// Pixels of the longer side.
        package var size = 256
        package var format = Format.webp
        /// 1 to 100; without meaning for PNG.
        package var quality = 80

        package init() {}
    }

    package struct PDF: Hashable, Sendable {
        /// Page numbers from 1.
        package var first = 1
        /// nil: to the last page.
        package var last: Int? = 1
        package var dpi = 144
        package var format = Format.png

        package init() {}
    }

    /// Which pictures inside a ZIP file are taken.
    package enum Entries: String, Sendable, CaseIterable {
        case all, first
    }

    package var thumbnail = Thumbnail()
    package var pdf = PDF()
    package var entries = Entries.all
    /// A picture with more is refused.
    package var maximumPixels: Int64 = 100_000_000

    package init() {}

    /// Tells these settings from others, as long as the pictures made with them would be the same or be refused alike.
    package var fingerprint: String { "\(shape), pixels \(maximumPixels)" }

    /// What of ``fingerprint`` the pictures have that were made. How many pixels are allowed matters to those alone that
    /// were refused.
    package var shape: String {
        let pages = "\(pdf.first)-\(pdf.last.map(String.init) ?? "")"
        return [
            "thumbnail \(thumbnail.size) \(thumbnail.format) \(thumbnail.quality)",
            "pdf \(pages) \(pdf.dpi) \(pdf.format)", "zip \(entries)",
        ].joined(separator: ", ")
    }
}

/// What the renderer is asked for, with the file's descriptor beside it.
package struct RenderRequest: Hashable, Sendable {
    package var settings: RenderSettings
    /// The renderer ends when it has used so much of the processor for this request.
    package var cpuSeconds: Int

    package init(settings: RenderSettings, cpuSeconds: Int) {
        self.settings = settings
        self.cpuSeconds = cpuSeconds
    }
}
