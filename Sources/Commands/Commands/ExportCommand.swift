import Catalog
import Reports
import SQLite

/// `runner export`: a table of the catalog, for other programs.
struct ExportCommand {
    let options: Options
    let context: CommandContext

    func run() -> ExitCode {
        guard let format = TableExport.Format(rawValue: options.operands[0]) else {
            let formats = TableExport.Format.allCases.map(\.rawValue)
            let hint = likeliest(of: formats, for: options.operands[0]).map { "did you mean '\($0)'?" }
            return refuse(
                "unknown format '\(options.operands[0])'; \(hint ?? "it is \(formats.joined(separator: " or "))")")
        }
        if options.defusesFormulas, format != .csv { return refuse("--safe-csv goes with csv, not with \(format)") }
        guard let names = context.jobNames(Array(options.operands.dropFirst()), options) else { return .usage }
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            // A job that is not known is wrong usage, whatever becomes of the output.
            let known = try jobNames(on: connection)
            if let name = names.first(where: { !known.contains($0) }) {
                throw ReportError.unknownJob(name, known: known)
            }
            if let refusal = context.refusal(ofOutput: options) { return refuse(refusal) }
            let toTerminal = options.output == nil && context.console.outputTerminal.isTerminal
            let export = TableExport(format, defusesFormulas: options.defusesFormulas, isForTerminal: toTerminal)
            return try context.write(to: options.output) { output in
                try export.write(options.table, of: names, from: connection) { try output.write($0) }
            }
        } catch let error as ReportError {
            return refuse(context.message(error))
        } catch {
            context.console.complain("\(error)")
            return .failed
        }
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.export.usage)
    }
}

extension CommandContext {
    /// Why the file of `--output` can't be written; nil where it can, or there is none.
    func refusal(ofOutput options: Options) -> String? {
        guard let output = options.output, output != "-" else { return nil }
        return refusal(ofWriting: output, [], options).map { "--output: \($0)" }
    }

    /// Lets a command write its data: to a file, whole or not at all, or to stdout where there is none or it is `-`.
    func write(
        to file: String?, permissions: UInt32? = nil, _ body: (ByteOutput) throws -> Void
    ) throws -> ExitCode {
        guard let file, file != "-" else { return console.deliver { try body(console.output) } }
        try WholeFile.write(to: file, permissions: permissions, body)
        return .success
    }
}
