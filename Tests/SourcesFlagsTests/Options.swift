import SourceKit
import YAML

@testable import SourcesFlags

/// What the module's table makes of the `source:` mapping of a job file, and the faults it finds.
func decode(_ yaml: String) -> (options: FlagsOptions, diagnostics: [Diagnostic]) {
    var options = FlagsSource.info.defaults
    var diagnostics: [Diagnostic] = []
    let source = YAMLSource(name: "flags.yaml", bytes: Array(yaml.utf8))
    let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
    var context = DecodingContext(place: "source", diagnostics: diagnostics)
    for document in documents {
        FlagsSource.info.fields.decode(document, into: &options, passing: ["type"], &context)
        FlagsSource.info.validate(&options, document, &context)
    }
    return (options, context.diagnostics)
}

/// The options of a `source:` mapping that has no fault.
func options(_ yaml: String) throws -> FlagsOptions {
    let (options, diagnostics) = decode(yaml)
    if let first = diagnostics.first { throw first }
    return options
}

/// The source of a `source:` mapping that has no fault. It fails if it asks the network for anything.
func makeSource(_ yaml: String) throws -> FlagsSource {
    let context = SourceContext(folder: "/jobs", now: { 0 }) { _, _, _ in throw UnexpectedRequest() }
    return try FlagsSource(options: options(yaml), context: context)
}

private struct UnexpectedRequest: Error {}
