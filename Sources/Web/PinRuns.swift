internal import Catalog
internal import Dispatch
internal import Jobs
internal import Model
internal import SQLite
internal import Server
internal import Storage

/// `New Collection`: a run for one pin, whose photos take the place of those that it had.
extension WebHandler {
    func startRun(_ call: Call, ofPin id: Int64) {
        let job = call.variable
        withJob(call) { file, connection in
            guard let pin = try PagePin.all(of: job, from: connection).first(where: { $0.id == id }) else {
                throw Problem(404, "No such pin", "the job has no pin \(id)", field: "pin")
            }
            guard file.takesPins else {
                throw Problem(409, "No pins", "the job lists no pins: its source needs 'pins: catalog'", field: "pin")
            }
            if let last = try PageRun.all(of: job, limit: 1, from: connection).first,
                last.outcome == RunOutcome.running.rawValue
            {
                throw Problem(409, "Job is running", "a run of '\(job)' is under way; stop it, or wait until it ends")
            }
            let isAgain = try PinPhotos.exist(ofPin: pin.name, job: job, in: connection)
            return (pin.name, isAgain, file.runArguments + ["--only=\(PinPhotos.pattern(ofPin: pin.name))"])
        } then: { (name: String, isAgain: Bool, arguments: [String]) in
            self.writer.async {
                do {
                    if isAgain {
                        try CatalogLocation.write(self.settings.database) { try PagePin.takeTurn(id, in: $0) }
                    }
                    try self.start(call, arguments) { self.removeOld(ofPin: name, job: job, after: $0) }
                } catch {
                    self.refuse(call, error)
                }
            }
        }
    }

    /// Takes away the photos of a pin that a run has brought others for. Blocks.
    private func removeOld(ofPin name: String, job: String, after child: ChildProgram) {
        guard let code = child.exitCode, code == 0 || code == 1 else { return }
        do {
            let old = try CatalogLocation.write(settings.database) { catalog -> [Int64] in
                guard let run = try PageRun.last(of: job, pid: child.pid, from: catalog) else { return [] }
                return try PinPhotos.leftBehind(byRun: run, ofPin: name, job: job, in: catalog)
            }
            guard !old.isEmpty else { return }
            _ = try ItemRemoval.remove(
                old, for: .replacement, database: settings.database, environment: settings.environment)
            hub.note()
        } catch {
            // They stay beside the new ones; the next run of the whole job delists them.
            return
        }
    }
}
