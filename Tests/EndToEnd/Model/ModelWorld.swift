import FoundationEssentials
import Glibc
import SQLite
import TestSupport

/// Where the program and the model do not agree.
struct ModelDisagreement: Error, CustomStringConvertible {
    let differences: [String]

    var description: String { differences.joined(separator: "\n") }
}

/// One catalog, its output directory, its list and its server, to which steps happen, with the model beside them.
final class ModelWorld {
    /// Which source the job has.
    enum Source: Sendable {
        /// A ZIP file of lists; an item's key has its URL in it.
        case manifest
        /// The job file's own list; an item keeps its key when its URL changes.
        case list
    }

    private struct Service {
        var site: ModelSite
        /// Requests until `signal` is sent.
        var countdown: Int?
        var signal: Int32 = 0
        var processID: Int32?
    }

    let workplace: Workplace
    let source: Source
    private let durability: String
    private let service: Monitor<Service>
    private let server: FaultyServer
    private(set) var site = ModelSite(count: 12)
    private var list: [Model.Entry] = []
    private var nextNumber = 0
    private(set) var job = Model.Job()
    private(set) var model = Model()
    private var directories = 1
    /// The last version that a user gave a file.
    private var userVersion = 0
    /// Digests of all that the server ever had, and of what users wrote.
    private var served: Set<String> = []
    private var written: Set<String> = []
    /// The last run before a collection was deleted: sums stay what they were when rows go.
    private var lastRunBeforeReset: Int64 = 0
    /// What the last command printed, for those who look into a failure.
    private(set) var transcript = ""

    init(seed: Int) throws {
        workplace = try Workplace()
        source = seed % 2 == 0 ? .manifest : .list
        durability = seed % 4 < 2 ? "none" : "batch"
        let service = Monitor(Service(site: site))
        self.service = service
        server = try FaultyServer { request, connection in
            let (reply, signal) = service.withLock { service in
                service.countdown = service.countdown.map { $0 - 1 }
                return (Self.reply(request, service.site), service.countdown == 0 ? service.signal : 0)
            }
            if signal != 0, let processID = service.wait(until: { $0.processID }) { Glibc.kill(processID, signal) }
            connection.send(reply)
        }
        noteServed()
    }

    private static func reply(_ request: FaultyServer.Request, _ site: ModelSite) -> FaultyServer.Response {
        let status = site.status(of: ModelSite.Request(request))
        guard let resource = site.resource(request.path), status == 200 || status == 304 else { return .status(status) }
        return .status(status, status == 200 ? resource.body.bytes : [], headers: resource.headers)
    }

    private func noteServed() {
        for resource in site.resources { served.insert(modelDigest(resource.body.bytes)) }
        service.withLock { [site] in $0.site = site }
    }

    // MARK: Steps

    /// Has a step happen, and compares.
    ///
    /// - Throws: ``ModelDisagreement``, and what a test's own means throw.
    func perform(_ step: ModelStep) throws {
        switch step {
        case .add, .drop, .shift, .relink, .expectedContent, .clear: changeList(step)
        case .change, .status, .validator, .life: changeSite(step)
        case .delete, .spoil, .stranger: try changeFiles(step)
        case .template(let number): job.template = ModelTemplate.all[number % ModelTemplate.all.count]
        case .refresh(let mode): job.refresh = mode
        case .limit(let bytes): job.limit = bytes
        case .deduplicate(let isOn): job.deduplicates = isOn
        case .sidecar(let isOn): job.hasSidecars = isOn
        case .move: try changeDirectory(isMoved: true)
        case .directory: try changeDirectory(isMoved: false)
        case .wait(let days): try wait(days)
        case .plan(let selection): try plan(selection)
        case .run(let selection): try run(selection)
        case .verify(let isRepairing): try verify(isRepairing)
        case .collect(let bytes): try collect(bytes)
        case .reset(let collection): try reset(collection.map { $0 % 3 })
        case .view(let item): try view(item)
        case .interrupt(let selection, let request): try interrupt(selection, request + 1)
        case .kill(let victim, let call): try kill(victim, call)
        }
    }

