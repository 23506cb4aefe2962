import Foundation
import Testing

@testable import Commands

/// The command lines that README.md, the pages of docs and the example jobs show.
@Suite("Command lines in documents", .timeLimit(.minutes(1)))
struct DocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// Each with the file that shows it.
    private static let lines: [(file: String, words: [String])] = {
        let manager = FileManager.default
        let pages = (try? manager.contentsOfDirectory(atPath: root.appending(path: "docs").path())) ?? []
        let jobs = (try? manager.contentsOfDirectory(atPath: root.appending(path: "jobs").path())) ?? []
        let files =
            ["README.md"] + pages.map { "docs/\($0)" } + jobs.filter { $0.hasSuffix(".yaml") }.map { "jobs/\($0)" }
        return files.sorted().flatMap { file in
            let text = (try? String(contentsOf: root.appending(path: file), encoding: .utf8)) ?? ""
            return commandLines(text, isMarkdown: file.hasSuffix(".md")).map { (file, words($0)) }
        }
    }()

    /// The lines that begin with `runner`: in Markdown those of code blocks, else those of comments.
    private static func commandLines(_ text: String, isMarkdown: Bool) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            guard let command = line.firstMatch(of: /^(?:\$ |# +|.*\/bin\/)?(runner [^:]*.*)$/) else { return nil }
            return isMarkdown ? (isCode ? command.1 : nil) : (line.hasPrefix("#") ? command.1 : nil)
        }
    }

    /// The words of a shell's command line behind the program's name, up to a comment, a pipe or a redirection.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        scan: for character in line.dropFirst("runner ".count) {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                // Words behind two spaces explain the command.
                guard let done = word else { break scan }
                words.append(done)
                word = nil
            } else if word == nil, "#|>&;".contains(character) {
                break scan
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    @Test("there are many")
    func count() {
        #expect(Self.lines.count > 30)
        #expect(Set(Self.lines.map(\.file)).count > 5)
    }

    @Test("each is one that the program takes")
    func parsed() {
        let parser = ArgumentParser(fileExists: { _ in true })
        for line in Self.lines {
            do throws(UsageError) {
                _ = try parser.parse(line.words)
            } catch {
                Issue.record("\(line.file): runner \(line.words.joined(separator: " ")): \(error.message)")
            }
        }
    }
}
