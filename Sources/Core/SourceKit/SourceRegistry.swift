package import Model
package import YAML

/// The source modules a program offers, by type name.
package struct SourceRegistry: Sendable {
    package let modules: [SourceModule]

    package init(_ modules: [SourceModule]) {
        self.modules = modules
    }

    package subscript(type: String) -> SourceModule? {
        modules.first { $0.type == type }
    }
}

/// A source module with its types erased, so that different ones fit in one list.
package struct SourceModule: Sendable {
    package let type: String
    package let summary: String
    /// Paragraphs on what it reads.
    package let details: [String]
    package let path: String
    package let expects: [Expectation]
    package let templateFields: [TemplateField]
    /// The options as documentation, in the order of the module's table.
    package let options: [FieldDocumentation]
    /// Names of options whose values are never shown or stored.
    package let secretOptions: [String]
    /// Values of options with which a new job file begins, by name, as YAML.
    package let firstOptions: [String: String]
    /// Whether only its options tell its template fields.
    package let isDescribedByOptions: Bool
    /// Decodes a `source:` mapping; with an inspection the source is asked about itself, too.
    package let decode: @Sendable (Node, SourceInspection?, inout DecodingContext) -> SourcePlan

    package init<S: Source>(_ source: S.Type) {
        let info = S.info
        type = info.type
        summary = info.summary
        details = info.details
        path = info.path
        expects = info.expects
        templateFields = info.templateFields
        options = info.fields.documentation
        secretOptions = info.secretOptions
        let required = info.fields.documentation.filter(\.isRequired).compactMap { field in
            field.example.map { (field.name, $0) }
        }
        firstOptions = Dictionary(uniqueKeysWithValues: required).merging(info.firstOptions) { $1 }
        isDescribedByOptions = info.inspect != nil
        decode = { node, inspection, context in
            var options = info.defaults
            // Read by the job's own table; the module's table starts after it.
            info.fields.decode(node, into: &options, passing: ["type"], &context)
            info.validate(&options, node, &context)
            var description: SourceDescription?
            if let inspection, let inspect = info.inspect, !context.hasErrors {
                description = inspect(&options, node, inspection, &context)
            }
            let decoded = options
            var plan = SourcePlan(type: info.type, placeholders: info.placeholders, files: info.files(decoded)) {
                context in
                AnySourcePages(try S(options: decoded, context: context).pages())
            }
            plan.description = description
            plan.takesPins = info.takesPins(decoded)
            return plan
        }
    }
}

/// A decoded `source:` mapping: ready to list, again and again.
package struct SourcePlan: Sendable {
    package let type: String
    /// An item that ends at one of these is unavailable.
    package var placeholders: [Placeholder] = []
    /// Files that it reads, absolute or from the job file's folder, by the names of their options.
    package var files: [(option: String, path: String)] = []
    /// Whether it lists around the pins of the job that are in the catalog.
    package var takesPins = false
    /// What the source says of itself, where it was asked.
    package var description: SourceDescription?
    let makePages: @Sendable (SourceContext) throws -> AnySourcePages

    /// Begins a listing.
    ///
    /// - Throws: what the module's initializer throws.
    package func pages(in context: SourceContext) throws -> AnySourcePages {
        try makePages(context)
    }
}

/// Pages of a source whose type is erased.
package struct AnySourcePages: SourcePages {
    private var pages: any SourcePages

    init(_ pages: any SourcePages) {
        self.pages = pages
    }

    package mutating func next() async throws -> Page? {
        try await pages.next()
    }
}
