internal import Catalog
import JSON
package import SQLite

/// The last run of each job in the text format of Prometheus, for the textfile collector of node_exporter.
///
/// The label is `job_name`, since `job` is the scrape's own. There are no timestamps: the collector refuses them. Hosts are
/// without bound, and no label.
package enum PrometheusText {
    package static func write(
        _ report: Report, version: String, libcurl: String, now: Int64, from connection: Connection,
        to output: ReportOutput
    ) throws {
        var page = MetricPage()
        let lasts = try LastRuns(of: report.runs.map(\.job), from: connection)
        runs(report, lasts, now: now, on: &page)
        try contents(report, from: connection, on: &page)
        page.metric(
            "runner_build_info", "The version that wrote this file.",
            [
                ([("version", version), ("libcurl", libcurl)], 1)
            ])
        try output(Array(page.text.utf8))
    }

    private static func runs(_ report: Report, _ lasts: LastRuns, now: Int64, on page: inout MetricPage) {
        let runs = report.runs
        page.metric(
            "runner_run_last_success_timestamp_seconds", "When the last complete run ended, in seconds since 1970.",
            runs.compactMap { run in lasts.complete[run.job].map { ([("job_name", run.job)], seconds($0)) } })
        page.metric(
            "runner_run_last_end_timestamp_seconds", "When the last run ended, in seconds since 1970.",
            runs.compactMap { run in lasts.ended[run.job].map { ([("job_name", run.job)], seconds($0)) } })
        page.metric(
            "runner_run_last_outcome", "1 for the outcome of the last run, 0 for the others.",
            runs.flatMap { run in
                ["running", "complete", "partial", "failed", "interrupted"].map { outcome in
                    ([("job_name", run.job), ("outcome", outcome)], run.outcome == outcome ? 1 : 0)
                }
            })
        page.metric(
            "runner_run_duration_seconds", "How long the last run took, or has taken so far.",
            runs.compactMap { run in run.duration(now: now).map { ([("job_name", run.job)], seconds($0)) } })
        page.metric(
            "runner_run_items", "Items of the last run by outcome.",
            runs.flatMap { run in
                run.counts.named.map { ([("job_name", run.job), ("outcome", $0.name)], Double($0.count)) }
            })
        page.metric(
            "runner_run_received_bytes", "Bytes of bodies that the last run received.",
            runs.map { ([("job_name", $0.job)], Double($0.wireBytes)) })
    }

    private static func contents(_ report: Report, from connection: Connection, on page: inout MetricPage) throws {
        var failures: [MetricPage.Sample] = []
        for run in report.runs {
            for group in try FailureCount.all(ofRun: run.id, from: connection) {
                failures.append(([("job_name", run.job), ("failure", group.word)], Double(group.count)))
            }
        }
        page.metric("runner_run_failures", "Failed items of the last run by reason.", failures)
        var phases: [MetricPage.Sample] = []
        for run in report.runs {
            for phase in run.statistics.phases {
                for (quantile, value) in [("0.5", phase.p50), ("0.9", phase.p90), ("0.99", phase.p99)] {
                    let labels = [("job_name", run.job), ("phase", phase.phase.name), ("quantile", quantile)]
                    phases.append((labels, seconds(value)))
                }
            }
        }
        // A label "quantile" belongs to summaries, which need neither sum nor count.
        page.metric(
            "runner_run_phase_duration_seconds", "How long the phases of the last run's transfers took.", phases,
            type: "summary")
        page.metric(
            "runner_stored_items", "Files that the job has stored.",
            report.runs.map { ([("job_name", $0.job)], Double(report.kept[$0.job]?.files ?? 0)) })
        page.metric(
            "runner_stored_bytes", "Bytes of the files that the job has stored.",
            report.runs.map { ([("job_name", $0.job)], Double(report.kept[$0.job]?.bytes ?? 0)) })
    }

    private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}

/// Metrics in the text exposition format, version 0.0.4.
struct MetricPage {
    typealias Sample = (labels: [(name: String, value: String)], value: Double)

    private(set) var text = ""

    /// A metric with its samples; none where there are no samples.
    mutating func metric(_ name: String, _ help: String, _ samples: [Sample], type: String = "gauge") {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name){\(labels)} \(Self.number(sample.value))\n"
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(isUnsafeToDisplay(scalar) ? "\u{fffd}" : scalar)
            }
        }
        return result
    }
}
