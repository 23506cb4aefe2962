import Core
import JSON
import Reports

/// Events as lines of JSON, in the catalog's column names: `--progress json`.
///
/// Times are those of the catalog: `at` and `…_at` in microseconds since 1970 UTC, `…_us` in microseconds. What did not
/// happen is null.
enum EventLine {
    /// Appends the event and a line feed; nothing for events that only a display needs.
    static func append(_ event: RunEvent, to json: inout JSONWriter) {
        switch event {
        case .runStarted(let run):
            begin("run-started", run.at, run.job, &json)
            json.member("run_id", run.run)
            json.member("selection", run.selection)
            json.member("concurrency", Int64(run.concurrency))
        case .collection(let collection):
            begin("collection", collection.at, collection.job, &json)
            append(collection, &json)
        case .itemStarted(let item):
            begin("item-started", item.at, item.job, &json)
            json.member("run_id", item.run)
            json.member("item_id", item.item)
            json.member("key", item.key)
            json.member("collection", item.collection)
            json.member("title", item.title)
            json.member("url", item.url)
            json.member("attempts", Int64(item.attempt))
        case .itemFinished(let item):
            begin("item-finished", item.at, item.job, &json)
            append(item, &json)
        case .itemRendering(let item):
            begin("item-rendering", item.at, item.job, &json)
            json.member("run_id", item.run)
            json.member("item_id", item.item)
            json.member("key", item.key)
            json.member("title", item.title)
            json.member("activity", item.activity.rawValue)
        case .itemRendered(let item):
            begin("item-rendered", item.at, item.job, &json)
            json.member("run_id", item.run)
            json.member("item_id", item.item)
            json.member("key", item.key)
            json.member("title", item.title)
            json.member("pictures", Int64(item.pictures))
            json.member("failure", item.failure?.rawValue)
            json.member("detail", item.detail)
        case .itemEvicted(let item):
            begin("item-evicted", item.at, item.job, &json)
            json.member("run_id", item.run)
            json.member("item_id", item.item)
            json.member("key", item.key)
            json.member("title", item.title)
            json.member("path", item.path)
            json.member("size", item.size)
        case .warning(let warning):
            begin("warning", warning.at, warning.job, &json)
            json.member("message", warning.message)
        case .runFinished(let run):
            begin("run-finished", run.at, run.job, &json)
            append(run, &json)
        case .activity(let activity):
            for item in activity.items { append(item, at: activity.at, &json) }
            return
        case .progress, .hostHeld, .control, .jobAbandoned:
            return
        }
        json.endObject()
        json.endLine()
    }

    /// How far an item in flight is: a line of its own.
    private static func append(_ item: ItemActivity, at: Int64, _ json: inout JSONWriter) {
        begin("item-progress", at, item.job, &json)
        json.member("run_id", item.run)
        json.member("item_id", item.id)
        json.member("key", item.key)
        json.member("title", item.title)
        json.member("attempts", Int64(item.attempt))
        json.member("phase", item.stage.word)
        json.member("received", item.received)
        json.member("expected", ItemActivity.expected(item.total, item.stage))
        json.member("percent", ItemActivity.percent(item.received, of: ItemActivity.expected(item.total, item.stage)))
        json.endObject()
        json.endLine()
    }

    private static func begin(_ name: String, _ at: Int64, _ job: String, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("event", name)
        json.member("at", at)
        json.member("job", job)
    }

    private static func append(_ collection: CollectionListed, _ json: inout JSONWriter) {
        json.member("run_id", collection.run)
        json.member("key", collection.key)
        json.member("title", collection.title)
        json.member("subtitle", collection.subtitle)
        json.member("section", collection.section)
        json.member("position", Int64(collection.position))
        json.member("expected", collection.expected.map(Int64.init))
    }

    private static func append(_ item: ItemFinished, _ json: inout JSONWriter) {
        json.member("run_id", item.run)
        json.member("item_id", item.item)
        json.member("key", item.key)
        json.member("collection", item.collection)
        json.member("title", item.title)
        json.member("url", item.url)
        json.member("path", item.path)
        json.member("media_type", item.mediaType)
        json.member("size", item.size)
        append(item.transfer, &json)
    }

    /// The columns of the `transfer` table.
    private static func append(_ transfer: TransferRecord, _ json: inout JSONWriter) {
        json.member("outcome", transfer.outcome.rawValue)
        json.member("attempts", Int64(transfer.attempts))
        json.member("status", transfer.status.map(Int64.init))
        json.member("failure", transfer.failure?.rawValue)
        json.member("detail", transfer.detail)
        json.member("started_at", transfer.startedAt)
        let timings = transfer.timings
        json.member("queue_us", timings?.queue)
        json.member("dns_us", timings?.dns)
        json.member("connect_us", timings?.connect)
        json.member("tls_us", timings?.tls)
        json.member("wait_us", timings?.wait)
        json.member("receive_us", timings?.receive)
        json.member("total_us", timings?.total)
        json.member("store_us", timings?.store)
        json.member("elapsed_us", timings?.elapsed)
        json.member("wire_bytes", transfer.wireBytes)
        json.member("body_bytes", transfer.bodyBytes)
        json.member("http_version", transfer.httpVersion)
        json.member("connection_reused", transfer.isConnectionReused.map { $0 ? 1 : 0 })
        json.member("address", transfer.address)
    }

    /// The columns of the `run` table.
    private static func append(_ run: RunFinished, _ json: inout JSONWriter) {
        json.member("run_id", run.run)
        json.member("started_at", run.startedAt)
        json.member("finished_at", run.at)
        json.member("outcome", run.outcome.rawValue)
        let figures = run.figures
        json.member("downloaded", Int64(figures.downloaded))
        json.member("unchanged", Int64(figures.unchanged))
        json.member("fresh", Int64(figures.fresh))
        json.member("failed", Int64(figures.failed))
        json.member("cancelled", Int64(figures.cancelled))
        json.member("wire_bytes", figures.wireBytes)
        json.member("body_bytes", figures.bodyBytes)
        json.member("saved_bytes", figures.savedBytes)
        json.member("list_requests", Int64(figures.listRequests))
        json.member("list_bytes", figures.listBytes)
        json.member("detail", run.detail)
        json.member("evicted", Int64(figures.evicted))
        json.member("freed_files", Int64(figures.freedFiles))
        json.member("freed_bytes", figures.freedBytes)
        json.member("known_failed", Int64(figures.knownFailures))
    }
}
