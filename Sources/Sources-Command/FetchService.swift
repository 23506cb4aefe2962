import FoundationEssentials
import HTTP
import JSON
import Model
import SourceKit
import System

/// Does the requests of a script: under the job's limits, retries and rules of trust, counted as the run's own.
final class FetchService: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isCancelled = false
    }

    private let process: ScriptProcess
    private let context: SourceContext
    private let limit: Int
    private let budget: ScriptBudget?
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: requests that may be open at a time.
    ///   - budget: requests to a host in a time.
    init(process: ScriptProcess, context: SourceContext, limit: Int, budget: ScriptBudget?) {
        self.budget = budget
        self.process = process
        self.context = context
        self.limit = limit
    }

    /// Begins a request; its answer goes to the script, whenever it comes.
    func fetch(_ request: ScriptRequest) {
        let isTaken = state.withLock { state in
            guard !state.isCancelled, state.tasks.count < limit else { return false }
            let number = state.next
            state.next += 1
            process.addRequests(1)
            state.tasks[number] = Task { [self] in
                let answer = await answer(request)
                process.send(answer.line)
                process.addRequests(-1)
                remove(number)
            }
            return true
        }
        if !isTaken { process.send(Self.failure(request.id, "busy", "at most \(limit) requests may be open").line) }
    }

    private func remove(_ number: Int) {
        state.withLock { $0.tasks[number] = nil }
    }

    /// Ends what is under way.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.map { $0 }
        }
        for task in tasks { task.cancel() }
    }

    /// Asks within the budget. Attempts count like requests; how many there were is known only afterwards.
    private func fetch(_ url: String, _ headers: [ListedHeader]) async throws -> FetchedReply {
        let host = "\(try WebURL(url).origin)"
        try await spend(1, host)
        do {
            let reply = try await context.fetch(url, headers: headers)
            try await spend(reply.attempts - 1, host)
            return reply
        } catch let error as FetchError {
            // A run that ends counts nothing more.
            if error.failure != .cancelled { try await spend(error.attempts - 1, host) }
            throw error
        }
    }

    private func spend(_ requests: Int, _ host: String) async throws {
        guard let budget, requests > 0 else { return }
        for _ in 0..<requests {
            try await context.budget("scripts \(host)", limit: budget.requests, per: budget.period)
        }
    }

    private func answer(_ request: ScriptRequest) async -> JSONValue {
        do {
            let headers = (request.headers ?? [:]).map { ListedHeader(name: $0.key, value: $0.value) }
            if let reason = context.refusal(of: try WebURL(request.url), headers) {
                return Self.failure(request.id, "untrusted-host", reason)
            }
            let reply = try await fetch(request.url, headers)
            var members: [String: JSONValue] = [
                "type": .text("response"), "id": .integer(Int64(request.id)), "status": .integer(Int64(reply.status)),
                "url": .text(reply.url), "headers": .object(Self.fields(of: reply)),
            ]
            if let text = String(validating: reply.body, as: UTF8.self) {
                members["body"] = .text(text)
            } else {
                members["base64"] = .text(Data(reply.body).base64EncodedString())
            }
            return .object(members)
        } catch let error as FetchError {
            return Self.failure(request.id, error.failure.rawValue, error.description)
        } catch {
            return Self.failure(request.id, "invalid", String(describing: error))
        }
    }

    /// By their names in small letters; several of one name are one, as RFC 9110 section 5.3 has it.
    private static func fields(of reply: FetchedReply) -> [String: JSONValue] {
        let fields = reply.headers.fields.map { ($0.name.lowercased(), $0.value) }
        return Dictionary(fields) { "\($0), \($1)" }.mapValues { .text($0) }
    }

    static func failure(_ id: Int, _ word: String, _ message: String) -> JSONValue {
        .object([
            "type": .text("response"), "id": .integer(Int64(id)), "error": .text(word), "message": .text(message),
        ])
    }
}
