import FoundationEssentials
import Glibc
import JSON
package import Model
import SourceKit
import YAML

/// The list of a script: its messages, gathered in pages.
package struct CommandPages: SourcePages {
    /// Items of a page.
    private static let portion = 500
    /// A script that asks for patience longer than this is not waited for. Seconds.
    private static let longestWait: Double = 600

    /// Of items that name none.
    private static let noCollection = ListedCollection(
        key: ScriptItem.numberMark, title: "Without a collection")

    private let options: CommandOptions
    private let context: SourceContext
    private var script: RunningScript?
    /// Lines that have come and not been looked at.
    private var lines: ArraySlice<[UInt8]> = []
    private var memory: JSONValue?
    private var counts = (collections: 0, items: 0)
    /// The keys of all collections.
    private var collections: Set<String> = []
    /// Those of them that items have named and that did not come.
    private var unlisted: Set<String> = []
    /// Whether the script has said that its list ends.
    private var end: ScriptMessage.Done?
    private var isOver = false
    /// What ended the script before its list did, once all that came before has been handed on.
    private var fault: (any Error)?
    /// Whether it was started a second time, which happens once.
    private var isRestarted = false

    init(options: CommandOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    /// The next page, or nil when the script has ended its list well. What came before a fault is handed on first.
    ///
    /// - Throws: ``ScriptError`` with why the list ended early.
    package mutating func next() async throws -> Page? {
        while !isOver {
            if let fault {
                self.fault = nil
                try await recover(from: fault)
            }
            let script = try await running()
            var page = Page()
            page.mayRepeat = isRestarted
            do {
                try await fill(&page, from: script)
            } catch {
                page.warnings += script.process.takeWarnings()
                await script.process.end()
                self.script = nil
                fault = error
            }
            if !page.isEmpty { return page }
        }
        return nil
    }

    /// Waits until the script may be started again.
    ///
    /// - Throws: a fault after which it may not.
    private mutating func recover(from fault: any Error) async throws {
        guard let fault = fault as? TransientFault, !isRestarted, !Task.isCancelled else {
            isOver = true
            throw fault
        }
        isRestarted = true
        lines = []
        counts = (0, 0)
        try await Task.sleep(for: .seconds(min(fault.wait, Self.longestWait)))
    }

    /// A fault after which the script may be started again.
    private struct TransientFault: Error, CustomStringConvertible {
        let description: String
        /// Seconds.
        let wait: Double
    }

    /// The script, started and asked for its list.
    private mutating func running() async throws -> RunningScript {
        if let script { return script }
        let launch = try options.launch(in: context.folder, job: context.job)
        let script = RunningScript(ScriptProcess(launch), context, options.budget)
        self.script = script
        memory = try await context.recallList().flatMap { JSONValue(parsing: Array($0.utf8)) } ?? memory
        script.process.send(ScriptCall.spec.line)
        script.process.send(ScriptCall.list(options.options, memory: memory, limit: context.limit).line)
        return script
    }

    /// Takes what comes until the page is full, more has to be waited for, or the script has ended.
    private mutating func fill(_ page: inout Page, from script: RunningScript) async throws {
        while page.items.count < Self.portion {
            guard let line = lines.popFirst() else {
                // What has come is handed on before more is waited for.
                if !page.isEmpty { return }
                switch await script.next() {
                case .lines(let more):
                    lines = more[...]
                case .ended(let end):
                    page.warnings += script.process.takeWarnings()
                    return try close(end)
                }
                continue
            }
            if try take(message(line), into: &page, script) { return }
        }
    }

    private func message(_ line: [UInt8]) throws -> ScriptMessage {
        do {
            return try ScriptMessage(line)
        } catch {
            throw error.quoting(in: context)
        }
    }

    /// - Returns: whether the page ends here.
    private mutating func take(_ message: ScriptMessage, into page: inout Page, _ script: RunningScript) throws -> Bool
    {
        page.warnings += script.process.takeWarnings()
        guard end == nil else { throw ScriptError("the script wrote more after its end") }
        switch message {
        case .collection(let collection, let faults):
            counts.collections += 1
            page.warnings += faults.map {
                "the collection '\(collection.key.shownInMessage(limit: 60))' of the script: \($0)"
            }
            guard !collection.key.isEmpty else {
                page.warnings.append("a collection of the script has no key, and is passed over")
                break
            }
            collections.insert(collection.key)
            unlisted.remove(collection.key)
            page.collections.append(collection)
        case .item(let item):
            counts.items += 1
            page.items.append(placed(item, in: &page))
        case .memory(let value):
            memory = value
            page.memory = String(decoding: value.line, as: UTF8.self)
            return true
        case .warning(let text): page.warnings.append(text)
        case .unreadable(let fault): page.warnings.append("\(fault.quoting(in: context)); it is ignored")
        case .request(let request): script.fetch(request)
        case .error(let fault):
            if fault.isTransient {
                throw TransientFault(
                    description: ScriptMessage.shortened(fault.message), wait: max(1, fault.retryAfter ?? 5))
            }
            throw ScriptError(fault.message)
        case .done(let done):
            end = done
            script.process.finish()
            if done.complete == false {
                page.isPartial = true
                return true
            }
        case .problem(let option, let message):
            throw ScriptError(option.map { "source.options.\($0): \(message)" } ?? message)
        case .spec, .progress, .unknown: break
        }
        return false
    }

    /// The item as it is listed: one that can't be fetched has a key and a collection all the same, so that it has a row.
    private mutating func placed(_ item: ListedItem, in page: inout Page) -> ListedItem {
        let name = item.collection.isEmpty ? Self.noCollection.key : item.collection
        if collections.insert(name).inserted {
            unlisted.insert(name)
            page.collections.append(
                item.collection.isEmpty ? Self.noCollection : ListedCollection(key: name, title: name))
        }
        let misplaced =
            item.collection.isEmpty
            ? "it has no collection"
            : unlisted.contains(name)
                ? "its collection '\(name.shownInMessage(limit: 60))' was not listed before it" : nil
        let reason = item.invalid ?? misplaced ?? context.refusal(of: item)
        return reason.map { item.refused($0, in: name, number: counts.items) } ?? item
    }

    /// Judges the end of the script.
    private mutating func close(_ ending: ScriptProcess.End) throws {
        guard case .exited(0) = ending.cause else {
            throw ScriptError(
                ending.words(for: options.command[0], idleTimeout: options.idleTimeout.microseconds))
        }
        guard let end else {
            throw ScriptError("\(options.command[0]) ended without done\(ending.lastWords)")
        }
        if let items = end.items, items != counts.items {
            throw ScriptError("\(options.command[0]) counted \(items) items, of which \(counts.items) came")
        }
        if let collections = end.collections, collections != counts.collections {
            throw ScriptError(
                "\(options.command[0]) counted \(collections) collections, of which \(counts.collections) came")
        }
        isOver = true
    }
}

/// A script that lists, with the requests that it has under way. It is asked to end when nobody reads its list any more.
final class RunningScript: Sendable {
    /// Requests that a script may have open.
    private static let mostRequests = 16

    let process: ScriptProcess
    private let context: SourceContext
    private let service: FetchService

    init(_ process: ScriptProcess, _ context: SourceContext, _ budget: ScriptBudget? = nil) {
        self.process = process
        self.context = context
        service = FetchService(process: process, context: context, limit: Self.mostRequests, budget: budget)
    }

    deinit {
        process.finish()
        service.cancel()
    }

    /// The next lines; when the run is stopped the script's end, which it is asked for.
    func next() async -> ScriptProcess.Event {
        await withTaskCancellationHandler {
            await process.next()
        } onCancel: {
            process.finish()
            service.cancel()
        }
    }

    func fetch(_ request: ScriptRequest) {
        service.fetch(request)
    }
}

extension ListedItem {
    /// The same as one that can't be fetched. Without a key it gets one of its number in the list.
    fileprivate func refused(_ reason: String, in collection: String, number: Int) -> ListedItem {
        let key = key.isEmpty ? "\(ScriptItem.numberMark)\(number)" : key
        return ListedItem(
            collection: collection, key: key, url: url, title: title.isEmpty ? key : title, description: description,
            section: section, metadata: metadata, thumbnailURL: thumbnailURL, fields: fields, invalid: reason)
    }
}

extension Page {
    fileprivate var isEmpty: Bool {
        collections.isEmpty && items.isEmpty && warnings.isEmpty && memory == nil && !isPartial
    }
}
