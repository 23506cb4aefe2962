internal import Dispatch
internal import Jobs
internal import Server
internal import Storage

extension WebHandler {
    /// The files of items go, and no run fetches them again.
    static let removeItems: Endpoint = { handler, call in
        let items = try call.body("items").ids("items", atMost: 500)
        handler.waiting.async {
            do {
                let ending = try ItemRemoval.remove(
                    items, database: handler.settings.database, environment: handler.settings.environment)
                handler.hub.note()
                switch ending {
                case .done(faults: []): handler.answer(call, .done)
                case .done(let faults): throw Problem(500, "Not removed", faults.joined(separator: "\n"))
                case .busy(let job, _):
                    throw Problem(
                        409, "Job is running", "a run of '\(job)' is under way; stop it, or wait until it ends")
                }
            } catch {
                handler.refuse(call, error)
            }
        }
    }

    /// The next run fetches items again that were removed.
    static let restoreItems: Endpoint = { handler, call in
        let items = try call.body("items").ids("items", atMost: 500)
        handler.write(call) { catalog in
            try ItemRemoval.restore(items, on: catalog)
            return nil
        }
    }
}
