import Jobs
import Pictures
import Reports
import Run

/// `runner thumbnails`: makes the pictures that are missing of what jobs have stored.
struct ThumbnailsCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let jobs = context.loadJobs(options) else { return .invalidJob }
        var codes: [ExitCode] = []
        for job in jobs { codes.append(await run(job)) }
        return .worst(of: codes)
    }

    private func run(_ job: Job) async -> ExitCode {
        let display = RunDisplay(
            jobs: [job.name], style: .none, verbosity: options.verbosity, console: console, now: { 0 })
        let ending: Thumbnails.Ending
        do {
            ending = await Thumbnails.make(
                job, options: try context.sessionOptions(options), isForced: options.isRefreshing
            ) { display.handle($0) }
        } catch {
            console.complain("\(error)")
            return .failed
        }
        switch ending {
        case .done(let figures):
            return tell(figures, of: job.name)
        case .locked(let holder):
            console.tell(context.busyText(job: job.name, holder))
            return .locked
        case .failed(let reason):
            console.tell("\(job.name): failed: \(displayable(reason))")
            return .failed
        }
    }

    private func tell(_ figures: RenderFigures, of job: String) -> ExitCode {
        let isGood = figures.failed == 0 && figures.left == 0 && figures.trouble == nil
        if !isGood || options.verbosity != .quiet {
            var text = "\(job): \(counted(figures.pictures, "picture")) of \(counted(figures.rendered, "item")), "
            text += "\(figures.unchanged) unchanged, \(figures.failed) failed"
            if figures.left > 0 { text += ", \(figures.left) not tried" }
            if let trouble = figures.trouble { text += "; \(displayable(trouble))" }
            console.tell(text)
        }
        if figures.trouble != nil { return .failed }
        return isGood ? .success : .partial
    }
}
