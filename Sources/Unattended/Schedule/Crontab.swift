import Reports

/// A line of a crontab for a job, with the environment that cron does not give.
package enum Crontab {
    /// - Parameter isSystem: whether it is for `/etc/cron.d`, where a line says who runs it.
    /// - Returns: nil where cron has no such times.
    package static func make(_ job: ScheduledJob, isSystem: Bool) -> ScheduleFile? {
        guard let fields = job.cadence.cronFields else { return nil }
        var lines = [
            "\(ScheduleFile.mark): the job \(job.name) runs \(job.cadence.words). One line is mail: some failed.",
            ScheduleFile.ownerLine(job),
            "SHELL=/bin/sh", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "MAILTO=root",
        ]
        for (name, value) in job.environment { lines.append("\(name)=\(value)") }
        if !job.variables.isEmpty {
            lines.append("# The job file uses these; a file with values is for its owner's eyes alone.")
            lines += job.variables.map { "#\($0)=" }
        }
        // A percent sign ends the command (crontab(5)).
        let command = job.words(hasJitter: true, log: false).map(shellWord).joined(separator: " ")
            .replacing("%", with: "\\%")
        lines.append("\(fields) \(isSystem ? "\(job.user ?? "root") " : "")\(command)")
        // cron reads no file below /etc/cron.d that has a dot in its name.
        let name = "runner-" + job.name.replacing(".", with: "_")
        return ScheduleFile(name: name, text: lines.joined(separator: "\n") + "\n")
    }
}
