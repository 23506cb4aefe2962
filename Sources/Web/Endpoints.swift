internal import Catalog
internal import Dispatch
internal import JSON
internal import SQLite
internal import Server

/// What is done for a call; it answers, now or later, or throws what is wrong with the call.
typealias Endpoint = @Sendable (WebHandler, Call) throws -> Void

extension WebHandler {
    /// Every path that has data, and what may be done there. `*` is one segment: a job's name or an id.
    static let endpoints: [String: [Method: Endpoint]] = [
        "api/jobs": [.get: jobs],
        "api/jobs/*/runs": [.get: runs],
        "api/jobs/*/collections": [.get: collections],
        "api/jobs/*/items": [.get: items],
        "api/jobs/*/items/index": [.get: itemIndex],
        "api/jobs/*/run": [.post: startRun],
        "api/jobs/*/reset": [.post: resetJob],
        "api/runs/*": [.get: run],
        "api/runs/*/report": [.get: report],
        "api/runs/*/failures": [.get: failures],
        "api/runs/*/transfers": [.get: transfers],
        "api/runs/*/status": [.get: status],
        "api/runs/*/pause": [.post: control("pause")],
        "api/runs/*/resume": [.post: control("resume")],
        "api/runs/*/limits": [.post: control("limits")],
        "api/runs/*/prioritise": [.post: control("prioritise")],
        "api/runs/*/cancel": [.post: control("cancel")],
        "api/runs/*/retry": [.post: control("retry")],
        "api/events": [.get: events],
        "api/items/*": [.get: item],
        "api/items/remove": [.post: removeItems],
        "api/items/restore": [.post: restoreItems],
        "api/places": [.get: places],
        "api/map": [.get: map],
        "api/recents": [.get: recents],
        "api/viewed": [.post: setViewed],
        "api/favourites": [.get: favourites, .post: setFavourite],
        "api/favourites/index": [.get: favouriteIndex],
        "api/pins": [.get: pins, .post: addPin],
        "api/pins/*": [.post: changePin, .delete: removePin],
        "runs/*/report.html": [.get: htmlReport],
        "files/*": [.get: file],
        "pictures/*": [.get: picture],
    ]

    /// Finds the endpoint of a request and calls it.
    func route(_ request: Request, _ responder: Responder) throws(Problem) {
        let segments = request.segments.map(String.init)
        let (methods, variable) = try Self.find(segments, request)
        let method = request.method == .head ? .get : request.method
        guard let endpoint = methods[method] else {
            return answer(Self.wrongMethod(request, allowed: Array(methods.keys)), responder)
        }
        perform(Call(request: request, variable: variable, responder: responder), endpoint)
    }

    private static func find(_ segments: [String], _ request: Request) throws(Problem) -> ([Method: Endpoint], String) {
        if let methods = endpoints[segments.joined(separator: "/")], !segments.contains("*") { return (methods, "") }
        // The one variable segment is behind the name of a kind of things.
        let place = segments.first == "api" ? 2 : 1
        guard segments.count > place else { throw notFound(request) }
        var pattern = segments
        let variable = pattern[place]
        pattern[place] = "*"
        guard let methods = endpoints[pattern.joined(separator: "/")], !variable.isEmpty else {
            throw notFound(request)
        }
        return (methods, variable)
    }

    private func perform(_ call: Call, _ endpoint: Endpoint) {
        do {
            try endpoint(self, call)
        } catch {
            refuse(call, error)
        }
    }

    // MARK: - Answers

    func refuse(_ call: Call, _ error: any Error) {
        answer(Self.problem(error).response, call.responder)
    }

    func answer(_ call: Call, _ response: Response) {
        answer(response, call.responder)
    }

    /// Answers with a document that `write` makes of the catalog, on a reader's queue.
    func answer(
        _ call: Call, _ write: @escaping @Sendable (Connection, inout JSONWriter) throws -> Void
    ) {
        readers.read { connection in
            var json = JSONWriter()
            try write(connection, &json)
            return json.bytes
        } then: { result in
            self.deliver(call, result)
        }
    }

    /// Answers with a document, or with why there is none.
    func deliver(_ call: Call, _ document: Result<[UInt8], any Error>) {
        switch document {
        case .success(let bytes): answer(call, .json(bytes))
        case .failure(let error): refuse(call, error)
        }
    }

    static func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case is LostCursor: Problem(410, "List changed", "begin again without after", field: "after")
        case ResultCode.interrupted:
            Problem(503, "Too slow", "it took more than a second: narrow it by a collection, or take another order")
        case ResultCode.busy:
            Problem(503, "Catalog busy", "another program writes to it; try again")
        case ResultCode.readOnly:
            Problem(403, "Catalog not writable", "this user may only read it")
        case let error as CatalogError: Problem(503, "No catalog", "\(error)")
        default: Problem(500, "Failed", "\(error)")
        }
    }
}
