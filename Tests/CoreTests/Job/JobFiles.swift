import TestSupport
import YAML

@testable import Jobs
@testable import Model
@testable import SourceKit

/// Loads job files that a test writes.
struct JobFiles {
    let directory: TemporaryDirectory
    var environment: [String: String] = [:]

    init(environment: [String: String] = [:]) throws {
        directory = try TemporaryDirectory()
        self.environment = environment
    }

    /// The head that every job needs.
    static let head = """
        name: letters
        source: {type: list, url: "https://example.org/{n}"}
        output: {directory: files}

        """

    /// Loads one file with this text, `job.yaml`.
    func load(_ text: String, set overrides: [String] = []) throws -> LoadedJobs {
        try load(["job.yaml": text], set: overrides)
    }

    /// Writes files and loads them in order of their names.
    func load(_ texts: [String: String], set overrides: [String] = []) throws -> LoadedJobs {
        for (name, text) in texts { try directory.write(text, to: name) }
        return loader.load(texts.keys.sorted().map { directory.path($0) }, overrides: overrides)
    }

    var loader: JobLoader {
        JobLoader(registry: SourceRegistry([SourceModule(LetterSource.self)]), environment: environment)
    }

    /// What is said of the faults, without the folder's path.
    func messages(_ loaded: LoadedJobs) -> [String] {
        loaded.diagnostics.map { $0.description.split(separator: "\(directory.path)/").joined() }
    }

    /// The same, the first line of each.
    func lines(_ loaded: LoadedJobs) -> [String] {
        messages(loaded).map { String($0.prefix { $0 != "\n" }) }
    }
}

/// A source with a few options of its own, which lists nothing.
struct LetterSource: Source {
    struct Options: Sendable {
        var url = ""
        var count = 26
    }

    static let info = SourceInfo<Options>(
        type: "list", summary: "letters", path: "{title} {letter}.{extension}", expects: [.image, .pdf],
        templateFields: [TemplateField(name: "letter", help: "the letter")], defaults: Options(),
        fields: FieldTable([
            .optional("url", \.url, default: "", help: "where from"),
            .optional("count", \.count, default: "26", help: "how many"),
        ]))

    let options: Options

    init(options: Options, context: SourceContext) { self.options = options }

    func pages() -> FixedPages { FixedPages([], failure: nil, gate: nil) }
}
