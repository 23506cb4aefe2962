import Catalog
import Model
import Transfer

/// What the log says of items beside their transfers.
extension RunLedger {
    func traceListed(_ row: ItemRow) {
        context.trace(
            .listed, item: row.id,
            [("key", .text(row.key)), ("title", .text(row.title)), ("url", .text(row.url))])
    }

    func traceRecorded(_ item: Int64, _ record: TransferRecord) {
        context.trace(.recorded, item: item, Self.fields(of: record))
    }

    private static func fields(of record: TransferRecord) -> [LogEntry.Field] {
        var fields: [LogEntry.Field] = [
            ("outcome", .text(record.outcome.rawValue)), ("attempts", .number(Int64(record.attempts))),
        ]
        if let failure = record.failure { fields.append(("failure", .text(failure.rawValue))) }
        if let detail = record.detail { fields.append(("detail", .text(detail))) }
        return fields
    }
}
