import HTTP
import JSON
import Model
import SourceKit

/// What a script wrote when it was asked to list, and what of it is against the rules.
struct ScriptListing {
    /// Whatever made the list no list.
    var faults: [String] = []
    var countFaults: [String] = []
    var orderFaults: [String] = []
    var keyFaults: [String] = []
    var titleFaults: [String] = []
    var itemFaults: [String] = []
    var collectionFaults: [String] = []
    var requestFaults: [String] = []
    /// Of the items, in order.
    var keys: [String] = []
    /// The template fields of the items that have other ones than those before.
    var fields: [(key: String, names: Set<String>)] = []
    var memory: JSONValue?
    /// Lines of standard error.
    var words: [String] = []

    private var collections: Set<String> = []
    private var known: Set<String> = []
    private var done: ScriptMessage.Done?

    /// What a script did in answer to something.
    enum Answer {
        case message(ScriptMessage)
        case failed(String)

        /// In place of what should have come.
        var words: String {
            switch self {
            case .failed(let reason): reason
            case .message(.error(let fault)): "it answers with the error: \(fault.message)"
            case .message: "it answers with another message"
            }
        }
    }

    /// The first messages that a script writes when it is asked; fewer when it ends, or is silent for ten seconds.
    static func answers(
        to calls: [ScriptCall], _ launch: ScriptProcess.Launch, count: Int, _ context: SourceContext
    ) async -> [Answer] {
        var launch = launch
        launch.idleTimeout = ScriptInterview.patience
        let script = ScriptProcess(launch)
        for call in calls { script.send(call.line) }
        var answers: [Answer] = []
        reading: while answers.count < count {
            switch await script.next() {
            case .lines(let lines):
                for line in lines where answers.count < count {
                    do throws(ScriptError) {
                        answers.append(.message(try ScriptMessage(line)))
                    } catch {
                        answers.append(.failed(error.quoting(in: context).description))
                        break reading
                    }
                }
            case .ended(let end):
                if end.cause != .exited(0) {
                    answers.append(.failed(end.words(for: "it", idleTimeout: ScriptInterview.patience)))
                }
                break reading
            }
        }
        await script.end()
        return answers
    }

    /// Has a script list.
    ///
    /// - Parameter isSlow: whether its lines are taken slowly, so that it meets a pipe that is full.
    static func read(
        _ options: CommandOptions, _ launch: ScriptProcess.Launch, memory: JSONValue?, _ context: SourceContext,
        isSlow: Bool = false
    ) async -> ScriptListing {
        var listing = ScriptListing()
        let script = RunningScript(ScriptProcess(launch), context)
        script.process.send(ScriptCall.spec.line)
        script.process.send(ScriptCall.list(options.options, memory: memory).line)
        var pauses = isSlow ? 10 : 0
        while true {
            switch await script.next() {
            case .lines(let lines):
                for line in lines where listing.faults.isEmpty { listing.take(line, script, context) }
                if !listing.faults.isEmpty { await script.process.end() }
                if pauses > 0 {
                    pauses -= 1
                    try? await Task.sleep(for: .milliseconds(100))
                }
            case .ended(let end):
                listing.close(end, launch)
                return listing
            }
        }
    }

    private mutating func take(_ line: [UInt8], _ script: RunningScript, _ context: SourceContext) {
        do throws(ScriptError) {
            let message = try ScriptMessage(line)
            if done != nil { throw ScriptError("it writes more after done") }
            try take(message, script, context)
            if case .item(let item) = message, ScriptMessage.hasLongTitle(line) {
                titleFaults.append("that of '\(item.key)' has more")
            }
        } catch {
            faults.append(error.quoting(in: context).description)
        }
    }

    private mutating func take(
        _ message: ScriptMessage, _ script: RunningScript, _ context: SourceContext
    ) throws(ScriptError) {
        switch message {
        case .collection(let collection, let faults):
            collectionFaults += faults.map { "of '\(collection.key)' \($0)" }
            if !collections.insert(collection.key).inserted {
                keyFaults.append("the collection '\(collection.key)' comes twice")
            }
            if collection.key.isEmpty { keyFaults.append("a collection has an empty key") }
        case .item(let item): take(item)
        case .memory(let value): memory = value
        case .request(let request):
            let headers = (request.headers ?? [:]).map { ListedHeader(name: $0.key, value: $0.value) }
            if let url = try? WebURL(request.url), let refusal = context.refusal(of: url, headers) {
                requestFaults.append(refusal)
            }
            script.fetch(request)
        case .error(let fault): throw ScriptError("it says: \(fault.message)")
        case .problem(_, let text): throw ScriptError("it says: \(text)")
        case .done(let end):
            done = end
            script.process.finish()
        case .unreadable(let fault): throw fault
        case .spec, .progress, .warning, .unknown: break
        }
    }

    private mutating func take(_ item: ListedItem) {
        if item.key.isEmpty {
            // It counts like every other, and there is no key to compare.
            keys.append("\(ScriptItem.numberMark)\(keys.count + 1)")
            return keyFaults.append("of '\(item.title.prefix(60))' \(item.invalid ?? "")")
        }
        keys.append(item.key)
        if !collections.contains(item.collection) {
            orderFaults.append("'\(item.key)' is in '\(item.collection)', which did not come before it")
        }
        if !known.insert(item.key).inserted { keyFaults.append("'\(item.key)' comes twice") }
        if let reason = item.invalid {
            if reason.contains("key") {
                keyFaults.append("of '\(item.key.prefix(60))' \(reason)")
            } else {
                itemFaults.append("of '\(item.key)' \(reason)")
            }
        } else {
            do {
                _ = try WebURL(item.url)
            } catch {
                itemFaults.append("'\(item.key)': \(error)")
            }
        }
        let names = Set(item.fields.keys)
        if fields.last?.names != names, fields.count < 100 { fields.append((item.key, names)) }
    }

    private mutating func close(_ end: ScriptProcess.End, _ launch: ScriptProcess.Launch) {
        words = end.words
        guard faults.isEmpty else { return }
        guard end.cause == .exited(0) else {
            return faults.append(end.words(for: "it", idleTimeout: launch.idleTimeout))
        }
        guard let done else { return faults.append("it ended without done\(end.lastWords)") }
        if let items = done.items, items != keys.count {
            countFaults.append("it counted \(items) items, of which \(keys.count) came")
        }
        if let count = done.collections, count != collections.count {
            countFaults.append("it counted \(count) collections, of which \(collections.count) came")
        }
    }
}
