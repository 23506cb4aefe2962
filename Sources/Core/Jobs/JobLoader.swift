import Files
import Glibc
import HTTP
import Model
package import SourceKit
import System
package import YAML

/// Reads job files into checked jobs, with every fault of all of them.
package struct JobLoader: Sendable {
    package let registry: SourceRegistry
    package let environment: [String: String]

    package init(registry: SourceRegistry, environment: [String: String]) {
        self.registry = registry
        self.environment = environment
    }

    /// Loads job files, and the `*.yaml` files of folders.
    ///
    /// - Parameters:
    ///   - overrides: `KEY=VALUE` of each `--set`, for every job.
    ///   - looksForFiles: whether a file that a source is to read must be there now.
    ///   - questions: what sources that are scripts are asked; it blocks the calling thread while they answer.
    /// - Returns: the jobs that are sound, and the faults of the others.
    package func load(
        _ paths: [String], overrides: [String] = [], looksForFiles: Bool = false, questions: SourceQuestions = .none
    ) -> LoadedJobs {
        var diagnostics: [Diagnostic] = []
        let overrides = overrides.compactMap { Override(parsing: $0, diagnostics: &diagnostics) }
        diagnostics = diagnostics.map(JobSecrets.withoutSuspects(registry))
        var jobs: [Job] = []
        var names: [String: String] = [:]
        var places: [(place: DirectoryPlace, job: String, file: String)] = []
        for path in paths.flatMap({ files(at: $0, &diagnostics) }) {
            for (document, source) in documents(of: path, &diagnostics) {
                guard let job = decode(document, file: path, overrides, questions, &diagnostics) else { continue }
                func report(_ message: String, at node: Node?, hint: String) {
                    let mark = node?.mark ?? document.mark
                    diagnostics.append(Diagnostic(message, at: mark, in: node?.source ?? source, hint: hint))
                }
                let count = diagnostics.count
                if let other = names.updateValue(path, forKey: job.name) {
                    report(
                        "the name '\(job.name)' is taken \(other == path ? "in this file" : "by \(other)") already",
                        at: document["name"], hint: "each job needs a name of its own")
                }
                let place = DirectoryPlace(job.output.directory)
                let node = document["output"]?["directory"]
                let hint = "an output directory belongs to one job"
                for other in places {
                    let owner = "the job '\(other.job)' in \(other.file == path ? "this file" : other.file)"
                    if place.isSame(as: other.place) {
                        report("the output directory of '\(job.name)' is that of \(owner)", at: node, hint: hint)
                    } else if place.isPrivate(in: other.place) {
                        report(
                            "the output directory of '\(job.name)' lies in the folder .runner of \(owner)", at: node,
                            hint: hint)
                    } else if other.place.isPrivate(in: place) {
                        report(
                            "the output directory of \(owner) lies in the folder .runner of '\(job.name)'", at: node,
                            hint: hint)
                    }
                }
                if looksForFiles { diagnostics += missingFiles(of: job, document, source) }
                guard diagnostics.count == count else { continue }
                places.append((place, job.name, path))
                jobs.append(job)
            }
        }
        return LoadedJobs(jobs: jobs, diagnostics: diagnostics)
    }

    /// Loads one job from the text of its file, which need not be there.
    ///
    /// - Parameter path: of the file, absolute; relative paths in it start at its folder.
    package func load(_ text: [UInt8], ofFile path: String, overrides: [String]) -> LoadedJobs {
        var diagnostics: [Diagnostic] = []
        let overrides = overrides.compactMap { Override(parsing: $0, diagnostics: &diagnostics) }
        let source = YAMLSource(name: path, bytes: text)
        let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
        diagnostics = diagnostics.map(JobSecrets.withoutSuspects(registry))
        let jobs = documents.compactMap { decode($0, file: path, overrides, .none, &diagnostics) }
        return LoadedJobs(jobs: jobs, diagnostics: diagnostics)
    }

    /// The text of a job file; nil where it can't be read.
    package func text(of path: String) -> [UInt8]? { try? read(path) }

    // MARK: Files

    private func files(at path: String, _ diagnostics: inout [Diagnostic]) -> [String] {
        var information = stat()
        guard stat(path, &information) == 0 else {
            let reason = String(cString: strerror(errno))
            diagnostics.append(missing(path, "can't be read: \(reason)", hint: similar(to: path)))
            return []
        }
        guard information.st_mode & S_IFMT == S_IFDIR else { return [path] }
        guard let names = jobFiles(in: path) else {
            diagnostics.append(missing(path, "can't be read: \(String(cString: strerror(errno)))"))
            return []
        }
        func full(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
        for name in jobFiles(in: path, suffix: ".yml") ?? [] {
            diagnostics.append(
                Diagnostic(
                    "is not read: of a folder only the *.yaml files are", severity: .warning,
                    in: YAMLSource(name: full(name), bytes: []), hint: "name it *.yaml, or give it by itself"))
        }
        if names.isEmpty { diagnostics.append(missing(path, "is a folder without *.yaml files")) }
        return names.map(full)
    }

    /// The job file beside a missing one that was most likely meant.
    private func similar(to path: String) -> String? {
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let folder = path[..<start]
        let names = jobFiles(in: folder.isEmpty ? "." : String(folder)) ?? []
        return closestMatch(to: String(path[start...]), in: names).map { "did you mean '\(folder)\($0)'?" }
    }

    /// The names of the `*.yaml` files in a folder, sorted; nil where it can't be read, for the reason in `errno`.
    private func jobFiles(in path: String, suffix: String = ".yaml") -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // The name is a tuple of bytes that ends with a zero, as readdir(3) gives it.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func missing(_ path: String, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(message, in: YAMLSource(name: path, bytes: []), hint: hint)
    }

    private func documents(
        of path: String, _ diagnostics: inout [Diagnostic]
    ) -> [(node: Node, source: YAMLSource)] {
        let bytes: [UInt8]
        do throws(SystemCallFailure) {
            bytes = try read(path)
        } catch {
            diagnostics.append(missing(path, "can't be read: \(error.reason)"))
            return []
        }
        let source = YAMLSource(name: path, bytes: bytes)
        var faults: [Diagnostic] = []
        let documents = YAMLParser.documents(in: source, diagnostics: &faults)
        diagnostics += faults.map(JobSecrets.withoutSuspects(registry))
        return documents.map { ($0, source) }
    }

    private func read(_ path: String) throws(SystemCallFailure) -> [UInt8] {
        try readFile(path, limit: YAMLLimits().maximumBytes + 1)
    }

    /// Files that the source of a job is to read, and that can't be read now.
    private func missingFiles(of job: Job, _ document: Node, _ source: YAMLSource) -> [Diagnostic] {
        job.source.files.compactMap { option, name in
            let path = name.hasPrefix("/") ? name : "\(job.folder)/\(name)"
            var information = stat()
            var reason: String?
            if access(path, R_OK) != 0 || stat(path, &information) != 0 {
                reason = String(cString: strerror(errno))
            } else if information.st_mode & S_IFMT == S_IFDIR {
                reason = "it is a folder"
            }
            let node = document["source"]?[option]
            return reason.map { reason in
                Diagnostic(
                    "the file of source.\(option) can't be read: \(reason)", at: (node ?? document).mark,
                    in: node?.source ?? source, hint: "paths in a job file start at its folder")
            }
        }
    }

    // MARK: One document

    private func decode(
        _ document: Node, file: String, _ overrides: [Override], _ questions: SourceQuestions,
        _ diagnostics: inout [Diagnostic]
    ) -> Job? {
        var local: [Diagnostic] = []
        defer { diagnostics += local.sorted() }
        var root = document
        for override in overrides { root = override.apply(to: root, diagnostics: &local) }
        let written = root
        var variables: [Variable] = []
        root = expandVariables(in: root, environment: environment, used: &variables, diagnostics: &local)

        var context = DecodingContext(diagnostics: local, secretPlaces: JobSecrets.places(registry))
        let fields = JobDocument.decode(root, &context) ?? JobDocument()
        for secret in fields.secrets where environment[secret.name] == nil {
            context.error("the environment variable \(secret.name) is not set", at: secret.node)
        }
        let module = module(fields.source, &context)
        let absolute = FilePath.absolute(file)
        let folder = FilePath.folder(of: absolute)
        let inspection =
            questions == .none
            ? nil : SourceInspection(folder: folder, job: fields.name, checksValues: questions == .everything)
        let plan = fields.source.flatMap { node in
            context.within("source") { module?.decode(node, inspection, &$0) }
        }
        let template = template(fields.output.path, module, plan?.description, &context)
        let secrets = JobSecrets(
            written, root, secretOptions: (module?.secretOptions ?? []) + (plan?.description?.secretOptions ?? []),
            declared: fields.secrets.map(\.name), variables, environment: environment)
        local = context.diagnostics.map { diagnostic in
            let diagnostic = diagnostic.hiding(secrets.values.hide)
            return secrets.isOnLine(of: diagnostic) ? diagnostic.withoutSnippet() : diagnostic
        }
        guard !context.hasErrors, let plan, let template, let module else { return nil }

        var transfer = fields.transfer
        transfer.caFile = transfer.caFile.map { resolved($0, in: folder) }
        var notify = fields.notify
        notify.metrics = notify.metrics.map { resolved($0, in: folder) + ($0.hasSuffix("/") ? "/" : "") }
        var trust = trust(root, transfer, secrets.values)
        trust.allowsPrivateAddresses = transfer.allowsPrivateAddresses
        for index in transfer.headers.indices where secrets.privateHeaders.contains(transfer.headers[index].name) {
            transfer.headers[index].isPrivate = true
        }
        return Job(
            name: fields.name, file: absolute, folder: folder, source: plan,
            output: JobOutput(
                directory: resolved(fields.output.directory, in: folder), template: template,
                deduplicates: fields.output.deduplicates, sidecar: fields.output.sidecar,
                maximumBytes: fields.output.maximumBytes?.bytes),
            transfer: transfer, refresh: fields.refresh, media: fields.media,
            expects: fields.expects?.values ?? plan.description?.expects ?? module.expects,
            stopsAfterKnown: fields.stopsAfterKnown, allowedFailures: fields.allowedFailures,
            knownFailures: fields.knownFailures, notify: notify, variables: Set(variables.map(\.name)).sorted(),
            trust: trust)
    }

    private func module(_ source: Node?, _ context: inout DecodingContext) -> SourceModule? {
        guard let source else { return nil }
        return context.within("source") { (context) -> SourceModule? in
            guard let node = source["type"] else {
                if case .mapping = source.content {
                    context.error(
                        "the key 'type' is missing in source", at: source,
                        hint: "the modules are \(registry.modules.map(\.type).joined(separator: ", "))")
                } else {
                    context.mismatch(source, wanted: "a mapping with a type")
                }
                return nil
            }
            guard let type = context.within("type", { String.decode(node, &$0) }) else { return nil }
            guard let module = registry[type] else {
                let types = registry.modules.map(\.type)
                let hint = closestMatch(to: type, in: types).map { "did you mean '\($0)'?" }
                context.error(
                    "unknown source type \(node.scalar?.written.quotedForMessage ?? "")", at: node,
                    hint: hint ?? "the modules are \(types.joined(separator: ", "))")
                return nil
            }
            return module
        }
    }

    private func template(
        _ node: Node?, _ module: SourceModule?, _ description: SourceDescription?, _ context: inout DecodingContext
    ) -> PathTemplate? {
        guard let module else { return nil }
        let text = node?.scalar?.text ?? module.path
        do throws(TemplateError) {
            return try PathTemplate(
                text, fields: module.templateFields + (description?.templateFields ?? []),
                acceptsOthers: module.isDescribedByOptions && description == nil)
        } catch {
            if let node { context.error(error.message, at: node, hint: error.hint) }
            return nil
        }
    }

    private func resolved(_ path: String, in folder: String) -> String {
        if path.hasPrefix("/") { return path }
        if path == "~" || path.hasPrefix("~/"), let home = environment["HOME"] { return home + path.dropFirst() }
        return normalized("\(folder)/\(path)")
    }

    /// A path without `.` and `..`, by its text: the directory need not exist yet.
    private func normalized(_ path: String) -> String {
        var components: [Substring] = []
        for component in path.split(separator: "/") {
            switch component {
            case ".": break
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }

    // MARK: Trust

    private func trust(_ root: Node, _ transfer: TransferPolicy, _ secrets: Secrets) -> Trust {
        var trust = Trust()
        trust.secrets = secrets
        if case .mapping(let entries) = root.content {
            // Whoever hears of runs is not thereby a place to fetch from.
            for (key, value) in entries where key.scalar?.text != "notify" {
                collectAuthorities(value, &trust.authored)
            }
        }
        for route in transfer.connectTo {
            // The target is what the author wrote; requests for the name that leads there are allowed to reach it.
            for (host, port) in [(route.host, route.port), (route.targetHost, route.targetPort)] {
                trust.authored.formUnion(routed(host, port, besides: trust.authored))
            }
        }
        return trust
    }

    /// The authorities that a host and a port of `connect_to` mean, which has no schemes: that of the URLs that name them,
    /// else the port's own, else both.
    private func routed(_ host: String, _ port: Int, besides written: Set<Authority>) -> [Authority] {
        let both = ["http", "https"].map { Authority(scheme: $0, host: host, port: port) }
        let named = both.filter(written.contains)
        if !named.isEmpty { return named }
        switch port {
        case 80: return [both[0]]
        case 443: return [both[1]]
        default: return both
        }
    }

    private func collectAuthorities(_ node: Node, _ authorities: inout Set<Authority>) {
        switch node.content {
        case .scalar(let scalar):
            guard let url = try? WebURL(scalar.text) else { return }
            authorities.insert(Authority(scheme: url.scheme, host: url.host, port: url.port))
        case .sequence(let elements):
            for element in elements { collectAuthorities(element, &authorities) }
        case .mapping(let entries):
            for entry in entries { collectAuthorities(entry.value, &authorities) }
        case .faulty: break
        }
    }
}

/// What job files came to.
package struct LoadedJobs: Sendable {
    /// Those without an error.
    package let jobs: [Job]
    /// Of all files, in their order; within a file by line.
    package let diagnostics: [Diagnostic]

    /// Whether one of the jobs, or a file, has an error.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
