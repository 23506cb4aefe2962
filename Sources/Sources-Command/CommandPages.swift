import FoundationEssentials
import Glibc
import JSON
package import Model
import SourceKit

/// The list of a script: its messages, gathered in pages.
package struct CommandPages: SourcePages {
    /// Items of a page.
    private static let portion = 500
    /// A script that asks for patience longer than this is not waited for. Seconds.
    private static let longestWait: Double = 600

    private let options: CommandOptions
    private let context: SourceContext
    private var script: RunningScript?
    /// Lines that have come and not been looked at.
    private var lines: ArraySlice<[UInt8]> = []
    private var memory: JSONValue?
    private var counts = (collections: 0, items: 0)
    /// Whether the script has said that its list ends.
    private var end: ScriptMessage.Done?
    private var isOver = false
    /// Whether it was started a second time, which happens once.
    private var isRestarted = false

    init(options: CommandOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    /// The next page, or nil when the script has ended its list well.
    ///
    /// - Throws: ``ScriptError`` with why the list ended early.
    package mutating func next() async throws -> Page? {
        guard !isOver else { return nil }
        while true {
            let script = try await running()
            do {
                return try await page(of: script)
            } catch {
                await script.process.end()
                self.script = nil
                guard let fault = error as? TransientFault, !isRestarted, !Task.isCancelled else {
                    isOver = true
                    throw error
                }
                isRestarted = true
                lines = []
                counts = (0, 0)
                try await Task.sleep(for: .seconds(min(fault.wait, Self.longestWait)))
            }
        }
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

    private mutating func page(of script: RunningScript) async throws -> Page? {
        var page = Page()
        while page.items.count < Self.portion {
            guard let line = lines.popFirst() else {
                // What has come is handed on before more is waited for.
                if !page.isEmpty { return page }
                switch await script.next() {
                case .lines(let more):
                    lines = more[...]
                case .ended(let end):
                    page.warnings += script.process.takeWarnings()
                    return try close(end, page)
                }
                continue
            }
            if try take(message(line), into: &page, script) { return page }
        }
        return page
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
        case .collection(let collection):
            page.collections.append(collection)
            counts.collections += 1
        case .item(let item):
            page.items.append(context.refusal(of: item).map { item.refused($0) } ?? item)
            counts.items += 1
        case .memory(let value):
            memory = value
            page.memory = String(decoding: value.line, as: UTF8.self)
            return true
        case .warning(let text): page.warnings.append(text)
        case .request(let request): script.fetch(request)
        case .error(let fault):
            if fault.isTransient {
                throw TransientFault(description: fault.message, wait: max(1, fault.retryAfter ?? 5))
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

    /// Judges the end of the script.
    private mutating func close(_ ending: ScriptProcess.End, _ page: Page) throws -> Page? {
        isOver = true
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
        return page.isEmpty ? nil : page
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
    /// The same as one that can't be fetched.
    fileprivate func refused(_ reason: String) -> ListedItem {
        ListedItem(
            collection: collection, key: key, url: url, title: title, description: description, section: section,
            metadata: metadata, thumbnailURL: thumbnailURL, fields: fields, invalid: reason)
    }
}

extension Page {
    fileprivate var isEmpty: Bool {
        collections.isEmpty && items.isEmpty && warnings.isEmpty && memory == nil && !isPartial
    }
}
