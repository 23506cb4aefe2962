import HTTP
package import YAML

/// `notify:`: who hears how runs of a job ended.
package struct JobNotifications: Sendable {
    /// A file that ends in `.prom`, or a folder for `runner-NAME.prom`; absolute.
    package var metrics: String?
    /// A URL in the form of healthchecks.io, which may hold a secret.
    package var heartbeat: String?
    /// A program and its arguments.
    package var command: [String]?
    package var occasion = NotifyOccasion.failure

    package init() {}

    package var isEmpty: Bool { metrics == nil && heartbeat == nil && command == nil }

    /// The file for the metrics of a job.
    package func metricsFile(of job: String) -> String? {
        metrics.map { path in
            if path.hasSuffix(".prom") { return path }
            return path + (path.hasSuffix("/") ? "" : "/") + "runner-\(job).prom"
        }
    }
}

/// `notify.on`: which ends of runs `notify.command` hears of.
package enum NotifyOccasion: String, Sendable, CaseIterable {
    /// Every run that failed.
    case failure
    /// The first run that failed, and the first that did not again.
    case change
    /// Every run.
    case always
}

extension NotifyOccasion: YAMLEnum {}

extension JobNotifications: YAMLRecord {
    package static let fields = FieldTable<JobNotifications>([
        .optional(
            "metrics", \.metrics, default: "none",
            help: "figures of the last run for Prometheus: a file that ends in .prom, or a folder for runner-NAME.prom",
            example: "/var/lib/prometheus/node-exporter", check: complaint(aboutPath:)),
        .optional(
            "heartbeat", \.heartbeat, default: "none",
            help: "a URL that is asked with /start when a run begins, and with /N when it ends with exit code N",
            example: "https://hc-ping.com/your-uuid", check: complaint(aboutURL:)),
        .optional(
            "command", \.command, default: "none",
            help: "a program and its arguments, which gets the end of a run as JSON on stdin",
            example: "[./on-failure.sh, ops@example.org]", check: complaint(aboutCommand:)),
        .optional("on", \.occasion, default: "failure", help: "which ends of runs the command hears of"),
    ])

    private static func complaint(aboutPath path: String) -> String? {
        path.isEmpty || path.utf8.contains(0) ? "must be a file or a folder" : nil
    }

    private static func complaint(aboutURL text: String) -> String? {
        (try? WebURL(text)) == nil ? "must be an http or https URL" : nil
    }

    private static func complaint(aboutCommand words: [String]) -> String? {
        if words.first?.isEmpty ?? true { return "must begin with a program" }
        return words.contains { $0.utf8.contains(0) } ? "can't have a zero byte" : nil
    }
}
