/// Reads text as YAML 1.2 with the core schema, without merge keys and without tags of its own.
package enum YAMLParser {
    /// The documents of `source`. Faults go to `diagnostics`; after one that leaves no sense in what follows (syntax,
    /// a limit) only the documents before it are given. A source without a document is such a fault.
    package static func documents(
        in source: YAMLSource, limits: YAMLLimits = YAMLLimits(), diagnostics: inout [Diagnostic]
    ) -> [Node] {
        let result = read(source, limits: limits)
        for diagnostic in result.diagnostics { diagnostics.report(diagnostic) }
        if result.documents.isEmpty, result.isComplete {
            diagnostics.report(Diagnostic("no document", in: source, hint: "the text is empty or has comments only"))
        }
        return result.documents
    }

    struct Result {
        var documents: [Node] = []
        var diagnostics: [Diagnostic] = []
        /// Whether the text was read to its end.
        var isComplete = false
    }

    /// Reads as `documents` does; no document at all is no fault.
    static func read(_ source: YAMLSource, limits: YAMLLimits = YAMLLimits()) -> Result {
        if let fault = InputCheck.fault(in: source, limits: limits) {
            return Result(diagnostics: [fault])
        }
        var composer = Composer(source: source, limits: limits)
        return composer.compose()
    }
}
