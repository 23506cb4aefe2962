import Jobs
import Model
import Reports
import Run
import SourceKit

/// `runner plan`: the list as a run would take it, an item a line on stdout; sums and warnings on stderr.
struct PlanCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        let loaded = await context.loadJobs(options, asking: .description)
        let jobs = loaded.jobs
        guard !loaded.hasErrors else { return .invalidJob }
        guard !context.refuseMoves(of: jobs, options) else { return .invalidJob }
        let printer = PlanPrinter(console: console)
        var codes: [ExitCode] = []
        for job in jobs {
            printer.begin(job.name)
            do {
                try await Plan.make(
                    job, options: try context.sessionOptions(options), items: { printer.print($0) },
                    warnings: { printer.warn($0) })
                codes.append(.success)
            } catch {
                console.tell("\(job.name): failed: \(job.trust.secrets.hide("\(error)"))")
                codes.append(.failed)
            }
            printer.end(isSelection: !options.only.isEmpty || options.limit != nil)
        }
        codes.append(console.deliver { try printer.checkOutput() })
        return .worst(of: codes)
    }
}
