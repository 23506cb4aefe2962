import Control
import HTTP
import Jobs
import Model
import Reports
import Run
import SourceKit
import System

/// `runner run`: fetches what the jobs list, and shows it.
struct RunCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        let console = console
        let loaded = await context.loadJobs(options, asking: .description)
        guard !loaded.hasErrors || options.keepsGoing && !loaded.jobs.isEmpty else { return .invalidJob }
        let jobs = loaded.jobs.filter { options.job == nil || $0.name == options.job }
        guard !jobs.isEmpty || loaded.jobs.isEmpty else {
            let name = options.job ?? ""
            return context.refuse(
                "the files have no job '\(name)'; \(hint(for: name, among: loaded.jobs.map(\.name)))",
                usage: Command.run.usage)
        }
        if let log = options.log, log != "journal", let refusal = context.refusal(ofWriting: log, jobs, options) {
            return context.refuse("--log: \(refusal)", usage: Command.run.usage)
        }
        guard !context.refuseMoves(of: jobs, options) else { return .invalidJob }
        let style = RunDisplay.style(options.progress, options.verbosity, on: console.errorTerminal)
        LiveTerminal.surviveBackground()
        let terminal = style == .bar ? LiveTerminal() : nil
        let watchers = RunWatchers(options, context)
        let display = RunDisplay(
            jobs: jobs.map(\.name), style: style, verbosity: options.verbosity, console: console,
            hasKeyboard: terminal?.hasKeyboard == true, databaseClause: context.databaseClause(options),
            writesLines: !watchers.hasJournalForErrors,
            now: { Monotonic.now().microseconds })
        let driver = DisplayDriver(display, terminal: terminal)
        let notifier = JobNotifier(jobs, options, context, watchers) { display.tell($0) }
        let session: Session
        let grace: Int64
        do {
            var sessionOptions = try context.sessionOptions(options)
            grace = sessionOptions.gracePeriod
            sessionOptions.door = ControlDoor(environment: context.environment)
            sessionOptions.interest = RunDisplay.interest(style, options.verbosity)
            watchers.prepare(&sessionOptions)
            session = try Session(jobs: jobs, options: sessionOptions) { events in
                watchers.take(events)
                notifier.take(events)
                display.handle(events)
            }
        } catch {
            for job in jobs {
                watchers.note("run-failed", .error, job: job.name, "\(error)")
                notifier.takeFailure(job.name, .failed, "\(error)")
            }
            await notifier.close()
            await watchers.close()
            console.complain("\(error)")
            return .failed
        }
        let signals = SignalWatch(
            stop: { name in
                // A run that is to end waits for a reader as for a server.
                console.limitWaiting(to: grace)
                watchers.stopping()
                session.stop()
                if options.verbosity != .quiet {
                    display.tellStop("\(name): no new transfers; a second signal stops those in flight")
                }
            },
            abort: {
                console.limitWaiting(to: 0)
                session.abort()
            })
        if let deadline = options.deadline {
            Timers.after(deadline) { console.limitWaiting(to: grace) }
        }
        let keys = RunKeys(session, display)
        driver.start { keys.press($0) }
        let results = await session.run()
        driver.end()
        var codes = results.map { ending(of: $0, watchers, notifier) }
        watchers.ended()
        await notifier.close()
        await watchers.close()
        // 78 is for a command of which nothing ran.
        if loaded.hasErrors { codes.append(.failed) }
        do throws(OutputError) {
            try display.checkOutput()
        } catch {
            // It was reported when it came; a reader that went away has what it wanted.
            if error != .closedPipe { codes.append(.failed) }
        }
        signals.cancel()
        if let signal = signals.received { codes.append(.signal(signal)) }
        return .worst(of: codes)
    }

    /// The exit code of one job; tells what the events could not.
    private func ending(of result: JobResult, _ watchers: RunWatchers, _ notifier: JobNotifier) -> ExitCode {
        // The journal would have the line twice.
        func tell(_ text: String) {
            if !watchers.hasJournalForErrors { console.tell(text) }
        }
        switch result.ending {
        case .ran(let run):
            return Self.code(of: run)
        case .locked(let pid, let since):
            let text = context.busyText(job: result.job, pid: pid, since: since)
            tell(text)
            watchers.note("locked", .warning, job: result.job, text)
            return .locked
        case .refused(let refusal):
            tell("\(result.job): error: \(refusal)")
            watchers.note("run-failed", .error, job: result.job, "\(refusal)")
            notifier.takeFailure(result.job, .invalidJob, "\(refusal)")
            return .invalidJob
        case .failed(let reason):
            tell("\(result.job): failed: \(reason)")
            watchers.note("run-failed", .error, job: result.job, reason)
            notifier.takeFailure(result.job, .failed, reason)
            return .failed
        }
    }

    /// By the outcome; failures within `allow_failed` are forgiven, a run that was cut is not.
    static func code(of run: RunFinished) -> ExitCode {
        switch run.outcome {
        case .complete: .success
        case .partial: run.isAcceptable ? .success : .partial
        case .failed: .failed
        // A signal stopped it; the process ends by the signal.
        case .interrupted, .running: .partial
        }
    }
}
