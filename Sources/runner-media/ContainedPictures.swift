import Archive
import Glibc
import Media
import MediaProtocol

/// The pictures inside a ZIP file, and inside ZIP files in it.
struct ContainedPictures {
    enum Found {
        case picture(name: String, MediaType, bytes: [UInt8])
        /// An entry that can't be read; others may follow.
        case fault(RenderFault)
    }

    /// How deep ZIP files may be in each other; the outermost is 1.
    private static let deepest = 2
    /// Bytes of one entry. What is inside it is in memory, as many times as it is deep.
    private static let largest: Int64 = 64 << 20

    /// False for the first picture only.
    let takesAll: Bool
    /// A file in memory, which holds what is to be read through a descriptor: the one ZIP file inside another.
    let scratch: Int32

    /// Hands over pictures in the order of the directory.
    ///
    /// - Throws: a ``RenderFault`` of the whole file, and what `body` throws.
    func visit(_ descriptor: Int32, _ body: (Found) throws -> Void) throws {
        _ = try visit(descriptor, prefix: "", depth: 1, body)
    }

    /// - Returns: whether enough was found.
    private func visit(
        _ descriptor: Int32, prefix: String, depth: Int, _ body: (Found) throws -> Void
    ) throws -> Bool {
        var limits = ArchiveLimits()
        limits.entryBytes = Self.largest
        let archive: ZipArchive
        do {
            archive = try ZipArchive(descriptor: descriptor, limits: limits)
        } catch {
            throw RenderFault(Self.kind(of: error), "\(error)")
        }
        for entry in archive.entries where !entry.isFolder && !Self.isJunk(entry.name) {
            let name = prefix + entry.name
            do {
                guard let (type, bytes) = try read(entry, in: archive) else { continue }
                if type == .zip {
                    guard depth < Self.deepest else {
                        throw RenderFault(
                            .tooLarge, "'\(name)' is a ZIP file in more than \(Self.deepest - 1) other ZIP files")
                    }
                    if try visitNested(bytes, prefix: name + "/", depth: depth + 1, body) { return true }
                } else {
                    try body(.picture(name: name, type, bytes: bytes))
                    if !takesAll { return true }
                }
            } catch let error as ArchiveError {
                try body(.fault(RenderFault(Self.kind(of: error), prefix.isEmpty ? "\(error)" : "\(prefix): \(error)")))
            }
        }
        return false
    }

    private func visitNested(
        _ bytes: [UInt8], prefix: String, depth: Int, _ body: (Found) throws -> Void
    ) throws -> Bool {
        defer { _ = ftruncate(scratch, 0) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { pwrite(scratch, $0.baseAddress, $0.count, written) }
            guard count > 0 else { throw RenderFault(.tooLarge, "the ZIP file '\(prefix)' is too large") }
            written += count
        }
        return try visit(scratch, prefix: prefix, depth: depth, body)
    }

    /// The bytes of a picture or a ZIP file; nil for anything else, of which only the beginning is read.
    private func read(_ entry: ArchiveEntry, in archive: ZipArchive) throws -> (MediaType, [UInt8])? {
        // An entry that can't be read counts by its name.
        if let fault = entry.fault {
            guard let type = MediaType(name: entry.name), Self.isWanted(type) else { return nil }
            throw fault
        }
        try archive.begin(entry)
        var bytes: [UInt8] = []
        var type: MediaType?
        while let piece = try archive.next() {
            bytes += piece
            if type == nil {
                guard bytes.count >= min(MediaType.sniffLength, Int(entry.size)) else { continue }
                type = MediaType(sniffing: Array(bytes.prefix(MediaType.sniffLength)))
                guard let type, Self.isWanted(type) else { return nil }
                bytes.reserveCapacity(Int(entry.size))
            }
        }
        return type.map { ($0, bytes) }
    }

    private static func isWanted(_ type: MediaType) -> Bool { type == .zip || Renderer.isDecoded(type) }

    /// What systems put beside a person's files: resource forks, settings of folders.
    private static func isJunk(_ name: String) -> Bool {
        name.split { $0 == "/" || $0 == "\\" }.contains { $0.hasPrefix(".") || $0 == "__MACOSX" || $0 == "Thumbs.db" }
    }

    private static func kind(of error: ArchiveError) -> RenderFault.Kind {
        switch error.kind {
        case .tooManyEntries, .totalTooLarge, .entryTooLarge, .ratio: .tooLarge
        default: .corrupt
        }
    }
}
