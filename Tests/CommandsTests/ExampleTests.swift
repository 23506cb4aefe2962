import Jobs
import SourceKit
import Testing
import YAML

@testable import Commands

/// What the tables tell people to write is put into a job file and read.
@Suite("Examples of the tables", .timeLimit(.minutes(1)))
struct ExampleTests {
    /// Lines of a mapping with every example; what has keys below it and no example of its own has theirs.
    private func lines(_ fields: [FieldDocumentation], _ indent: String = "") -> [String] {
        fields.flatMap { field -> [String] in
            if field.type == "mapping", !field.fields.isEmpty, field.name != "source" {
                return ["\(indent)\(field.name):"] + lines(field.fields, indent + "  ")
            }
            return field.example.map { ["\(indent)\(field.name): \($0)"] } ?? []
        }
    }

    @Test("all of them together make a sound job", arguments: ContractTables.registry.modules.map(\.type))
    func sound(type: String) throws {
        let module = try #require(ContractTables.registry[type])
        var text = lines(JobDocument.fields.documentation.filter { $0.name != "source" })
        text += ["source:", "  type: \(type)"] + lines(module.options, "  ")
        let line = try TestCommandLine()
        let file = try line.file("job.yaml", text.joined(separator: "\n") + "\n")
        let loader = JobLoader(registry: ContractTables.registry, environment: ["FLICKR_API_KEY": "k"])
        #expect(loader.load([file]).diagnostics.map(\.description) == [])
        withExtendedLifetime(line) {}
    }

    @Test("a key tells an example, or a default that may be written")
    func complete() {
        func untold(_ fields: [FieldDocumentation], _ prefix: String) -> [String] {
            fields.flatMap { field in
                (field.example == nil && field.default == nil && field.fields.isEmpty ? ["\(prefix)\(field.name)"] : [])
                    + untold(field.fields, "\(prefix)\(field.name).")
            }
        }
        #expect(untold(JobDocument.fields.documentation, "") == [])
        for module in ContractTables.registry.modules { #expect(untold(module.options, "source.") == []) }
    }
}
