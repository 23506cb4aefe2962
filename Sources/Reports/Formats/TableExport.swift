package import Catalog
import JSON
package import SQLite

/// Rows of the catalog as CSV or JSON Lines, with the columns of the views that `docs/catalog.md` describes.
package struct TableExport: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// RFC 4180: a header line, then a line for each row.
        case csv
        /// An object on a line for each row, with the types that the catalog has.
        case jsonl
    }

    let format: Format
    let defusesFormulas: Bool
    let isForTerminal: Bool

    /// - Parameters:
    ///   - defusesFormulas: whether texts in CSV that begin like a formula get an apostrophe before them.
    ///   - isForTerminal: whether what controls a terminal is replaced in CSV; JSON Lines always escape it.
    package init(_ format: Format, defusesFormulas: Bool = false, isForTerminal: Bool = false) {
        self.format = format
        self.defusesFormulas = defusesFormulas
        self.isForTerminal = isForTerminal
    }

    /// Writes a table's rows of these jobs; of all, when there are none.
    ///
    /// - Throws: `ReportError.unknownJob`, and what SQLite and `output` throw.
    package func write(
        _ table: CatalogTable, of jobs: [String], from connection: Connection, to output: ReportOutput
    ) throws {
        let known = try jobNames(on: connection)
        for job in jobs where !known.contains(job) { throw ReportError.unknownJob(job, known: known) }
        var lines = Lines(self, columns: try table.columns(on: connection))
        try table.forEach(of: jobs.isEmpty ? known : jobs, from: connection) { row in
            try lines.append(row)
        } flush: {
            try lines.flush(to: output)
        }
        try lines.flush(to: output)
    }

    /// Writes the transfers of the report's runs.
    package func write(_ report: Report, from connection: Connection, to output: ReportOutput) throws {
        var lines = Lines(self, columns: try CatalogTable.transfer.columns(on: connection))
        for run in report.runs {
            try CatalogTable.forEachTransfer(ofRun: run.id, from: connection) { row in
                try lines.append(row)
            } flush: {
                try lines.flush(to: output)
            }
        }
        try lines.flush(to: output)
    }

    /// Rows in one of the formats, on their way out.
    private struct Lines {
        private let format: Format
        private let columns: [String]
        private var csv: CSVWriter
        private var json = JSONWriter()

        init(_ export: TableExport, columns: [String]) {
            format = export.format
            self.columns = columns
            csv = CSVWriter(defusesFormulas: export.defusesFormulas, isForTerminal: export.isForTerminal)
            if format == .csv { csv.header(columns) }
        }

        mutating func append(_ row: borrowing Row) throws {
            switch format {
            case .csv: try csv.line(row)
            case .jsonl:
                json.beginObject()
                for column in columns.indices { try json.member(columns[column], row, column) }
                json.endObject()
                json.endLine()
            }
        }

        mutating func flush(to output: ReportOutput) throws {
            let bytes = format == .csv ? csv.bytes : json.bytes
            guard !bytes.isEmpty else { return }
            try output(bytes)
            csv.removeBytes()
            json.removeBytes()
        }
    }
}
