import Catalog
import Control
import JSON
import SQLite
import System

/// Ends a run that is at work, and waits for its end.
enum RunStop {
    /// The run of a job that is at work; nil where none is.
    static func find(
        _ job: String, database: String, _ environment: [String: String]
    ) throws -> CatalogRun? {
        let connection = try CatalogLocation.openForReading(database)
        defer { connection.close() }
        return try CatalogRun.atWork(on: connection).last { $0.job == job }
    }

    /// Asks the run to stop, and returns when its process has let go of the job.
    ///
    /// - Returns: why it cannot be stopped; nil once it has ended.
    static func stop(_ run: CatalogRun, database: String, _ environment: [String: String]) async -> String? {
        let refusal = await offPool { () -> String? in
            guard
                let client = ControlClient.find(
                    run: run.id, processID: run.processID, database: database, environment: environment)
            else { return "it has no control socket" }
            do throws(ControlClient.Failure) {
                _ = try client.post("cancel", .object(["run": .flag(true), "now": .flag(false)]))
                // Until the end: what is in flight has its time.
                try client.events { _, _ in true }
                return nil
            } catch {
                switch error {
                // It has ended between one request and the next.
                case .absent: return nil
                case .refused(_, let detail): return detail
                case .broken(let reason): return reason
                }
            }
        }
        if let refusal { return refusal }
        // The last row is written, and the locks go a moment after.
        for _ in 0..<200 where (try? find(run.job, database: database, environment)) != nil {
            try? await Task.sleep(for: .milliseconds(25))
        }
        return nil
    }
}
