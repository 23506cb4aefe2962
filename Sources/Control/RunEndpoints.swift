import JSON
import Run
import Server
import System
import YAML

/// What a run's socket answers.
final class RunEndpoints: Sendable {
    private typealias Answer = @Sendable (Response) -> Void

    private let run: RunHandle
    private let streams: RunStreams

    /// Ids that a request may have.
    private static let mostItems = 500
    private static let limits = 1...1_024

    init(_ run: RunHandle, _ streams: RunStreams) {
        self.run = run
        self.streams = streams
    }

    private enum Verb: String, CaseIterable {
        case status, events, pause, resume, limits, prioritise, cancel, retry

        var method: Method { self == .status || self == .events ? .get : .post }
        var path: String { "/v1/\(rawValue)" }
    }

    /// On the server's thread.
    func answer(_ request: Request, _ responder: Responder) {
        guard let verb = Verb.allCases.first(where: { $0.path == request.path }) else {
            return responder.answer(unknownPath(request.path))
        }
        guard request.method == verb.method else {
            var response = Problem(405, "Wrong method", "\(verb.path) is asked by \(verb.method.rawValue)").response
            response.headers.append(("Allow", verb.method.rawValue))
            return responder.answer(response)
        }
        switch verb {
        case .status: status { responder.answer($0) }
        case .events:
            let last = request.headers["last-event-id"].flatMap(Int.init)
            streams.begin(after: last.flatMap { $0 >= 0 ? $0 : nil }) { responder.answer($0) }
        default:
            // Verbs wait for the catalog's queue, and nothing may wait on the server's thread.
            Task { responder.answer(await response(to: verb, request.body)) }
        }
    }

    private func unknownPath(_ path: String) -> Response {
        let paths = Verb.allCases.map(\.path)
        let hint = closestMatch(to: path, in: paths).map { "did you mean \($0)?" }
        return Problem(
            404, "No such path", hint ?? "there are \(paths.joined(separator: ", "))"
        ).response
    }

    private func status(_ answer: @escaping Answer) {
        run.live.join { [run] in
            defer {
                // Who asks again soon finds rates of the last seconds.
                Timers.after(RunStreams.linger) { run.live.leave() }
            }
            guard let view = run.live.view(of: run.job) else {
                return answer(Problem(409, "The run is over", "the catalog has its report").response)
            }
            answer(.json(StatusJSON.status(run, view)))
        }
    }

    // MARK: Verbs

    private func response(to verb: Verb, _ body: [UInt8]) async -> Response {
        do {
            return try await perform(verb, body)
        } catch let problem as Problem {
            return problem.response
        } catch let refusal as RunRefusal {
            return Self.problem(refusal).response
        } catch {
            return Problem(500, "The catalog cannot be used", "\(error)").response
        }
    }

    private static func problem(_ refusal: RunRefusal) -> Problem {
        switch refusal {
        case .unknownCollection(let key):
            Problem(404, "No such collection", "the run has no collection '\(key.prefix(200))'", field: "collections")
        case .unknownItems: Problem(404, "No such item", "none of these items is one of the run", field: "items")
        case .state(let reason): Problem(409, "Not now", reason)
        }
    }

    private func perform(_ verb: Verb, _ bytes: [UInt8]) async throws -> Response {
        switch verb {
        case .pause, .resume:
            let body = try RequestBody(bytes, known: ["collections"])
            switch (try body.keys("collections"), verb) {
            case (let keys?, .pause): try await run.pause(collections: keys)
            case (let keys?, _): try await run.resume(collections: keys)
            case (nil, .pause): try run.pause()
            case (nil, _): try run.resume()
            }
            return Response(status: 204)
        case .limits:
            let body = try RequestBody(bytes, known: ["concurrency", "per_host", "bandwidth"])
            guard !body.isEmpty else {
                throw RequestBody.refusal("give at least one of concurrency, per_host and bandwidth")
            }
            let limits = try run.setLimits(
                concurrency: try body.count("concurrency", in: Self.limits),
                perHost: try body.count("per_host", in: Self.limits), bandwidth: try body.bandwidth("bandwidth"))
            var json = JSONWriter()
            json.beginObject()
            StatusJSON.append(limits, &json)
            json.endObject()
            json.endLine()
            return .json(json.bytes)
        case .prioritise:
            let body = try RequestBody(bytes, known: ["items"])
            guard let items = try body.items("items", atMost: Self.mostItems) else {
                throw RequestBody.refusal("give items, a list of ids, which may be empty", "items")
            }
            try await run.prioritise(items)
            return Response(status: 204)
        case .cancel: return try await cancel(try RequestBody(bytes, known: ["items", "collections", "run", "now"]))
        case .retry: return try await retry(try RequestBody(bytes, known: ["items", "failed"]))
        case .status, .events: return unknownPath(verb.path)
        }
    }

    private func cancel(_ body: RequestBody) async throws -> Response {
        let given = ["items", "collections", "run"].filter(body.has)
        guard given.count == 1 else {
            throw RequestBody.refusal("give one of items, collections and run", given.last)
        }
        let now = try body.flag("now")
        guard now == nil || given == ["run"] else {
            throw RequestBody.refusal("now belongs to run: items and collections end at once", "now")
        }
        if let items = try body.items("items", atMost: Self.mostItems) {
            return Self.count(try await run.cancel(items: items))
        }
        if let keys = try body.keys("collections") {
            return Self.count(try await run.cancel(collections: keys))
        }
        guard try body.flag("run") == true else { throw RequestBody.refusal("run is true", "run") }
        run.stop(now: now ?? false)
        return Response(status: 204)
    }

    private func retry(_ body: RequestBody) async throws -> Response {
        guard body.has("items") != body.has("failed") else {
            throw RequestBody.refusal("give either items or failed", "failed")
        }
        if let items = try body.items("items", atMost: Self.mostItems) {
            return Self.count(try await run.retry(items))
        }
        guard try body.flag("failed") == true else { throw RequestBody.refusal("failed is true", "failed") }
        return Self.count(try await run.retry(nil))
    }

    private static func count(_ items: Int) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("items", Int64(items))
        json.endObject()
        json.endLine()
        return .json(json.bytes)
    }
}
