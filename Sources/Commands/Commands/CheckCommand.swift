import Jobs
import Reports
import SourceKit
import System

/// `runner check`: the faults of job files on stderr, a line for each sound job on stdout.
struct CheckCommand {
    let options: Options
    let context: CommandContext

    func run() async -> ExitCode {
        let loaded = await context.loadJobs(options, asking: .everything, looksForFiles: true)
        guard !loaded.hasErrors else { return .invalidJob }
        // "…/": files below the current folder are named from there, as they were typed.
        let here = FilePath.absolute("")
        return context.console.deliver {
            for job in loaded.jobs {
                let file = job.file.hasPrefix(here) ? String(job.file.dropFirst(here.count)) : job.file
                try context.console.output.write("\(job.name): ok (\(displayable(file)))\n")
            }
        }
    }
}
