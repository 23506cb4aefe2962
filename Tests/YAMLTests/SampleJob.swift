import YAML

/// A small job, decoded by tables as the program's own is.
struct SampleJob: YAMLRecord, Equatable {
    enum Refresh: String, YAMLEnum {
        case changed, always, never
    }

    struct Transfer: YAMLRecord, Equatable {
        var concurrency = 16
        var bandwidth: Int?
        var ratio = 1.0
        var headers = OrderedMap<String>()

        static let fields = FieldTable<Transfer>([
            .optional("concurrency", \.concurrency, default: "16", help: "items in flight") {
                (1...1024).contains($0) ? nil : "must be 1 to 1024"
            },
            .optional("bandwidth", \.bandwidth, help: "bytes a second of the whole run", example: "1000000"),
            .optional("ratio", \.ratio, default: "1.0", help: "a number"),
            .optional("headers", \.headers, default: nil, help: "sent with each request"),
        ])
    }

    struct Pin: YAMLRecord, Equatable {
        var name = ""
        var latitude = 0.0

        static let fields = FieldTable<Pin>([
            .required("name", \.name, help: "what the pin is called"),
            .optional("latitude", \.latitude, default: "0", help: "degrees north"),
        ])
    }

    var name = ""
    var path: String?
    var exclude: [String] = []
    var expect = OneOrMany<String>([])
    var refresh = Refresh.changed
    var durable = true
    var transfer = Transfer()
    var pins: [Pin] = []

    static let fields = FieldTable<SampleJob>([
        .required("name", \.name, help: "names the job", example: "flags"),
        .optional("path", \.path, help: "where a file goes", example: "\"{title}.{extension}\""),
        .optional("exclude", \.exclude, default: "[]", help: "what to leave out"),
        .optional("expect", \.expect, default: nil, help: "what a file must be"),
        .optional("refresh", \.refresh, default: "changed", help: "when to ask again"),
        .optional("durable", \.durable, default: "true", help: "whether to flush"),
        .optional("transfer", \.transfer, default: nil, help: "how to download"),
        .optional("pins", \.pins, default: nil, help: "points on the map"),
    ])
}

/// What a user sees of `text` in a file `job.yaml`: the faults as they are printed.
func faults(
    in text: String, set flags: [String] = [], environment: [String: String] = [:], limits: YAMLLimits = YAMLLimits()
) -> [String] {
    faults(in: Array(text.utf8), set: flags, environment: environment, limits: limits)
}

/// What a user sees of a file `job.yaml` with these bytes.
func faults(
    in bytes: [UInt8], set flags: [String] = [], environment: [String: String] = [:], limits: YAMLLimits = YAMLLimits()
) -> [String] {
    read(bytes, set: flags, environment: environment, limits: limits).diagnostics.sorted().map(\.description)
}

/// The job in `text`, or nil with its faults recorded as the test's.
func job(in text: String, set flags: [String] = [], environment: [String: String] = [:]) throws -> SampleJob {
    let result = read(Array(text.utf8), set: flags, environment: environment)
    guard let job = result.jobs.first, result.diagnostics.isEmpty else { throw Faults(all: result.diagnostics) }
    return job
}

/// Why a job that a test counts on is none.
struct Faults: Error, CustomStringConvertible {
    let all: [Diagnostic]
    var description: String { all.map(\.description).joined(separator: "\n") }
}

/// The way from bytes to jobs that the program goes: parse, flags, variables, decode.
func read(
    _ bytes: [UInt8], set flags: [String] = [], environment: [String: String] = [:], limits: YAMLLimits = YAMLLimits()
) -> (jobs: [SampleJob], diagnostics: [Diagnostic]) {
    var diagnostics: [Diagnostic] = []
    let source = YAMLSource(name: "job.yaml", bytes: bytes)
    let documents = YAMLParser.documents(in: source, limits: limits, diagnostics: &diagnostics)
    let overrides = flags.compactMap { Override(parsing: $0, diagnostics: &diagnostics) }
    var jobs: [SampleJob] = []
    for document in documents {
        var root = overrides.reduce(document) { $1.apply(to: $0, diagnostics: &diagnostics) }
        var used: [Variable] = []
        root = expandVariables(in: root, environment: environment, used: &used, diagnostics: &diagnostics)
        var context = DecodingContext(diagnostics: diagnostics)
        if let job = SampleJob.decode(root, &context) { jobs.append(job) }
        diagnostics = context.diagnostics
    }
    return (jobs, diagnostics)
}