    private func changeList(_ step: ModelStep) {
        switch step {
        case .add(let resource, let title, let collection, let position):
            // In a manifest the same key comes back with the same title.
            let title = source == .manifest ? resource % site.resources.count + collection % 3 : title
            let entry = Model.Entry(
                number: nextNumber, resource: resource % site.resources.count,
                title: Self.titles[title % Self.titles.count], collection: collection % 3)
            guard list.count < 25, !isTwice(entry) else { return }
            nextNumber += 1
            list.insert(entry, at: position % (list.count + 1))
        case .drop(let item) where !list.isEmpty: list.remove(at: item % list.count)
        case .shift(let item, let position) where !list.isEmpty:
            let entry = list.remove(at: item % list.count)
            list.insert(entry, at: position % (list.count + 1))
        case .relink(let item, let resource) where !list.isEmpty:
            var entry = list[item % list.count]
            entry.resource = resource % site.resources.count
            if source == .list { list[item % list.count] = entry }
        case .expectedContent(let item, let isRight) where !list.isEmpty:
            let index = item % list.count
            let bytes = site.resources[list[index].resource].body.bytes
            list[index].expectedContent =
                isRight ? modelDigest(bytes) : list[index].expectedContent == nil ? modelDigest([1]) : nil
        case .clear: list = []
        default: break
        }
    }

    private static let titles = ["Alpha", "Beta", "gamma", "alpha", "Same", "Same", "Delta 4", "Z", "Same"]

    /// Whether a list of the source `manifest` would have a URL twice, which makes keys hang on the order.
    private func isTwice(_ entry: Model.Entry) -> Bool {
        source == .manifest
            && list.contains { $0.resource == entry.resource && $0.collection == entry.collection }
    }

    private func changeSite(_ step: ModelStep) {
        switch step {
        case .change(let resource, let kind, let size):
            site.version += 1
            site.resources[resource % site.resources.count].body = ModelBody(
                kind: ModelBody.Kind.allCases[kind % 3], version: site.version, size: size)
        case .status(let resource, let status): site.resources[resource % site.resources.count].status = status
        case .validator(let resource, let validator):
            site.resources[resource % site.resources.count].validator = ModelSite.Validator.allCases[validator % 5]
        case .life(let resource, let days): site.resources[resource % site.resources.count].life = days
        default: break
        }
        noteServed()
    }

