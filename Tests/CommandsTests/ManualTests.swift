import Jobs
import Model
import SourceKit
import TestSupport
import Testing
import YAML

@testable import Commands

@Suite("Manual", .timeLimit(.minutes(1)))
struct ManualTests {
    private func text(_ page: ManualPage) -> String { page.text(registry: ContractTables.registry) }

    /// The terms of a section, as they are read.
    private func terms(_ page: ManualPage, in section: String) -> [String] {
        let sections = text(page).components(of: ".SH ")
        let lines = sections.first { $0.hasPrefix("\"\(section)\"") }?.split(separator: "\n") ?? []
        return lines.indices.dropFirst().filter { lines[$0 - 1] == ".TP" }.map { index in
            String(lines[index]).replacing("\\-", with: "-").replacing("\\fB", with: "").replacing("\\fP", with: "")
                .replacing("\\&", with: "").replacing("\\(aq", with: "'")
        }
    }

    @Test("no style checker has anything to say", arguments: ManualPage.allCases)
    func lint(page: ManualPage) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text(page), to: "\(page.rawValue).\(page.section)")
        let result = try RunningProgram(
            ["mandoc", "-T", "lint", "-W", "style", file], environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"],
            directory: directory.path
        ).wait()
        #expect(result.ending == .exit(0))
        #expect(result.output + result.errors == "")
    }

    @Test("every flag of the help is in the page, and the page has no other")
    func flags() {
        let pages = Command.allCases.map { HelpText.page(of: $0) }
        let helped = pages.flatMap { $0.split(separator: "\n") }.compactMap { line -> String? in
            let words = line.split(separator: " ")
            guard line.hasPrefix("  -") || line.hasPrefix("      --") else { return nil }
            return words.joined(separator: " ")
        }
        #expect(Set(helped) == Set(terms(.program, in: "OPTIONS")))
        #expect(Set(helped).count == FlagTable.all.count)
    }

    @Test("every command, exit code and example is in the page")
    func commands() {
        let page = text(.program).replacing("\\-", with: "-")
        for command in Command.allCases {
            #expect(page.contains(".SS \"\(command.usage)\"\n"))
            #expect(terms(.program, in: "EXIT STATUS").contains(command.exits[0].code))
        }
    }

    @Test("every key of a job file and every option of every source is in its page, with type and default")
    func keys() {
        func paths(_ fields: [FieldDocumentation], _ prefix: String) -> [String] {
            fields.flatMap { field in
                let below = field.type == "mapping" || field.fields.isEmpty ? "" : "[]"
                return ["\(prefix)\(field.name) (\(field.facts))"]
                    + paths(field.fields, "\(prefix)\(field.name)\(below).")
            }
        }
        #expect(terms(.job, in: "KEYS") == paths(JobDocument.fields.documentation, ""))
        let sources = ContractTables.registry.modules.flatMap { module in
            paths(module.options, "source.") + module.templateFields.map { "{\($0.name)}" }
        }
        #expect(terms(.job, in: "SOURCES") == sources)
    }

    @Test("texts that roff would take for something else come out as they are")
    func escaping() throws {
        var page = Roff(title: "x", section: 1, date: "2026-01-01", origin: "a \"b\"", volume: "v")
        page.section("Name")
        page.paragraph("x - .dots 'quotes' back\\slash ~tilde^ `--bold`")
        page.example(".first\n'second")
        let directory = try TemporaryDirectory()
        let file = try directory.write(page.source, to: "x.1")
        let result = try RunningProgram(
            ["mandoc", "-T", "ascii", file], environment: ["PATH": "/usr/bin:/bin"], directory: directory.path
        ).wait()
        // Bold is each letter twice, with a backspace between.
        let text = result.output.replacing(/(.)\u{8}\1/) { $0.1 }
        #expect(text.contains("x - .dots 'quotes' back\\slash ~tilde^ --bold\n"))
        #expect(text.contains("    .first\n") && text.contains("    'second\n"))
    }

    @Test("man prints the page, and names those there are when asked for another")
    func command() async throws {
        let line = try TestCommandLine()
        #expect(try await line.run(["man"]).output.hasPrefix(".TH \"RUNNER\" 1 "))
        #expect(try await line.run(["man", "runner-job"]).output.hasPrefix(".TH \"RUNNER\\-JOB\" 5 "))
        let outcome = try await line.run(["man", "job"])
        #expect(outcome.code == .usage)
        #expect(outcome.errors.hasPrefix("runner: there is no page 'job'; there are runner and runner-job\n"))
    }
}

extension String {
    fileprivate func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: true).map(String.init)
    }
}
