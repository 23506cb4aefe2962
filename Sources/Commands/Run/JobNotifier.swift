import Catalog
import Dispatch
import FoundationEssentials
import HTTP
import JSON
import Jobs
import Model
import Reports
import SQLite
import System
import Transfer
import Unattended

/// Tells others how runs of jobs ended, as `notify` of their job files says: metrics, a heartbeat, a command. What goes wrong
/// with that is a line and no more.
final class JobNotifier: Sendable {
    /// One job that has somebody to tell.
    private struct Listener: Sendable {
        let job: Job
        /// One thing after another, beside the run.
        let queue: DispatchQueue
        /// Pairs the signals of a run.
        let pair = UUID().uuidString.lowercased()
        var failures: [ItemFinished] = []
        /// What says that the run began.
        var beginning: Heartbeat?
    }

    /// Failed items that the command is given.
    private static let mostFailures = 20

    /// How long what says that a run began may still be on its way once the run has ended, microseconds: the end is news
    /// enough.
    private static let patienceForBeginning: Int64 = 1_000_000

    private let options: Options
    private let context: CommandContext
    private let watchers: RunWatchers
    private let tell: @Sendable (String) -> Void
    private let listeners: Locked<[String: Listener]>
    private let work = DispatchGroup()

    /// - Parameter tell: writes a line for people.
    init(
        _ jobs: [Job], _ options: Options, _ context: CommandContext, _ watchers: RunWatchers,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.context = context
        self.watchers = watchers
        self.tell = tell
        let told = options.isAdopting ? [] : jobs.filter { !$0.notify.isEmpty }
        listeners = Locked(
            Dictionary(
                uniqueKeysWithValues: told.map { job in
                    (job.name, Listener(job: job, queue: DispatchQueue(label: "runner.notify.\(job.name)")))
                }))
    }

    /// Takes events of runs, in order.
    func take(_ events: [RunEvent]) {
        for event in events {
            switch event {
            case .runStarted(let run): takeStart(run)
            case .itemFinished(let item) where item.transfer.outcome == .failed:
                listeners.withLock { listeners in
                    guard listeners[item.job]?.failures.count ?? Self.mostFailures < Self.mostFailures else { return }
                    listeners[item.job]?.failures.append(item)
                }
            case .runFinished(let run):
                if let beginning = listeners.withLock({ $0[run.job]?.beginning }) {
                    Timers.after(Self.patienceForBeginning) { beginning.abandon() }
                }
                perform(run.job) { [self] in tell(RunEnd(run), $0) }
            default: break
            }
        }
    }

    private func takeStart(_ run: RunStarted) {
        guard let listener = listeners.withLock({ $0[run.job] }), let heartbeat = heartbeat(listener) else { return }
        listeners.withLock { $0[run.job]?.beginning = heartbeat }
        perform(run.job) { [self] in send(.start, by: heartbeat, $0, "run \(run.run) began") }
    }

    /// A job ended before it had a run.
    func takeFailure(_ job: String, _ code: ExitCode, _ reason: String) {
        perform(job) { [self] in tell(RunEnd(code: code.number, reason), $0) }
    }

    private func perform(_ job: String, _ body: @escaping @Sendable (Listener) -> Void) {
        guard let listener = listeners.withLock({ $0[job] }) else { return }
        listener.queue.async(group: work) { body(listener) }
    }

