import Foundation
import Jobs
import SourceKit
import Testing
import YAML

@testable import Commands

@Suite("runner init", .timeLimit(.minutes(1)))
struct InitTests {
    private let line: TestCommandLine

    init() throws {
        line = try TestCommandLine()
    }

    /// The faults of a job file with this text.
    private func faults(_ text: String) throws -> [String] {
        let file = try line.file("changed.yaml", text)
        let loader = JobLoader(registry: ContractTables.registry, environment: ["FLICKR_API_KEY": "k"])
        return loader.load([file]).diagnostics.map(\.description)
    }

    /// Writes a job file of that source; its text.
    private func text(of source: String, to name: String = "job.yaml") async throws -> String {
        let outcome = try await line.run(["init", source, line.path(name)])
        #expect(outcome.code == .success)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("wrote FOLDER/\(name); next: runner check FOLDER/\(name)"))
        return try String(contentsOf: line.folder.appending(path: name), encoding: .utf8)
    }

    @Test("check accepts the job file of every source", arguments: ContractTables.registry.modules.map(\.type))
    func sound(source: String) async throws {
        #expect(try faults(try await text(of: source)) == [])
    }

    @Test(
        "each key that is commented out may be put in as it stands",
        arguments: ContractTables.registry.modules.map(\.type))
    func everyKey(source: String) async throws {
        let lines = try await text(of: source).split(separator: "\n", omittingEmptySubsequences: false)
        let keys = lines.indices.filter { lines[$0].contains(#/^ *#[a-z_]+: /#) }
        #expect(keys.count > 20)
        for key in keys {
            var lines = lines
            lines[key] = Substring(lines[key].replacing("#", with: "", maxReplacements: 1))
            #expect(try faults(lines.joined(separator: "\n")) == [])
        }
    }

    @Test("a list of URLs becomes a job that takes any type of file")
    func list() async throws {
        let list = try line.file("my+urls.txt", "https://example.org/a.mp4\n")
        let text = try await text(of: list)
        #expect(text.contains("name: my-urls\n"))
        #expect(text.contains("  type: manifest\n"))
        #expect(text.contains("  url: '\(list)'\n"))
        #expect(text.contains("\nexpect: any\n"))
        #expect(try faults(text) == [])
    }

    @Test("the URL of a list may have quotes and what looks like a variable in it")
    func hostileURL() async throws {
        let text = try await text(of: "https://example.org/it's/${HOME}.json?a=1#b")
        #expect(text.contains("  url: 'https://example.org/it''s/$${HOME}.json?a=1#b'\n"))
        #expect(try faults(text) == [])
    }

    @Test("a file that is there is never replaced")
    func existing() async throws {
        let file = try line.file("job.yaml", "mine\n")
        let outcome = try await line.run(["init", "flags", file])
        #expect(
            outcome
                == .init(
                    code: .failed, output: "",
                    errors: "runner: FOLDER/job.yaml already exists; give another name: runner init SOURCE FILE\n"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: line.folder.path()) == ["job.yaml"])
    }

    @Test("what is no source and no file is answered with the source that was meant")
    func unknown() async throws {
        let outcome = try await line.run(["init", "flag"])
        #expect(outcome.code == .usage)
        #expect(outcome.errors.hasPrefix("runner: there is no source and no file 'flag'; did you mean 'flags'?\n"))
    }
}
