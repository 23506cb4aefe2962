internal import Dispatch
internal import JSON
internal import Jobs
internal import Server
internal import Storage

extension WebHandler {
    /// The files of items go, and no run fetches them again.
    static let removeItems: Endpoint = { handler, call in
        try handler.change(call) { items, settings in
            try ItemRemoval.remove(items, database: settings.database, environment: settings.environment)
        }
    }

    /// The next run whose list has them fetches items again that were removed.
    static let restoreItems: Endpoint = { handler, call in
        try handler.change(call) { items, settings in
            try ItemRemoval.restore(items, database: settings.database, environment: settings.environment)
        }
    }

    private func change(
        _ call: Call, _ body: @escaping @Sendable ([Int64], WebSettings) throws -> ItemRemoval.Ending
    ) throws {
        let items = try call.body("items").ids("items", atMost: 500)
        waiting.async {
            do {
                let ending = try body(items, self.settings)
                self.hub.note()
                switch ending {
                case .done(let outcome):
                    guard outcome.faults.isEmpty else {
                        throw Problem(500, "Not removed", outcome.faults.joined(separator: "\n"))
                    }
                    self.answer(call, outcome.changed.isEmpty ? .done : .json(Self.document(outcome.changed)))
                case .busy(let job, _):
                    throw Problem(
                        409, "Job is running", "a run of '\(job)' is under way; stop it, or wait until it ends")
                }
            } catch {
                self.refuse(call, error)
            }
        }
    }

    /// Names the files that stay because they were changed since they were stored.
    private static func document(_ changed: [String]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("stays")
        json.beginArray()
        for path in changed { json.value(path) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
