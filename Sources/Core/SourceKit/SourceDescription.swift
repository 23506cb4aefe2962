package import Model

/// What a source with its options says of itself, beside what its module says: a script is asked.
package struct SourceDescription: Sendable {
    /// Its fields of path templates, beside the common ones.
    package var templateFields: [TemplateField] = []
    /// What the bytes must be unless the job file says otherwise; nil: what the module says.
    package var expects: [Expectation]?
    /// Dotted paths below `source` of values that are never shown or stored.
    package var secretOptions: [String] = []

    package init() {}
}

/// How much a source is asked about itself while a job file is read.
package enum SourceQuestions: Sendable {
    /// Nothing: whatever may be right is taken for right.
    case none
    /// What it is, and whether its options have the right keys and types.
    case description
    /// Also whether it can work with the values of its options.
    case everything
}

/// What a source is asked with. The answer may block the calling thread for some seconds.
package struct SourceInspection: Sendable {
    /// The folder of the job file, absolute.
    package let folder: String
    /// The job's name.
    package let job: String
    /// Whether the values of options are checked, too.
    package let checksValues: Bool

    package init(folder: String, job: String, checksValues: Bool) {
        self.folder = folder
        self.job = job
        self.checksValues = checksValues
    }
}
