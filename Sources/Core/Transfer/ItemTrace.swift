import HTTP
import Jobs
package import Model
import Schedule
import System

/// The steps of an item on its way, in their order; see ``ItemWork/trace(_:_:)``.
package enum ItemStep: String, Sendable {
    case listed, queued, begun, headers, body, judged
    case retry = "retry-at"
    case published, recorded
}

extension RunContext {
    /// Writes a step of an item to the log. Costs a comparison where the log is not about items.
    package func trace(_ step: ItemStep, item: Int64, _ fields: @autoclosure () -> [LogEntry.Field]) {
        guard let log else { return }
        log.write(
            LogEntry(
                step.rawValue, .debug, at: wallClockMicroseconds(), job: job.name, run: run, item: item,
                fields: fields()))
    }
}

extension ItemWork {
    package func trace(_ step: ItemStep, _ fields: @autoclosure () -> [LogEntry.Field]) {
        context.trace(step, item: id, fields())
    }
}

extension ItemDownload {
    /// A request is made.
    func traceBegin(_ request: HTTPRequest) {
        work.trace(
            .begun,
            [
                ("attempt", .number(Int64(attempts))),
                ("url", .text(context.job.trust.secrets.mask(url: request.url.text))),
                ("offset", .number(offset)),
                ("conditional", .text(isConditional ? "yes" : "no")),
            ])
    }

    /// A request has ended.
    func traceEnd(_ result: HTTPResult) {
        work.trace(.body, traceFields(of: result))
    }

    /// It is decided what comes after a request.
    func traceDecision(_ failure: TransferFailure?, _ decision: RetryDecision, now: Monotonic) {
        guard context.log != nil else { return }
        let fields = failure.map { $0.traceFields(hiding: context.job.trust.secrets) } ?? []
        switch decision {
        case .retry(let due):
            let delay = max(0, due - now)
            let time: LogEntry.Field = ("due_at", .number(wallClockMicroseconds() + delay))
            work.trace(
                .retry, [time, ("delay_us", .number(delay)), ("attempt", .number(Int64(attempts + 1)))] + fields)
        case .over: work.trace(.judged, [("decision", .text(failure == nil ? "good" : "failed"))] + fields)
        case .hop: work.trace(.judged, [("decision", .text("next-request"))])
        case .suspended: work.trace(.judged, [("decision", .text("paused"))])
        case .cancelled: work.trace(.judged, [("decision", .text("cancelled"))] + fields)
        case .unaffordable: work.trace(.judged, [("decision", .text("no-more-attempts"))] + fields)
        }
    }

    private func traceFields(of result: HTTPResult) -> [LogEntry.Field] {
        var fields: [LogEntry.Field] = [
            ("status", .number(Int64(result.status))), ("body_bytes", .number(result.bodyBytes)),
            ("wire_bytes", .number(result.wireBytes)), ("dns_us", .number(result.phases.dns)),
            ("connect_us", .number(result.phases.connect)), ("tls_us", .number(result.phases.tls)),
            ("wait_us", .number(result.phases.wait)), ("receive_us", .number(result.phases.receive)),
            ("connection_reused", .text(result.isConnectionReused ? "yes" : "no")),
        ]
        if let version = result.version { fields.append(("http_version", .text(version))) }
        if let address = result.address { fields.append(("address", .text(address))) }
        if let failure = result.failure {
            fields.append(("detail", .text(context.job.trust.secrets.hide(failure.detail))))
        }
        return fields
    }
}

extension TransferFailure {
    /// What the log says of a failure.
    func traceFields(hiding secrets: Secrets) -> [LogEntry.Field] {
        [
            ("failure", .text(word.rawValue)), ("transient", .text(isTransient ? "yes" : "no")),
            ("detail", .text(secrets.hide(detail))),
        ]
    }
}
