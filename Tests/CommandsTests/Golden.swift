import Foundation
import Testing

/// Compares a text with a file beside the tests. With `UPDATE_GOLDEN=1` in the environment the file is written instead,
/// to be read in review.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected, "\(name) differs; UPDATE_GOLDEN=1 rewrites it", sourceLocation: sourceLocation)
}
