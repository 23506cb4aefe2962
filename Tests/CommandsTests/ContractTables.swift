import JSON
import Reports
import SQLite
import SourcesAll
import YAML

@testable import Catalog
@testable import Commands
@testable import HTTP
@testable import Jobs
@testable import Model
@testable import SourceKit

/// The tables of the contract, from the program's own.
enum ContractTables {
    static let all: [(name: String, table: @Sendable () throws -> String)] = [
        ("commands", commands), ("flags", flags), ("exits", exits), ("events", events), ("actions", actions),
        ("keys", keys),
        ("fields", fields), ("sources", sources), ("columns", columns), ("outcomes", outcomes), ("failures", failures),
        ("curl", curl),
    ]

    static let registry = SourceRegistry.all

    @Sendable private static func commands() -> String {
        markdown(["command", "what it does"], Command.allCases.map { ["`\($0.usage)`", $0.summary] })
    }

    @Sendable private static func flags() -> String {
        markdown(
            ["flag", "of", "what it does"],
            FlagTable.all.map { flag in
                let names = (flag.letter.map { "`-\($0)`, " } ?? "") + "`\(flag.usage)`"
                let commands =
                    flag.commands == Command.allCases ? "all" : flag.commands.map(\.rawValue).joined(separator: ", ")
                return [names + (flag.isRepeatable ? " (repeatable)" : ""), commands, flag.help]
            })
    }

    @Sendable private static func exits() -> String {
        markdown(
            ["command", "exit code", "meaning"],
            Command.allCases.flatMap { command in command.exits.map { ["`\(command.rawValue)`", $0.code, $0.meaning] } }
        )
    }

    /// The members of an event of each kind, in their order.
    @Sendable private static func events() throws -> String {
        let rows = RunEvent.samples.map { event in
            var json = JSONWriter()
            EventLine.append(event, to: &json)
            // The samples hold no colon and no quote in a value, so that what stands before a colon is a name.
            let parts = String(decoding: json.bytes, as: UTF8.self).split(separator: "\"")
            let names = parts.indices.dropLast().filter { parts[$0 + 1].hasPrefix(": ") || parts[$0 + 1] == ": " }
                .map { String(parts[$0]) }
            return ["`\(parts[3])`", names.dropFirst().map { "`\($0)`" }.joined(separator: " ")]
        }
        return markdown(["event", "members"], rows)
    }

    @Sendable private static func actions() -> String {
        markdown(["action", "what a run would do"], PlanWord.allCases.map { ["`\($0.rawValue)`", $0.meaning] })
    }

    @Sendable private static func keys() -> String {
        markdown(["key", "type", "default", "what it does"], rows(JobDocument.fields.documentation, within: ""))
    }

    private static func rows(_ fields: [FieldDocumentation], within prefix: String) -> [[String]] {
        fields.flatMap { field in
            let value = field.isRequired ? "required" : field.default.map { "`\($0)`" } ?? ""
            return [["`\(prefix)\(field.name)`", field.type, value, field.help]]
                + rows(field.fields, within: "\(prefix)\(field.name).")
        }
    }

    @Sendable private static func fields() -> String {
        markdown(["field", "value"], PathTemplate.commonFields.map { ["`{\($0.name)}`", $0.help] })
    }

    @Sendable private static func sources() -> String {
        markdown(
            ["source", "key", "type", "default", "what it does"],
            registry.modules.flatMap { module in
                rows(module.options, within: "source.").map { ["`\(module.type)`"] + $0 }
            })
    }

    @Sendable private static func columns() throws -> String {
        let connection = try Connection.inMemory()
        try CatalogSchema.migrator.migrate(connection)
        let tables = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        ) { row in try row[0] as String }
        let rows = try tables.map { table in
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", table) { row in
                try row[0] as String
            }
            return ["`\(table)`", columns.map { "`\($0)`" }.joined(separator: " ")]
        }
        return markdown(["table", "columns"], rows)
    }

    @Sendable private static func outcomes() -> String {
        let runs: [RunOutcome] = [.running, .complete, .partial, .failed, .interrupted]
        let transfers: [TransferOutcome] = [.downloaded, .unchanged, .fresh, .evicted, .failed, .cancelled]
        return markdown(
            ["column", "value", "meaning"],
            runs.map { ["`run.outcome`", "`\($0.rawValue)`", meaning(of: $0)] }
                + transfers.map { ["`transfer.outcome`", "`\($0.rawValue)`", meaning(of: $0)] })
    }

    private static func meaning(of outcome: RunOutcome) -> String {
        switch outcome {
        case .running: "not ended; without a process that holds its lock, interrupted"
        case .complete: "every selected item is stored or evicted, or is a known failure that the job ignores"
        case .partial: "some items failed, or a deadline or a person cut the run"
        case .failed: "the list could not be begun or ended early; the disk or the catalog failed"
        case .interrupted: "stopped by a signal, or killed"
        }
    }

    private static func meaning(of outcome: TransferOutcome) -> String {
        switch outcome {
        case .downloaded: "new bytes were published"
        case .unchanged: "the server was asked: 304, or the same SHA-256"
        case .fresh: "nothing was asked"
        case .evicted: "nothing was asked: the file has gone to keep within `output.max_bytes`"
        case .failed: "no new file; the word is in `failure`"
        case .cancelled: "stopped before it ended"
        }
    }

    @Sendable private static func failures() -> String {
        markdown(
            ["word", "meaning", "tried again"],
            FailureWord.allCases.map { word in ["`\(word.rawValue)`", word.explanation, transientFailure(of: word)] })
    }

    /// By the codes of libcurl that have the word, or the statuses of HTTP.
    private static func transientFailure(of word: FailureWord) -> String {
        if word == .http {
            let statuses = (400...599).filter {
                TransferFailure(status: $0, headers: HTTPHeaders(), now: 0).isTransient
            }
            return "status " + statuses.map(String.init).joined(separator: ", ")
        }
        if word == .checksum { return "the server's; the list's only after a resumed body" }
        let kinds = HTTPFailure.Kind.allCases.filter { FailureWord($0) == word }
        let codes = curlFailureTable.filter { FailureWord($0.kind) == word }.map(\.isTransient)
        if codes.isEmpty { return kinds.contains(where: \.isUsuallyTransient) ? "yes" : "no" }
        if codes.allSatisfy(\.self) { return "yes" }
        return codes.contains(true) ? "by its code, below" : "no"
    }

    @Sendable private static func curl() -> String {
        markdown(
            ["CURLcode", "number", "failure", "tried again"],
            curlFailureTable.map { entry in
                [
                    "`\(entry.name)`", "\(entry.code)", "`\(FailureWord(entry.kind).rawValue)`",
                    entry.isTransient ? "yes" : "no",
                ]
            })
    }
}
