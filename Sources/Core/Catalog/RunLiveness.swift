import Files
import Glibc
import Model
import SQLite

/// Which runs go on. A run that was killed leaves its row `running`; the next run of its job puts that right, and whoever
/// reads the catalog before then asks here.
enum RunLiveness {
    /// What `run.outcome` comes to for a reader: `interrupted` for a row that says `running` while no process works on it.
    ///
    /// Nothing is written.
    static func outcome(
        _ outcome: String, job: String, processID: Int64, host: String, catalog: String
    ) -> String {
        guard outcome == RunOutcome.running.rawValue,
            !isAlive(job: job, processID: processID, host: host, catalog: catalog)
        else { return outcome }
        return RunOutcome.interrupted.rawValue
    }

    /// Whether the process that a row names has the job's lock. A lock that may not be read is another user's; then its
    /// process tells, as far as it is on this machine.
    private static func isAlive(job: String, processID: Int64, host: String, catalog: String) -> Bool {
        // Its shards are on their way; no process of this machine works on it.
        if processID == ShardRows.noProcess { return true }
        do throws(FileError) {
            switch try FileLock.state(of: CatalogLocation.lock(of: job, catalog: catalog)) {
            case .free: return false
            // `verify --repair` and others take the lock as well, and have no row.
            case .held(by: let holder?): return (Int64(holder.pid), holder.host) == (processID, host)
            case .held(by: nil): return true
            }
        } catch {
            guard host == hostName(), let processID = pid_t(exactly: processID) else { return true }
            return kill(processID, 0) == 0 || errno == EPERM
        }
    }

    /// The runs that go on, by id.
    static func running(on catalog: Connection) throws -> Set<Int64> {
        let rows = try catalog.rows("SELECT id, job, pid, host FROM run WHERE outcome = 'running'") { row in
            (id: try row[0] as Int64, job: try row[1] as String, pid: try row[2] as Int64, host: try row[3] as String)
        }
        return Set(
            rows.filter { isAlive(job: $0.job, processID: $0.pid, host: $0.host, catalog: catalog.path) }.map(\.id))
    }
}

/// The name of this machine.
package func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