    private func changeFiles(_ step: ModelStep) throws {
        let paths = model.files.keys.sorted()
        switch step {
        case .delete(let item) where !paths.isEmpty:
            let path = paths[item % paths.count]
            unlink(workplace.directory.path("\(job.directory)/\(path)"))
            model.remove(path)
        case .spoil(let item, let isLonger) where !paths.isEmpty:
            let path = paths[item % paths.count]
            // Not the model's, which has metadata files in a form of its own.
            let bytes = contents(of: workplace.directory.path("\(job.directory)/\(path)")) ?? []
            userVersion += 1
            try write(isLonger ? bytes + [UInt8(userVersion % 250)] : Array(bytes.prefix(bytes.count / 4)), to: path)
        case .stranger(let item, let isEqual) where !list.isEmpty:
            let (key, entry) = keyed[item % list.count]
            let resource = site.resources[entry.resource]
            let position = keyed[...(item % list.count)].count { $0.entry.collection == entry.collection }
            let stem = job.template.stem(
                title: entry.title, collection: "c\(entry.collection)", position: position, urlPath: resource.path)
            let path = ModelTemplate.path(stem, ModelTemplate.extension(of: resource))
            userVersion += 1
            guard model.files[path] == nil, !model.items.contains(where: { $0.key == key && $0.path != nil })
            else { return }
            try write(isEqual ? resource.body.bytes : Array("mine \(userVersion)".utf8), to: path)
        default: break
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let place = "\(job.directory)/\(path)"
        // A file of its own: a name of another one stays what it is.
        unlink(workplace.directory.path(place))
        try workplace.directory.write(bytes, to: place)
        written.insert(modelDigest(bytes))
        model.files[path] = bytes
        model.inodes[path] = (model.inodes.values.max() ?? 0) + 1
    }

    private func changeDirectory(isMoved: Bool) throws {
        let old = job.directory
        directories += 1
        job.directory = "out\(directories)"
        if isMoved {
            rename(workplace.directory.path(old), workplace.directory.path(job.directory))
        } else {
            (model.files, model.inodes) = ([:], [:])
        }
        model.changeDirectory()
        try run(ModelSelection())
    }

    /// Puts all times of items back, as if so many days had passed.
    private func wait(_ days: Int) throws {
        model.day += days
        guard FileManager.default.fileExists(atPath: workplace.database) else { return }
        let catalog = try Connection(path: workplace.database, mode: .readWrite)
        let shift = days * 86_400_000_000
        for table in ["item", "mark"] {
            let columns: [String] = try catalog.rows(
                "SELECT name FROM pragma_table_info('\(table)') WHERE name GLOB '*_at' OR name = 'at'"
            ) { try $0[0] }
            let changes = columns.map { "\($0) = \($0) - \(shift)" }.joined(separator: ", ")
            try catalog.execute("UPDATE \(table) SET \(changes)")
        }
        catalog.close()
        for index in model.items.indices {
            model.items[index].storedAt? -= Int64(shift)
            model.items[index].viewedAt? -= Int64(shift)
        }
    }

    // MARK: The list and the job file

    /// The list in its order.
    private var keyed: [(key: String, entry: Model.Entry)] {
        switch source {
        case .list: list.map { (key: "c\($0.collection)/\($0.number)", entry: $0) }
        case .manifest:
            (0..<3).flatMap { collection in
                list.filter { $0.collection == collection }.map { entry in
                    (key: "c\(collection).json#\(server.url(site.resources[entry.resource].path))", entry: entry)
                }
            }
        }
    }

    private func writeJob() throws {
        var lines = ["name: model", "source:"]
        switch source {
        case .list:
            lines.append("  type: list")
            lines.append("  items:" + (list.isEmpty ? " []" : ""))
            for (key, entry) in keyed {
                let expectedContent = entry.expectedContent.map { ", sha256: \($0)" } ?? ""
                lines.append(
                    "  - {key: '\(key)', url: '\(server.url(site.resources[entry.resource].path))', "
                        + "title: '\(entry.title)', collection: c\(entry.collection)\(expectedContent)}")
            }
        case .manifest:
            lines += ["  type: manifest", "  url: lists.zip"]
            let entries = (0..<3).map { collection in
                let elements = list.filter { $0.collection == collection }.map { entry in
                    let expectedContent = entry.expectedContent.map { ", \"sha256\": \"\($0)\"" } ?? ""
                    let url = server.url(site.resources[entry.resource].path)
                    return "{\"url\": \"\(url)\", \"title\": \"\(entry.title)\"\(expectedContent)}"
                }
                return ZipFile.Entry("c\(collection).json", "[\(elements.joined(separator: ", "))]")
            }
            try workplace.directory.write(ZipFile(entries).bytes, to: "lists.zip")
        }
        lines += ["output:", "  directory: \(job.directory)", "  path: \"\(job.template.text)\""]
        lines.append("  deduplicate: \(job.deduplicates)")
        if job.hasSidecars { lines.append("  sidecar: json") }
        if let limit = job.limit { lines.append("  max_bytes: \(limit)") }
        lines += ["transfer: {retries: 0, concurrency: 1, durability: \(durability), allow_private_addresses: true}"]
        lines += ["refresh: \(job.refresh)", "expect: any"]
        try workplace.directory.write(lines.joined(separator: "\n") + "\n", to: "job.yaml")
    }

    private func pattern(_ collection: Int) -> String {
        source == .list ? "c\(collection % 3)/*" : "c\(collection % 3).json#*"
    }

    private func arguments(_ selection: ModelSelection) -> [String] {
        var arguments = ["job.yaml", "--progress", "plain"]
        if selection.isFailedOnly { arguments.append("--failed") }
        if selection.isRefreshing { arguments.append("--refresh") }
        for collection in selection.only { arguments += ["--only", pattern(collection)] }
        if let limit = selection.limit { arguments += ["--limit", String(limit)] }
        return arguments
    }

    private func isSelected(_ key: String, _ selection: ModelSelection) -> Bool {
        selection.only.isEmpty
            || selection.only.contains { key.hasPrefix(pattern($0).dropLast()) }
    }

    // MARK: Commands

    private struct Command {
        var ending: RunningProgram.Ending
        var output: [String]
        var errors: String
        var requests: [ModelSite.Request]

        func check(_ expected: Int32, _ differences: inout [String]) {
            if ending != .exit(expected) { differences.append("ends with \(ending), not \(expected): \(errors)") }
        }
    }

    private func command(
        _ arguments: [String], environment: [String: String] = [:], signal: (request: Int, number: Int32)? = nil
    ) throws -> Command {
        try writeJob()
        let asked = server.requests.count
        service.withLock { service in
            service.countdown = signal?.request
            service.signal = signal?.number ?? 0
            service.processID = nil
        }
        let program = try workplace.start(
            arguments, with: source == .list ? .testRunner : .runner, environment: environment)
        service.withLock { $0.processID = program.processID }
        let result = try program.wait()
        transcript = "runner \(arguments.joined(separator: " ")): \(result.ending)\n\(result.output)\(result.errors)"
        return Command(
            ending: result.ending, output: result.lines, errors: result.errors,
            requests: server.requests[asked...].map(ModelSite.Request.init))
    }

    private func run(_ selection: ModelSelection) throws {
        try judgeRun(selection, try command(arguments(selection)))
    }

    /// A plan says what a run would do, and changes nothing.
    private func plan(_ selection: ModelSelection) throws {
        let words = arguments(selection)
        let command = try command(["plan"] + words.filter { $0 != "--progress" && $0 != "plain" })
        var copy = model
        let expected = copy.run(
            keyed, site, job, selection, root: server.url(""), isSelected: { isSelected($0, selection) }, times: [:])
        var differences: [String] = []
        command.check(0, &differences)
        let found = try observe()
        compare(
            "lines", expected.actions.map { "\($0)\t\($1)" }, command.output.map { self.words($0, [0, 3]) },
            &differences)
        compare("requests", [], command.requests.map(\.description), &differences)
        differences += compare(model, with: found)
        try throwing(differences)
    }

    private func expect(_ selection: ModelSelection, of model: inout Model, _ found: ModelObservation)
        -> Model.Expectation
    {
        var times = found.items.compactMapValues(\.storedAt)
        // Those of this run alone.
        for item in model.items where times[item.key] == item.storedAt { times[item.key] = nil }
        var expected = model.run(
            keyed, site, job, selection, root: server.url(""), isSelected: { isSelected($0, selection) }, times: times)
        if let limit = job.limit {
            let eviction = model.evict(over: limit)
            expected.freedFiles = eviction.keys.count
            expected.freedBytes = eviction.freed
        }
        return expected
    }

    private func judgeRun(_ selection: ModelSelection, _ command: Command) throws {
        let found = try observe()
        let batches = Set(found.items.values.filter { $0.storedRun == found.run?.id }.compactMap(\.storedAt)).count
        let expected = expect(selection, of: &model, found)
        var differences: [String] = []
        command.check(expected.outcome == "complete" ? 0 : 1, &differences)
        compare("requests", expected.requests.map(\.description), command.requests.map(\.description), &differences)
        // Which files went may hang on how many were stored at a time.
        if job.limit != nil, batches > 1 {
            try throwing(differences)
            return try resynchronize(found)
        }
        compare(
            "transfers", expected.transfers.map { "\($0) \($1)" }, found.transfers.map { "\($0) \($1)" }, &differences)
        let sums = [
            "outcome \(expected.outcome)", "body_bytes \(expected.bodyBytes)", "saved_bytes \(expected.savedBytes)",
            "freed_files \(expected.freedFiles)", "freed_bytes \(expected.freedBytes)",
        ]
        compare("run", sums, found.run?.sums ?? [], &differences)
        differences += compare(model, with: found) + found.pending
        try throwing(differences)
        adopt(found)
    }

    private func verify(_ isRepairing: Bool) throws {
        guard model.isJobKnown else { return }
        let command = try command(["verify", "model"] + (isRepairing ? ["--repair"] : []))
        let lines = model.verify(isRepairing: isRepairing)
        var differences: [String] = []
        command.check(lines.isEmpty ? 0 : 1, &differences)
        compare("lines", lines, command.output.map { words($0, [0, 2]) }, &differences)
        try judgeUpkeep(command, &differences)
    }

    private func collect(_ bytes: Int?) throws {
        guard model.isJobKnown else { return }
        let command = try command(["gc", "job.yaml"] + (bytes.map { ["--max-bytes", String($0)] } ?? []))
        var lines: [String] = []
        if let limit = bytes ?? job.limit {
            let eviction = model.evict(over: limit)
            lines = eviction.keys.map { "evict\t\($0)" } + eviction.changed.map { "changed\t\($0)" }
        }
        var differences: [String] = []
        command.check(0, &differences)
        compare("lines", lines, command.output.map { words($0, [0, 2]) }, &differences)
        try judgeUpkeep(command, &differences)
    }

    private func reset(_ collection: Int?) throws {
        guard model.isJobKnown, let arguments = resetArguments(collection) else { return }
        let command = try command(arguments)
        model.reset(collection)
        lastRunBeforeReset = try observe().run?.id ?? 0
        var differences: [String] = []
        command.check(0, &differences)
        try judgeUpkeep(command, &differences)
    }

    /// nil where the job has no item of the collection.
    private func resetArguments(_ collection: Int?) -> [String]? {
        guard let collection else { return ["reset", "model", "--yes"] }
        guard model.items.contains(where: { $0.collection == collection }) else { return nil }
        return ["reset", "model", "c\(collection)\(source == .list ? "" : ".json")", "--yes"]
    }

    private func view(_ item: Int) throws {
        guard !model.items.isEmpty else { return }
        let key = model.items[item % model.items.count].key
        let command = try command(["show", "model", key])
        var differences: [String] = []
        command.check(0, &differences)
        try judgeUpkeep(command, &differences)
    }

    private func words(_ line: String, _ columns: [Int]) -> String {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false)
        return columns.map { $0 < words.count ? String(words[$0]) : "" }.joined(separator: "\t")
    }

