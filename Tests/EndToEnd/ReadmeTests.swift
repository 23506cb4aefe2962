import Foundation
import TestSupport
import Testing

/// The first job of README.md, done as a reader would: the files that it shows are written, the commands of its session
/// are run, and what they print is what it shows, but for figures.
@Suite("End to end: README.md", .wholeProgramLimit)
struct ReadmeTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../README.md").standardizedFileURL

    @Test("the first job works as it is shown")
    func firstJob() throws {
        let workplace = try Workplace()
        var text = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        for name in ["urls.txt", "urls.yaml"] {
            let block = try #require(Self.block(after: "<!-- file: \(name) -->", in: text))
            try workplace.directory.write(String(text[block]), to: name)
        }
        // The site that the list names is one on this machine.
        let site = try TemporaryDirectory()
        for (index, name) in ["de", "vn"].enumerated() {
            try site.write(PictureFile.png(Array(repeating: UInt8(index), count: 300)), to: "w320/\(name).png")
        }
        var options = NginxServer.Options(root: site.path)
        let certificate = try TestCertificate(in: workplace.directory, host: "flagcdn.com")
        options.certificate = certificate
        let server = try NginxServer(options)
        let flags = [
            "--set", "transfer.connect_to={\"flagcdn.com:443\": \"127.0.0.1:\(server.port)\"}",
            "--set", "transfer.ca_file=\(certificate.authority)",
        ]

        let block = try #require(Self.block(after: "<!-- session -->", in: text))
        var printed = ""
        for line in text[block].split(separator: "\n") where line.hasPrefix("$ runner ") {
            let words = line.dropFirst("$ runner ".count).split(separator: " ").map(String.init)
            // A reader's catalog is where it is without a word, and has not heard of this site on this machine.
            let result = try workplace.run(
                words + (words[0].hasSuffix(".yaml") ? flags : []), with: .runner, environment: ["RUNNER_DATABASE": ""])
            let output = (result.errors + result.output).replacing(workplace.directory.path, with: "/home/you")
                .replacing(#/\ --set\ ('[^']*'|[^\ ]+)/#, with: "")
            printed += "\(line)\n\(output)"
        }
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            text.replaceSubrange(block, with: printed)
            try Data(text.utf8).write(to: Self.file)
            return
        }
        #expect(Self.shapes(printed) == Self.shapes(String(text[block])), "UPDATE_GOLDEN=1 writes what is printed")
    }

    /// What is between the lines of three backticks behind a comment.
    private static func block(after comment: String, in text: String) -> Range<String.Index>? {
        guard let start = text.range(of: comment + "\n```"),
            let begin = text.range(of: "\n", range: start.upperBound..<text.endIndex),
            let end = text.range(of: "```", range: begin.upperBound..<text.endIndex)
        else { return nil }
        return begin.upperBound..<end.lowerBound
    }

    /// The lines with figures, their units and their spacing taken out, sorted; without the bars of histograms, of which
    /// there are more or fewer.
    private static func shapes(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.contains(" –  ") }.map { line in
            line.replacing(/[0-9][0-9.:+-]*( (B|kB|MB|s|ms|µs)\b)?/, with: "#").split(separator: " ").joined(
                separator: " ")
        }.sorted()
    }
}