    /// Returns when all have been notified, or their time has run out.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            work.notify(queue: DispatchQueue(label: "all notified")) { continuation.resume() }
        }
    }

    // MARK: On a listener's queue

    private func complain(_ listener: Listener, _ what: String, _ problem: String) {
        let text = listener.job.trust.secrets.hide("notify.\(what): \(problem)")
        tell("\(listener.job.name): \(text)")
        watchers.note("warning", .warning, job: listener.job.name, text)
    }

    /// nil where the job has none, or after words on what is wrong with it.
    private func heartbeat(_ listener: Listener) -> Heartbeat? {
        let job = listener.job
        guard let url = job.notify.heartbeat else { return nil }
        do {
            let profile = try JobProfile.make(job, bandwidth: nil, runnerVersion: runnerVersion)
            return try Heartbeat(url, profile, hiding: job.trust.secrets)
        } catch {
            complain(listener, "heartbeat", "\(error)")
            return nil
        }
    }

    private func send(_ signal: Heartbeat.Signal, by heartbeat: Heartbeat, _ listener: Listener, _ summary: String) {
        guard let problem = heartbeat.send(signal, run: listener.pair, summary: summary) else { return }
        complain(listener, "heartbeat", problem)
    }

    private func tell(_ end: RunEnd, _ listener: Listener) {
        let job = listener.job
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            if end.run != nil { writeMetrics(listener, from: connection) }
            if let heartbeat = heartbeat(listener) {
                send(end.signal, by: heartbeat, listener, end.summary(of: job.name))
            }
            try runCommand(end, listener, from: connection)
        } catch {
            complain(listener, "command", "\(error)")
        }
    }

    private func writeMetrics(_ listener: Listener, from connection: Connection) {
        guard let file = listener.job.notify.metricsFile(of: listener.job.name) else { return }
        if let refusal = context.refusal(ofWriting: file, [listener.job], options) {
            return complain(listener, "metrics", refusal)
        }
        do {
            var request = ReportRequest()
            request.jobs = [listener.job.name]
            let report = try makeReport(request, from: connection)
            try WholeFile.write(to: file, permissions: 0o644, isRegularOnly: true) { output in
                try PrometheusText.write(
                    report, version: runnerVersion, libcurl: curlVersionText, now: wallClockMicroseconds(),
                    from: connection
                ) { try output.write($0) }
            }
        } catch {
            complain(listener, "metrics", "\(error)")
        }
    }

    private func runCommand(_ end: RunEnd, _ listener: Listener, from connection: Connection) throws {
        let job = listener.job
        guard let words = job.notify.command else { return }
        let wasGood = try wasGood(before: end.run?.run, job, from: connection)
        guard let event = end.event(after: wasGood, on: job.notify.occasion) else { return }
        var environment = context.environment
        environment["RUNNER_EVENT"] = event.rawValue
        environment["RUNNER_JOB"] = job.name
        environment["RUNNER_RUN"] = end.run.map { "\($0.run)" }
        let hook = HookCommand(words, in: job.folder, environment: environment)
        let ended = hook.run(input: try message(event, end, listener, from: connection))
        let output = job.trust.secrets.hide(ended.output).trimmed
        if let problem = ended.problem {
            complain(listener, "command", problem + (output.isEmpty ? "" : ": \(output)"))
        } else if !output.isEmpty {
            watchers.note("notify", .info, job: job.name, output)
        }
    }

    /// How the run before ended, of those that were neither stopped nor are under way; nil where there is none.
    private func wasGood(before run: Int64?, _ job: Job, from connection: Connection) throws -> Bool? {
        let ids = try ReportedRun.ids(ofJob: job.name, since: .min, limit: 20, from: connection)
        for id in ids where id < run ?? .max {
            guard let found = try ReportedRun(id, from: connection) else { continue }
            switch RunOutcome(rawValue: found.outcome) {
            case .complete: return true
            case .failed: return false
            case .partial:
                let counts = found.counts
                let failed = counts["failed", default: 0] - (job.knownFailures == .ignore ? found.knownFailures : 0)
                return counts["cancelled", default: 0] == 0
                    && job.allowedFailures.allows(Int(failed), of: Int(counts.values.reduce(0, +)))
            case .running, .interrupted, nil: continue
            }
        }
        return nil
    }

    /// What the command gets: the run as `report --format json` has it, and the first of its failures.
    private func message(
        _ event: RunEnd.Event, _ end: RunEnd, _ listener: Listener, from connection: Connection
    ) throws -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", event.rawValue)
        json.member("job", listener.job.name)
        json.member("exit", Int64(end.code))
        json.member("summary", end.summary(of: listener.job.name))
        json.key("run")
        var request = ReportRequest()
        request.jobs = [listener.job.name]
        request.run = .id(end.run?.run ?? 0)
        if end.run != nil, let run = try makeReport(request, from: connection).runs.first {
            json.value(encoded: ReportJSON.object(of: run))
        } else {
            json.null()
        }
        json.key("failures")
        json.beginArray()
        for item in listeners.withLock({ $0[listener.job.name]?.failures ?? [] }) {
            json.beginObject()
            json.member("item_id", item.item)
            json.member("key", item.key)
            json.member("title", item.title)
            json.member("url", item.url)
            json.member("failure", item.transfer.failure?.rawValue)
            json.member("status", item.transfer.status.map(Int64.init))
            json.member("detail", item.transfer.detail)
            json.member("attempts", Int64(item.transfer.attempts))
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endLine()
        return json.bytes
    }
}

/// How a job's part of a command ended.
struct RunEnd: Sendable {
    /// `RUNNER_EVENT`.
    enum Event: String, Sendable {
        case failed
        /// It succeeded, and the run before had not.
        case recovered
        case succeeded
        /// A signal stopped it.
        case interrupted
    }

    /// nil where there was none.
    let run: RunFinished?
    let code: Int32
    let reason: String?

    init(_ run: RunFinished) {
        self.run = run
        code = RunCommand.code(of: run).number
        reason = run.detail
    }

    init(code: Int32, _ reason: String) {
        run = nil
        self.code = code
        self.reason = reason
    }

    private var isInterrupted: Bool { run?.outcome == .interrupted }

    var signal: Heartbeat.Signal { isInterrupted ? .failure : .exit(code) }

    /// What a command that listens on `occasion` is given; nil for nothing.
    func event(after wasGood: Bool?, on occasion: NotifyOccasion) -> Event? {
        let event: Event =
            isInterrupted ? .interrupted : code != 0 ? .failed : wasGood == false ? .recovered : .succeeded
        switch occasion {
        case .always: return event
        case .failure: return event == .failed ? event : nil
        case .change: return event == .recovered || event == .failed && wasGood != false ? event : nil
        }
    }

    /// One line.
    func summary(of job: String) -> String {
        guard let run else { return "\(job): \(displayable(reason ?? "failed"))" }
        let figures = run.figures
        return "\(job): run \(run.run) \(run.outcome.rawValue): \(figures.downloaded) downloaded, "
            + "\(figures.unchanged) unchanged, \(figures.fresh) fresh, \(figures.failed) failed, "
            + "\(byteText(figures.wireBytes)) in \(durationText(microseconds: max(0, run.at - run.startedAt)))"
            + (run.detail.map { "; \(displayable($0))" } ?? "")
    }
}

extension String {
    /// Without what is blank at its ends.
    fileprivate var trimmed: String {
        func isBlank(_ character: Character) -> Bool { character.isWhitespace }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