    private func judgeUpkeep(_ command: Command, _ differences: inout [String]) throws {
        let found = try observe()
        compare("requests", [], command.requests.map(\.description), &differences)
        differences += compare(model, with: found)
        try throwing(differences)
        adopt(found)
    }

    // MARK: Broken off

    private func interrupt(_ selection: ModelSelection, _ request: Int) throws {
        let command = try command(arguments(selection), signal: (request, SIGINT))
        guard command.ending == .signal(SIGINT) else { return try judgeRun(selection, command) }
        let found = try observe()
        var whole = model
        let before = model
        let expected = expect(selection, of: &whole, found)
        var differences = exceeding("requests", command.requests.map(\.path), expected.requests.map(\.path))
        for (key, transfer) in found.transfers where transfer.outcome != "cancelled" {
            if transfer != expected.transfers[key] {
                differences.append("\(key): \(transfer), not \(expected.transfers[key]?.description ?? "nothing")")
            }
        }
        // The signal may come when all is done.
        let isCut = found.transfers != expected.transfers
        if found.run?.outcome != "interrupted", isCut || found.run?.outcome != expected.outcome {
            differences.append("run.outcome is \(found.run?.outcome ?? "-")")
        }
        if job.limit == nil { differences += unfinished(found, expected, before: before, after: whole) }
        differences += contradictions(found, after: before, mayHaveLeftovers: false)
        try throwing(differences)
        try resynchronize(found)
    }

