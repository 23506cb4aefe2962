package import Files
import FoundationEssentials
import HTTP
import System

/// What the list promises of an item's bytes, and the header fields it wants sent. The catalog keeps it as JSON.
package struct ExpectedContent: Sendable, Hashable {
    package var size: Int64?
    package var sha256: SHA256Digest?
    package var headers: [ListedHeader] = []

    package init() {}

    /// - Parameter size: as the list has it; at most ``largestWholeNumber`` is promised.
    package init(size: Int64?, sha256: SHA256Digest?, headers: [ListedHeader]) {
        self.size = size.map { min($0, largestWholeNumber) }
        self.sha256 = sha256
        self.headers = headers
    }

    package var isEmpty: Bool { size == nil && sha256 == nil && headers.isEmpty }

    /// Why what a list promises of an item can't be kept to; nil where it can. A promise that is passed over would have any
    /// bytes taken for the right ones.
    package static func complaint(about item: ListedItem) -> String? {
        if let size = item.size, size < 0 { return "its size \(size) is negative" }
        if let digest = item.sha256, SHA256Digest(hex: digest) == nil {
            return "its sha256 is not of 64 hexadecimal digits"
        }
        return nil
    }

    package func agrees(with file: StoredFile) -> Bool {
        (size ?? file.size) == file.size && (sha256 ?? file.sha256) == file.sha256
    }
}

extension ExpectedContent {
    private struct Stored: Codable {
        var size: Int64?
        var sha256: String?
        var headers: [[String]]?
    }

    /// The JSON text; secrets in header values are hidden by the caller's function.
    package func text(hiding hide: (String) -> String) -> String? {
        let stored = Stored(
            size: size, sha256: sha256?.hex,
            headers: headers.isEmpty ? nil : headers.map { [$0.name, hide($0.value)] })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(stored)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// nil when the text is not one that ``text(hiding:)`` wrote.
    package init?(text: String) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(text.utf8)) else { return nil }
        self.init(
            size: stored.size, sha256: stored.sha256.flatMap(SHA256Digest.init(hex:)),
            headers: (stored.headers ?? []).compactMap { pair in
                pair.count == 2 ? ListedHeader(name: pair[0], value: pair[1]) : nil
            })
    }
}
