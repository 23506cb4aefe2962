import Catalog
import Reports
import Storage

extension CommandContext {
    /// What is wrong with the words that a command was given.
    func message(_ error: UpkeepError) -> String {
        switch error {
        case .unknownJob(let name, let known): "\(error); \(hint(for: name, among: known))"
        case .unknownCollection(let key, _, let known): "\(error); \(hint(for: key, among: known))"
        case .ambiguous, .unsetVariable: "\(error)"
        }
    }

    /// Who has a job, as `run` reports it.
    func busyText(job: String, _ holder: RunHolder) -> String {
        busyText(job: job, pid: holder.pid, since: holder.since)
    }

    /// The same; process 0 is one that has not written who it is.
    func busyText(job: String, pid: Int32, since: Int64) -> String {
        let holder = pid > 0 ? "another run (pid \(pid), since \(localTimeText(since)))" : "another program"
        return "\(job): \(holder) holds the job; nothing done"
    }
}

/// `1 file`, `2 files`.
func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
