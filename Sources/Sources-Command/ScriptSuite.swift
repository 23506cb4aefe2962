import JSON
package import Model
package import SourceKit
import System

/// The rules that a script must keep, tried one after another, as a source: its list is empty, and each rule is a warning
/// that begins with `ok`, `FAIL` or `skip`. What the script requests meanwhile is done as in a run.
package struct ScriptSuite: Source {
    /// The options are those of ``CommandSource``.
    package static let info = SourceInfo<CommandOptions>(
        type: CommandSource.info.type, summary: CommandSource.info.summary, path: CommandSource.info.path,
        expects: CommandSource.info.expects, defaults: CommandOptions(), fields: CommandOptions.fields,
        inspect: { _, _, _, _ in nil })

    private let options: CommandOptions
    private let context: SourceContext

    package init(options: CommandOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    package func pages() -> ScriptSuitePages {
        ScriptSuitePages(options: options, context: context)
    }
}

/// The lines of a suite: a page for each step.
package struct ScriptSuitePages: SourcePages {
    /// What a line begins with.
    private enum Mark: String {
        case passed = "ok"
        case failed = "FAIL"
        case skipped = "skip"
    }

    private var options: CommandOptions
    private let context: SourceContext
    private var lines: [String] = []
    private var step = 0
    private var spec: ScriptSpec?
    private var first: ScriptListing?

    fileprivate init(options: CommandOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    package mutating func next() async throws -> Page? {
        lines = []
        switch step {
        case 0: try await trySpec()
        case 1: try await tryCheck()
        case 2: try await tryList()
        case 3: try await tryAgain()
        case 4: try await tryEnd()
        case 5: try await tryMemory()
        default: return nil
        }
        step = lines.isEmpty ? .max : step + 1
        var page = Page()
        page.warnings = lines
        return lines.isEmpty ? nil : page
    }

    /// Notes whether a rule is kept.
    ///
    /// - Parameter faults: how it is not; the first are reported.
    private mutating func rule(_ text: String, _ faults: [String] = []) {
        guard let fault = faults.first else { return note(.passed, text) }
        note(.failed, "\(text): \(fault)\(faults.count > 1 ? " (and \(faults.count - 1) more)" : "")")
    }

    private mutating func note(_ mark: Mark, _ text: String) {
        let word = mark.rawValue
        lines.append(word + String(repeating: " ", count: 6 - word.count) + text)
    }

    private mutating func skip(_ text: String, _ reason: String) {
        note(.skipped, "\(text): \(reason)")
    }

    private func launch() throws(ScriptError) -> ScriptProcess.Launch {
        var launch = try options.launch(in: context.folder, job: context.job)
        launch.idleTimeout = min(launch.idleTimeout, 60_000_000)
        return launch
    }

    // MARK: The steps

    private mutating func trySpec() async throws {
        let launch = try launch()
        let text = "it says what it is within 10 s, in protocol \(ScriptSpec.protocolVersion)"
        let answers = await ScriptListing.answers(to: [.spec], launch, count: 1, context)
        guard case .message(.spec(let spec))? = answers.first else {
            return rule(text, [answers.first?.words ?? "it ended without an answer"])
        }
        self.spec = spec
        rule(text)
        rule(
            "every option has a type that is known, and help",
            (spec.options ?? []).compactMap { option in
                if option.help?.isEmpty != false { return "'\(option.key)' has no help" }
                let type = option.type ?? ""
                return ScriptSpec.OptionType(named: type) == nil ? "'\(option.key)' has the type '\(type)'" : nil
            })
        if case .object(let given) = options.options {
            let known = (spec.options ?? []).map(\.key)
            let missing = (spec.options ?? []).filter { $0.required == true && given[$0.key] == nil }
            rule(
                "the options that are given are those that it declares",
                missing.map { "'\($0.key)' is required: give it in the file of --options" }
                    + (spec.options == nil ? [] : given.keys.sorted().filter { !known.contains($0) }.map { "'\($0)'" }))
        }
        options.options = spec.completed(options.options)
        let refusal = "a request that it does not know is answered with an error of the kind unsupported"
        let others = await ScriptListing.answers(to: [.spec, .unknown], launch, count: 2, context)
        switch others.dropFirst().first {
        case .message(.error(let fault))?:
            rule(refusal, fault.kind == "unsupported" ? [] : ["its kind is '\(fault.kind)'"])
        case .message(.collection)?, .message(.item)?: skip(refusal, "it lists without being asked")
        case let other: rule(refusal, [other?.words ?? "there is no answer"])
        }
        rule("it ends when its standard input ends, within 10 s", await endsWithInput([.spec]))
    }

    private mutating func tryCheck() async throws {
        guard let spec else { return }
        let text = "it checks its options"
        guard spec.can("check") else { return skip(text, "check is none of its abilities") }
        let launch = try launch()
        let sound = await ScriptListing.answers(to: [.spec, .check(options.options)], launch, count: 2, context)
        switch sound.dropFirst().first {
        case .message(.done)?: rule(text)
        case .message(.problem(let option, let message))?: rule(text, ["\(option ?? ""): \(message)"])
        case let other: rule(text, [other?.words ?? "there is no answer"])
        }
        guard let option = spec.options?.first(where: { $0.required == true }),
            case .object(var values) = options.options
        else { return }
        values[option.key] = nil
        let faulty = await ScriptListing.answers(to: [.spec, .check(.object(values))], launch, count: 2, context)
        let place = "a problem names its option"
        if case .message(.problem(let named, _))? = faulty.dropFirst().first {
            rule(place, named == option.key ? [] : ["without '\(option.key)' it names '\(named ?? "")'"])
        } else {
            rule(place, ["there is none where '\(option.key)' is left out"])
        }
    }

    private mutating func tryList() async throws {
        guard spec != nil else { return }
        let listing = await ScriptListing.read(options, try launch(), memory: nil, context)
        first = listing
        rule("a list has only JSON messages on standard output, and ends with done and status 0", listing.faults)
        rule("the counts in done are those of what came", listing.countFaults)
        rule("every collection comes before its items", listing.orderFaults)
        if !listing.collectionFaults.isEmpty {
            rule("what is said of collections can be taken", listing.collectionFaults)
        }
        rule("keys are unique, and have 1 to 512 bytes", listing.keyFaults)
        rule("titles have at most 4096 bytes", listing.titleFaults)
        rule(
            "every item can be requested: an http or https URL, a size and a digest that are possible",
            listing.itemFaults)
        let declared = Set(spec?.template ?? [])
        rule(
            "items have the template fields that are declared",
            listing.fields.filter { $0.names != declared }.map { "'\($0.key)' has \($0.names.sorted())" })
        if !listing.requestFaults.isEmpty { rule("what it requests may be requested", listing.requestFaults) }
        let levels = ["E! ", "W! ", "I! ", "D! "]
        let plain = listing.words.filter { word in !levels.contains { word.hasPrefix($0) } }
        let text = "lines on standard error have a level (E! W! I! D!)"
        if listing.words.isEmpty {
            skip(text, "there are none")
        } else if plain.isEmpty {
            rule(text)
        } else {
            skip(text, "some have none, and are shown only when it fails")
        }
    }

    private mutating func tryAgain() async throws {
        guard let first, first.faults.isEmpty else { return }
        let second = await ScriptListing.read(options, try launch(), memory: nil, context, isSlow: true)
        let text = "a second list that is read slowly has the same keys in the same order"
        if first.keys == second.keys, second.faults.isEmpty { return rule(text) }
        let index = zip(first.keys, second.keys).enumerated().first { $1.0 != $1.1 }?.offset
        rule(
            text,
            second.faults
                + [
                    index.map { "number \($0 + 1) was '\(first.keys[$0])', then '\(second.keys[$0])'" }
                        ?? "\(first.keys.count) keys, then \(second.keys.count)"
                ])
    }

    private mutating func tryEnd() async throws {
        guard let first, first.faults.isEmpty else { return }
        rule(
            "while it lists it ends when its standard input ends, within 10 s",
            await endsWithInput([.spec, .list(options.options, memory: nil)]))
    }

    private mutating func tryMemory() async throws {
        guard let first, first.faults.isEmpty else { return }
        let text = "it lists with the memory that it wrote"
        guard let memory = first.memory else { return skip(text, "it wrote none") }
        let next = await ScriptListing.read(options, try launch(), memory: memory, context)
        rule(text, next.faults)
    }

    /// Why a script does not end by itself.
    private func endsWithInput(_ calls: [ScriptCall]) async -> [String] {
        guard var launch = try? launch() else { return [] }
        launch.terminationTime = 1_000_000
        let script = ScriptProcess(launch)
        for call in calls { script.send(call.line) }
        guard case .lines = await script.next() else { return [] }
        let begin = Monotonic.now()
        script.finish()
        while case .lines = await script.next() {}
        return Monotonic.now() - begin < launch.endTime ? [] : ["it had to be killed"]
    }
}
