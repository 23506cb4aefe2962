import CVips
import MediaProtocol

/// libvips as this program uses it: named loaders only, one thread, no cache, no temporary files.
enum Vips {
    /// The loaders of the formats that are decoded, by their classes: JPEG, PNG, GIF, WebP, AVIF and HEIC, TIFF, SVG, PDF.
    private static let loaders = [
        "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadNsgif", "VipsForeignLoadWebp",
        "VipsForeignLoadHeif", "VipsForeignLoadTiff", "VipsForeignLoadSvg", "VipsForeignLoadPdf",
    ]

    /// - Throws: a fault that says why the library can't be started.
    static func start() throws(RenderFault) {
        guard cvips_start("runner-media") == 0 else { throw fault() }
        vips_block_untrusted_set(1)
        vips_operation_block_set("VipsForeignLoad", 1)
        for loader in loaders { vips_operation_block_set(loader, 0) }
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        try warmUp()
    }

    static var version: String { String(cString: vips_version_string()) }

    /// Drops what the library has said so far, which would be reported for the next picture that fails: it complains of pictures
    /// that it makes all the same, too.
    static func forgetFaults() { vips_error_clear() }

    /// What the library says of its last failure.
    static func fault() -> RenderFault {
        let words = String(cString: vips_error_buffer())
        vips_error_clear()
        let lines = words.split(separator: "\n").map { $0.trimmed() }.filter { !$0.isEmpty }
        // It repeats itself when a picture is read in several steps.
        var told: [String] = []
        for line in lines where !told.contains(line) { told.append(line) }
        let detail = told.prefix(3).joined(separator: "; ").prefix(300)
        let kind: RenderFault.Kind = detail.contains("out of memory") ? .tooLarge : .corrupt
        return RenderFault(kind, detail.isEmpty ? "it can't be decoded" : String(detail))
    }

    /// Has libraries load what they load when they are first used: fonts and their settings.
    private static func warmUp() throws(RenderFault) {
        let document = Array(
            #"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text y="8">a</text></svg>"#.utf8)
        _ = try document.withUnsafeBufferPointer { (bytes) throws(RenderFault) in
            let source = try PictureSource(UnsafeRawBufferPointer(bytes))
            return try Picture(thumbnailOf: source, size: 8, isVector: true, hasProfile: true).encode(
                .webp, quality: 50
            ).bytes.count
        }
    }
}

extension Substring {
    fileprivate func trimmed() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
