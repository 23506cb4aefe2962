import Catalog
import Control
import JSON
import Model
import Reports
import SQLite
import System

/// What `runner control` can ask of a run.
enum ControlAction: String, CaseIterable, Sendable {
    case pause, resume, stop, concurrency
    case perHost = "per-host"
    case bandwidth, cancel, retry

    /// One line, for completions and help.
    var summary: String {
        switch self {
        case .pause: "begin nothing more, of the run or of collections"
        case .resume: "go on"
        case .stop: "end the run; with --now at once"
        case .concurrency: "items in flight at most"
        case .perHost: "transfers to one host at most"
        case .bandwidth: "bytes a second of the whole run, as 5MB/s, or none"
        case .cancel: "cancel items or collections"
        case .retry: "try again what failed, or these items"
        }
    }

    /// How many words follow.
    var values: ClosedRange<Int> {
        switch self {
        case .stop: 0...0
        case .concurrency, .perHost, .bandwidth: 1...1
        case .cancel: 1...500
        case .pause, .resume, .retry: 0...500
        }
    }
}

/// `runner control`: steers a run that is at work.
struct ControlCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    /// A request: the verb of the socket, and its body.
    private struct Order {
        let verb: String
        var body: JSONValue = .object([:])
    }

    func run() async -> ExitCode {
        let (operand, word) = (options.operands[0], options.operands[1])
        let values = Array(options.operands.dropFirst(2))
        guard let action = ControlAction(rawValue: word) else {
            let names = ControlAction.allCases.map(\.rawValue)
            let hint = likeliest(of: names, for: word).map { "did you mean '\($0)'?" } ?? names.joined(separator: ", ")
            return refuse("unknown action '\(word)'; \(hint)")
        }
        guard action.values.contains(values.count) else {
            return refuse(
                values.count < action.values.lowerBound
                    ? "\(word) needs \(action == .cancel ? "a key" : "a value")"
                    : "\(word) takes \(action.values.upperBound == 0 ? "nothing" : "one value") behind it")
        }
        guard !options.isNow || action == .stop else { return refuse("--now is for stop") }
        guard let names = context.jobNames([operand], options) else { return .invalidJob }
        guard let name = names.first, names.count == 1 else {
            return refuse("the file has several jobs: \(names.joined(separator: ", ")); give the name of one")
        }
        do {
            let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
            let connection = try CatalogLocation.openForReading(path)
            defer { connection.close() }
            let known = try CatalogRun.jobs(on: connection)
            guard known.contains(name) else {
                return refuse(context.message(UpkeepError.unknownJob(name, known: known)))
            }
            guard let run = try CatalogRun.atWork(on: connection).last(where: { $0.job == name }) else {
                console.tell("\(name): no run is under way")
                return .unavailable
            }
            let orders: [Order]
            do throws(OrderFault) {
                orders = try self.orders(action, values, of: name, on: connection)
            } catch {
                return refuse(error.message)
            }
            return await send(orders, action, to: run, database: path)
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.control.usage)
    }

    // MARK: What is asked

    private struct OrderFault: Error {
        let message: String
    }

    private func orders(
        _ action: ControlAction, _ values: [String], of job: String, on catalog: Connection
    ) throws(OrderFault) -> [Order] {
        switch action {
        case .pause, .resume:
            guard !values.isEmpty else { return [Order(verb: action.rawValue)] }
            let (collections, items) = try targets(values, of: job, on: catalog)
            guard items.isEmpty else { throw OrderFault(message: "\(action.rawValue) takes keys of collections") }
            return [
                Order(verb: action.rawValue, body: .object(["collections": .list(collections.map(JSONValue.text))]))
            ]
        case .stop: return [Order(verb: "cancel", body: .object(["run": .flag(true), "now": .flag(options.isNow)]))]
        case .concurrency, .perHost:
            guard let count = try? OptionValue.count(values[0], upTo: 1_024), count > 0 else {
                throw OrderFault(
                    message: "\(action.rawValue) must be a whole number from 1 to 1024, not '\(values[0])'")
            }
            let key = action == .perHost ? "per_host" : "concurrency"
            return [Order(verb: "limits", body: .object([key: .integer(Int64(count))]))]
        case .bandwidth:
            guard values[0] == "none" || ByteRate(values[0]) != nil else {
                throw OrderFault(message: "bandwidth must be a rate such as 5MB/s, or none, not '\(values[0])'")
            }
            return [Order(verb: "limits", body: .object(["bandwidth": .text(values[0])]))]
        case .cancel, .retry:
            guard !values.isEmpty else { return [Order(verb: "retry", body: .object(["failed": .flag(true)]))] }
            let (collections, items) = try targets(values, of: job, on: catalog)
            var orders: [Order] = []
            if !items.isEmpty {
                orders.append(
                    Order(verb: action.rawValue, body: .object(["items": .list(items.map(JSONValue.integer))])))
            }
            guard !collections.isEmpty else { return orders }
            guard action == .cancel else { throw OrderFault(message: "retry takes keys of items") }
            orders.append(Order(verb: "cancel", body: .object(["collections": .list(collections.map(JSONValue.text))])))
            return orders
        }
    }

    private func targets(
        _ words: [String], of job: String, on catalog: Connection
    ) throws(OrderFault) -> (collections: [String], items: [Int64]) {
        var collections: [String] = []
        var items: [Int64] = []
        for word in words {
            do {
                switch try SteeringTarget.find(word, of: job, on: catalog) {
                case .collection(let key): collections.append(key)
                case .item(let id): items.append(id)
                }
            } catch SteeringTarget.Fault.ambiguous(let keys) {
                let shown = keys.map(displayable).joined(separator: ", ")
                throw OrderFault(message: "several of '\(job)' are called '\(word)'; give a key: \(shown)")
            } catch SteeringTarget.Fault.unknown {
                throw OrderFault(message: "\(job) has no collection or item '\(word)'")
            } catch {
                throw OrderFault(message: "\(error)")
            }
        }
        return (collections, items)
    }

    // MARK: The answer

    private func send(
        _ orders: [Order], _ action: ControlAction, to run: CatalogRun, database: String
    ) async -> ExitCode {
        let environment = context.environment
        let result = await offPool { () -> Result<[ControlClient.Answer], ControlClient.Failure> in
            guard
                let client = ControlClient.find(
                    run: run.id, processID: run.processID, database: database, environment: environment)
            else { return .failure(.absent) }
            do throws(ControlClient.Failure) {
                var answers: [ControlClient.Answer] = []
                for order in orders { answers.append(try client.post(order.verb, order.body)) }
                return .success(answers)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let answers):
            console.tell("\(run.job): \(words(action, answers))")
            return .success
        case .failure(.absent):
            console.tell(
                "\(run.job): the run \(run.id) (pid \(run.processID)) has no control socket, or has just ended")
            return .unavailable
        case .failure(.refused(let status, let detail)):
            console.tell("\(run.job): \(detail)")
            return status == 409 ? .unavailable : .failed
        case .failure(.broken(let reason)):
            console.tell("\(run.job): \(reason)")
            return .failed
        }
    }

    private func words(_ action: ControlAction, _ answers: [ControlClient.Answer]) -> String {
        let members = answers.compactMap { answer -> [String: JSONValue]? in
            if case .object(let members)? = JSONValue(parsing: answer.body) { members } else { nil }
        }
        func number(_ name: String) -> Int64 {
            members.reduce(0) { sum, members in
                if case .integer(let number)? = members[name] { sum + number } else { sum }
            }
        }
        switch action {
        case .pause: return "paused; what is in flight may end"
        case .resume: return "resumed"
        case .stop: return options.isNow ? "stopping at once" : "stopping; what is in flight may end"
        case .concurrency: return "concurrency \(number("concurrency"))"
        case .perHost: return "per_host \(number("per_host"))"
        case .bandwidth:
            let rate = number("bandwidth")
            return rate > 0
                ? "bandwidth \(byteText(rate))/s, concurrency \(number("concurrency"))" : "no bandwidth limit"
        case .cancel: return "\(counted(Int(number("items")), "item")) cancelled"
        case .retry: return "\(counted(Int(number("items")), "item")) tried again"
        }
    }
}
