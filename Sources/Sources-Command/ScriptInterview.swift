import JSON
import Model
import SourceKit
import YAML

/// A script that is asked what it is, and whether it can work with its options. It lists nothing then, and the network is
/// not asked for it.
///
/// Every call waits on the calling thread; a script that is silent for ten seconds has failed.
struct ScriptInterview {
    private let process: ScriptProcess
    private let name: String
    private var lines: ArraySlice<[UInt8]> = []

    /// Microseconds.
    static let patience: Int64 = 10_000_000
    /// How long a script may take to end that was asked to, and then one that got SIGTERM. Microseconds.
    private static let endTime: Int64 = 500_000

    init(_ launch: ScriptProcess.Launch, name: String) {
        var launch = launch
        launch.idleTimeout = min(launch.idleTimeout, Self.patience)
        launch.endTime = Self.endTime
        launch.terminationTime = Self.endTime
        self.name = name
        process = ScriptProcess(launch)
    }

    /// What the script says of itself, which is the first that it writes.
    mutating func spec() throws(ScriptError) -> ScriptSpec {
        process.send(ScriptCall.spec.line)
        switch try next() {
        case .spec(let spec): return spec
        case .error(let fault): throw ScriptError("\(name): \(fault.message)")
        default: throw ScriptError("\(name) does not begin with its spec")
        }
    }

    /// What the script has against its options, each with the option where it names one.
    mutating func problems(_ options: JSONValue) throws(ScriptError) -> [(at: String?, message: String)] {
        process.send(ScriptCall.check(options).line)
        var problems: [(at: String?, message: String)] = []
        while problems.count < 100 {
            switch try next() {
            case .problem(let option, let message): problems.append((option, message))
            case .done: return problems
            case .error(let fault): return problems + [(nil, ScriptMessage.shortened(fault.message))]
            case .request(let request):
                process.send(
                    FetchService.failure(request.id, "offline", "nothing is requested while a job file is checked").line
                )
            case .collection, .item: throw ScriptError("\(name) lists when it is asked to check its options")
            case .spec, .progress, .memory, .warning, .unreadable, .unknown: break
            }
        }
        return problems
    }

    /// Ends the script, which gets a moment for it, and waits until it is over.
    func end() {
        process.finish()
        while case .lines = process.awaitNext() {}
    }

    private mutating func next() throws(ScriptError) -> ScriptMessage {
        while true {
            if let line = lines.popFirst() { return try ScriptMessage(line) }
            switch process.awaitNext() {
            case .lines(let more): lines = more[...]
            case .ended(let end):
                throw ScriptError(
                    end.cause == .exited(0)
                        ? "\(name) ended without an answer\(end.lastWords)"
                        : end.words(for: name, idleTimeout: Self.patience))
            }
        }
    }
}

extension CommandOptions {
    /// Asks the script about itself, and reports what is wrong with `source.options`.
    ///
    /// - Returns: nil when it could not be asked, which is reported.
    @Sendable static func inspect(
        _ options: inout CommandOptions, _ source: Node, _ inspection: SourceInspection,
        _ context: inout DecodingContext
    ) -> SourceDescription? {
        let place = source["command"] ?? source
        do {
            let launch = try options.launch(in: inspection.folder, job: inspection.job)
            var interview = ScriptInterview(launch, name: options.command[0])
            defer { interview.end() }
            let spec = try interview.spec()
            let isSound = options.decode(source, by: spec, &context)
            if isSound, inspection.checksValues, spec.can("check") {
                for problem in try interview.problems(options.options) {
                    let node = problem.at.flatMap { source["options"]?[$0] } ?? source["options"] ?? place
                    let message = problem.at.map { "options.\($0): \(problem.message)" } ?? problem.message
                    context.error(message, at: node)
                }
            }
            return SourceDescription(spec)
        } catch {
            context.error(error.description, at: place)
            return nil
        }
    }

    /// - Returns: whether the options are what the script takes.
    private mutating func decode(_ source: Node, by spec: ScriptSpec, _ context: inout DecodingContext) -> Bool {
        guard let fields = spec.fields else { return true }
        var values: [String: JSONValue] = [:]
        let count = context.diagnostics.count
        let node = source["options"]
        context.within("options") { context in
            if let node {
                fields.decode(node, into: &values, &context)
            } else {
                for option in fields.documentation where option.isRequired {
                    context.error("the key '\(option.name)' is missing in \(context.place)", at: source)
                }
            }
        }
        options = spec.completed(.object(values))
        return context.diagnostics.count == count
    }
}

extension SourceDescription {
    init(_ spec: ScriptSpec) {
        self.init()
        templateFields = (spec.template ?? []).map { TemplateField(name: $0, help: "of the script \(spec.name)") }
        expects = spec.expect.map { $0.compactMap(Expectation.init(rawValue:)) }.flatMap { $0.isEmpty ? nil : $0 }
        secretOptions = (spec.options ?? []).filter { $0.secret == true }.map { "options.\($0.key)" }
    }
}
