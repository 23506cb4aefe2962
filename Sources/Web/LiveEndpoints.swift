internal import Catalog
internal import Control
internal import Dispatch
internal import JSON
internal import Model
internal import SQLite
internal import Server

extension WebHandler {
    static let events: Endpoint = { handler, call in
        try call.allow("job")
        handler.answer(call, .events(handler.hub.open(job: call.text("job"))))
    }

    static let status: Endpoint = { handler, call in
        try call.allow()
        handler.ask(call) { client throws(ControlClient.Failure) in try client.get("status") }
    }

    /// A verb of a run's control: the body is the run's to judge.
    static func control(_ verb: String) -> Endpoint {
        { handler, call in
            let body: JSONValue
            if call.request.body.isEmpty {
                body = .object([:])
            } else {
                body = .object(try call.object())
            }
            handler.ask(call) { client throws(ControlClient.Failure) in try client.post(verb, body) }
        }
    }

    /// Asks a run, on a thread that may wait for it, and answers what it answers.
    private func ask(
        _ call: Call,
        _ body: @escaping @Sendable (ControlClient) throws(ControlClient.Failure) -> ControlClient.Answer
    ) {
        readers.read { connection in
            guard let run = try PageRun.one(try call.id(), from: connection) else {
                throw Problem(404, "No such run", "the catalog has no run \(call.variable)")
            }
            return run
        } then: { result in
            self.waiting.async {
                do {
                    let run = try result.get()
                    let response = try Self.answer(run, self.settings, body)
                    if !call.request.method.isSafe {
                        self.rows.states.forget(run.id)
                        self.hub.note()
                    }
                    self.answer(call, response)
                } catch {
                    self.refuse(call, error)
                }
            }
        }
    }

    private static func answer(
        _ run: PageRun, _ settings: WebSettings,
        _ body: (ControlClient) throws(ControlClient.Failure) -> ControlClient.Answer
    ) throws(Problem) -> Response {
        let over = Problem(409, "Not running", "run \(run.id) has ended, or takes no requests")
        guard run.outcome == RunOutcome.running.rawValue,
            let client = ControlClient.find(
                run: run.id, processID: run.pid, database: settings.database, environment: settings.environment)
        else { throw over }
        do throws(ControlClient.Failure) {
            let answer = try body(client)
            return answer.body.isEmpty ? .done : .json(answer.body, status: answer.status)
        } catch {
            switch error {
            case .absent: throw over
            case .refused(let status, let detail): throw Problem(status, "Refused", detail)
            case .broken(let detail): throw Problem(502, "No answer", detail)
            }
        }
    }
}
