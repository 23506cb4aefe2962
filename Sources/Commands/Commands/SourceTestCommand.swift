import Catalog
import Jobs
import Reports
import Run
import SourceKit
import SourcesCommand
import Synchronization
import System
import YAML

/// `runner source test`: the rules that a script must keep, a line each on stdout.
struct SourceTestCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        let words = Array(options.operands.dropFirst())
        guard options.operands.first == "test" else {
            return context.refuse(
                "source can only 'test', not '\(displayable(options.operands.first ?? ""))'",
                usage: Command.source.usage)
        }
        do {
            let scratch = try ScratchFolder(for: "source-test")
            defer { scratch.remove() }
            guard let job = try job(of: words, in: scratch.path) else { return .invalidJob }
            let hasFailed = Mutex(false)
            let console = console
            let session = SessionOptions(
                database: "\(scratch.path)/runner.sqlite", runnerVersion: runnerVersion,
                environment: context.environment)
            let fault = Mutex<(any Error)?>(nil)
            try await Plan.make(
                job, options: session, items: { _ in },
                warnings: { line in
                    if line.hasPrefix("FAIL") { hasFailed.withLock { $0 = true } }
                    do {
                        try console.output.write("\(displayable(line))\n")
                        try console.output.flush()
                    } catch {
                        fault.withLock { $0 = error }
                    }
                })
            let code = console.deliver { if let error = fault.withLock({ $0 }) { throw error } }
            return code == .success && hasFailed.withLock { $0 } ? .partial : code
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    /// A job of the script, whose options are those of the file; nil after words on stderr.
    private func job(of words: [String], in folder: String) throws -> Job? {
        var lines = ["name: test", "source:", "  type: command"]
        lines.append("  command: [\(words.map(quoted).joined(separator: ", "))]")
        if let file = options.scriptOptions {
            let text = String(decoding: try options(in: file), as: UTF8.self)
            lines.append("  options:")
            lines += text.split(separator: "\n").filter { !$0.hasPrefix("---") }.map { "    \($0)" }
        }
        lines += ["output: {directory: files}", ""]
        let path = "\(folder)/job.yaml"
        try WholeFile.write(to: path) { try $0.write(lines.joined(separator: "\n")) }
        let loaded = JobLoader(
            registry: SourceRegistry([SourceModule(ScriptSuite.self)]), environment: context.environment
        ).load([path])
        for diagnostic in loaded.diagnostics {
            console.tell("\(options.scriptOptions.map(displayable) ?? "runner"): \(diagnostic.message)")
        }
        guard !loaded.hasErrors, var job = loaded.jobs.first else { return nil }
        job.folder = FilePath.folder(of: FilePath.absolute("x"))
        return job
    }

    private func options(in file: String) throws -> [UInt8] {
        do throws(SystemCallFailure) {
            return try readFile(file, limit: YAMLLimits().maximumBytes + 1)
        } catch {
            throw OptionsError(description: "the options in \(displayable(file)) can't be read: \(error.reason)")
        }
    }

    private struct OptionsError: Error, CustomStringConvertible {
        let description: String
    }

    /// A text of YAML, in which `${` is no variable.
    private func quoted(_ text: String) -> String {
        "'\(text.replacing("${", with: "$${").replacing("'", with: "''"))'"
    }
}