    /// What differs of a run that was broken off from both the run as it would have been and nothing at all: each item is
    /// as after it or as before.
    private func unfinished(
        _ found: ModelObservation, _ expected: Model.Expectation, before: Model, after: Model
    ) -> [String] {
        let earlier = Dictionary(uniqueKeysWithValues: before.items.map { ($0.key, $0) })
        return after.items.compactMap { item in
            guard let row = found.items[item.key] else { return "\(item.key): there is no row" }
            if let transfer = found.transfers[item.key], transfer == expected.transfers[item.key] {
                return row.summary == item.summary ? nil : "the model: \(item.summary); the program: \(row.summary)"
            }
            let states = [earlier[item.key]?.state ?? "pending", item.state, "pending"]
            return states.contains(row.state) ? nil : "\(item.key): \(row.state) after a run that was broken off"
        }
    }

    private func kill(_ victim: ModelVictim, _ call: Int) throws {
        let words: [String]
        switch victim {
        case .run(let selection): words = arguments(selection)
        case .repair: words = ["verify", "model", "--repair"]
        case .collect(let bytes): words = ["gc", "job.yaml"] + (bytes.map { ["--max-bytes", String($0)] } ?? [])
        case .reset(let collection):
            guard let arguments = resetArguments(collection.map { $0 % 3 }) else { return }
            words = arguments
        }
        if case .run = victim {} else if !model.isJobKnown { return }
        let before = model
        let killed = try command(
            words,
            environment: Fault.killed.environment(number: call, report: workplace.directory.path("report")))
        if killed.ending != .signal(SIGKILL) {
            if case .run(let selection) = victim { return try judgeRun(selection, killed) }
        }
        if case .reset = victim { lastRunBeforeReset = try observe().run?.id ?? 0 }
        let middle = try observe()
        try throwing(contradictions(middle, after: before, mayHaveLeftovers: true))

        // The next run completes it, and asks for nothing that was recorded.
        try resynchronize(middle)
        let next = try command(arguments(ModelSelection()))
        let found = try observe()
        let expected = expect(ModelSelection(), of: &model, found)
        var differences = exceeding("requests after the kill", next.requests.map(\.path), expected.requests.map(\.path))
        if next.ending != .exit(0), next.ending != .exit(1) {
            differences.append("after the kill: \(next.ending) \(next.errors)")
        }
        compare(
            "items of the run after the kill", Array(expected.transfers.keys), Array(found.transfers.keys),
            &differences)
        differences += contradictions(found, after: before, mayHaveLeftovers: false)
        try throwing(differences)
        try resynchronize(found)
    }

