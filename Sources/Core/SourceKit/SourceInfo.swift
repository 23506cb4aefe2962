package import Model
package import YAML

/// What a source module says of itself: its name, its documentation and the one table of its options, which decodes,
/// documents and completes them.
package struct SourceInfo<Options: Sendable>: Sendable {
    /// The word after `type:` in a job file.
    package let type: String
    /// One line for `runner sources`.
    package let summary: String
    /// Paragraphs on what it reads, for `runner sources TYPE` and the manual.
    package let details: [String]
    /// The template of `output.path` unless the job file gives one.
    package let path: String
    /// What the bytes must be unless the job file's `expect` says otherwise.
    package let expects: [Expectation]
    /// The module's own fields for templates, beside the common ones.
    package let templateFields: [TemplateField]
    /// Names of options whose values are never shown or stored, even where the job file has them as they are.
    package let secretOptions: [String]
    /// Options that a new job file sets beside the required ones, by name, as YAML; a required one is its example otherwise.
    package let firstOptions: [String: String]
    /// Where the site sends those who ask for what it does not have any more.
    package let placeholders: [Placeholder]
    package let defaults: Options
    package let fields: FieldTable<Options>
    /// Files beside the job file that options name, by the names of the options.
    package let files: @Sendable (Options) -> [(option: String, path: String)]
    /// Whether it lists around the pins that people set on the page's map, too.
    package let takesPins: @Sendable (Options) -> Bool
    /// Checks that need more than one option, with the node of the whole `source:` mapping.
    package let validate: @Sendable (inout Options, Node, inout DecodingContext) -> Void

    /// Asks what only the options tell, and reports their faults; nil for a module that has said everything here. Nil as the
    /// answer where a fault was reported.
    package let inspect:
        (@Sendable (inout Options, Node, SourceInspection, inout DecodingContext) -> SourceDescription?)?

    package init(
        type: String, summary: String, details: [String] = [], path: String, expects: [Expectation],
        templateFields: [TemplateField] = [],
        secretOptions: [String] = [], firstOptions: [String: String] = [:], placeholders: [Placeholder] = [],
        defaults: Options,
        fields: FieldTable<Options>,
        files: @escaping @Sendable (Options) -> [(option: String, path: String)] = { _ in [] },
        takesPins: @escaping @Sendable (Options) -> Bool = { _ in false },
        validate: @escaping @Sendable (inout Options, Node, inout DecodingContext) -> Void = { _, _, _ in },
        inspect: (@Sendable (inout Options, Node, SourceInspection, inout DecodingContext) -> SourceDescription?)? = nil
    ) {
        self.type = type
        self.summary = summary
        self.details = details
        self.path = path
        self.expects = expects
        self.templateFields = templateFields
        self.secretOptions = secretOptions
        self.firstOptions = firstOptions
        self.placeholders = placeholders
        self.defaults = defaults
        self.fields = fields
        self.files = files
        self.takesPins = takesPins
        self.validate = validate
        self.inspect = inspect
    }
}
