import TestSupport
import Testing

/// The first job of README.md, done as a reader would: the files that it shows are written, the commands of its session
/// are run, and what they print is what it shows, but for figures.
@Suite("End to end: README.md", .wholeProgramLimit)
struct ReadmeTests {
    @Test("the first job works as it is shown")
    func firstJob() throws {
        let workplace = try Workplace()
        var readme = try ShownDocument("README.md")
        for name in ["urls.txt", "urls.yaml"] {
            try workplace.directory.write(try #require(readme.block("file: \(name)")), to: name)
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

        var printed = ""
        for words in readme.commands(ofSession: "urls") {
            // A reader's catalog is where it is without a word, and has not heard of this site on this machine.
            let result = try workplace.run(
                words + (words[0].hasSuffix(".yaml") ? flags : []), with: .runner, environment: ["RUNNER_DATABASE": ""])
            let output = (result.errors + result.output).replacing(workplace.directory.path, with: "/home/you")
                .replacing(#/\ --set\ ('[^']*'|[^\ ]+)/#, with: "")
            printed += "$ runner \(words.joined(separator: " "))\n\(output)"
        }
        let differences = try readme.differences(ofSession: "urls", printed: printed)
        #expect(differences == [], "UPDATE_GOLDEN=1 writes what is printed")
    }
}