    /// What must never be, whatever was broken off: wrong files, rows without files, files without rows.
    private func contradictions(
        _ found: ModelObservation, after before: Model, mayHaveLeftovers: Bool
    ) -> [String] {
        var differences = found.contradictions
        let lost = Set(
            before.items.filter { item in item.path.map { before.files[$0] == nil } ?? false }.map(\.key))
        for row in found.items.values where row.state == "stored" || row.state == "gone" {
            guard let path = row.path else { continue }
            guard let file = found.files[path] else {
                if !lost.contains(row.key) {
                    differences.append("\(row.key): the row has \(path), and there is no file")
                }
                continue
            }
            let digest = modelDigest(file)
            if digest != row.digest, !written.contains(digest), !(mayHaveLeftovers && served.contains(digest)) {
                differences.append("\(row.key): \(path) is not what the row tells")
            }
        }
        let claimed = Set(found.items.values.flatMap { [$0.path, $0.sidecar?.path].compactMap { $0 } })
        for (path, file) in found.files where !claimed.contains(path) {
            let digest = modelDigest(file)
            if mayHaveLeftovers, found.metadataFiles[path] != nil { continue }
            if written.contains(digest) || (mayHaveLeftovers && served.contains(digest)) { continue }
            if served.contains(digest), before.files[path] == file, !before.items.contains(where: { $0.path == path }) {
                continue
            }
            differences.append("\(path) is a file without a row")
        }
        return differences
    }

    // MARK: Comparing

    private func observe() throws -> ModelObservation {
        var found = try ModelObservation(
            database: workplace.database, directory: workplace.directory.path(job.directory))
        found.contradictions.removeAll { text in
            (text.hasPrefix("sums of run ") || text.hasPrefix("evicted of run "))
                && text.split(separator: " ").last.flatMap { Int64($0) }.map { $0 <= lastRunBeforeReset } ?? false
        }
        return found
    }

    private func compare(_ model: Model, with found: ModelObservation) -> [String] {
        var differences = found.contradictions
        compare("items", model.items.map(\.summary), found.items.values.map(\.summary), &differences)
        compare(
            "sidecars", model.items.compactMap { item in item.sidecar.map { "\(item.key) \($0.path)" } },
            found.items.values.compactMap { row in row.sidecar.map { "\(row.key) \($0.path)" } }, &differences)
        let files = model.files.map { "\($0) \(modelDigest($1).prefix(8)) \($1.count)" }
        compare("files", files, found.files.map { "\($0) \(modelDigest($1).prefix(8)) \($1.count)" }, &differences)
        return differences
    }

    /// Takes over what only the program's clock and the disk tell.
    private func adopt(_ found: ModelObservation) {
        model.inodes = found.inodes
        for index in model.items.indices {
            guard let row = found.items[model.items[index].key] else { continue }
            model.items[index].storedAt = row.storedAt
            model.items[index].viewedAt = row.viewedAt
            model.items[index].askedAgain = row.askedAgain(on: model.day)
        }
    }

    private func resynchronize(_ found: ModelObservation) throws {
        model.items = found.order.compactMap { found.items[$0]?.item(on: model.day) }
        for (index, item) in model.items.enumerated() {
            guard let file = item.path.flatMap({ found.files[$0] }) else { continue }
            model.items[index].extension = ModelTemplate.extension(of: file, url: item.url)
        }
        model.files = found.files
        model.inodes = found.inodes
        model.isJobKnown = found.isJobKnown
    }

    private func throwing(_ differences: [String]) throws {
        if !differences.isEmpty { throw ModelDisagreement(differences: differences) }
    }

    private func compare(_ name: String, _ expected: [String], _ found: [String], _ differences: inout [String]) {
        let missing = exceeding(name, expected, found).map { "the model: \($0)" }
        differences += missing + exceeding(name, found, expected).map { "the program: \($0)" }
    }

    /// What some have more often than others.
    private func exceeding(_ name: String, _ some: [String], _ others: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for other in others { counts[other, default: 0] += 1 }
        return some.sorted().compactMap { text in
            counts[text, default: 0] -= 1
            return counts[text, default: 0] < 0 ? "\(name): \(text)" : nil
        }
    }
}
