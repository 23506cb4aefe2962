package import SQLite

/// What statistics need of a transfer for which something was asked.
package struct TransferSample: Sendable, Hashable {
    /// The URL of its item; empty unless it was asked for.
    package let url: String
    package let outcome: String
    package let status: Int64?
    /// `transfer.failure`.
    package let failure: String?
    /// Microseconds.
    package let dns: Int64?
    package let connect: Int64?
    package let tls: Int64?
    package let wait: Int64?
    package let receive: Int64?
    package let total: Int64?
    package let wireBytes: Int64
    package let httpVersion: String?
    package let isReused: Bool

    package init(
        url: String = "", outcome: String = "downloaded", status: Int64? = 200, failure: String? = nil,
        dns: Int64? = nil, connect: Int64? = nil, tls: Int64? = nil, wait: Int64? = nil, receive: Int64? = nil,
        total: Int64? = nil, wireBytes: Int64 = 0,
        httpVersion: String? = nil, isReused: Bool = false
    ) {
        self.url = url
        self.outcome = outcome
        self.status = status
        self.failure = failure
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.wait = wait
        self.receive = receive
        self.total = total
        self.wireBytes = wireBytes
        self.httpVersion = httpVersion
        self.isReused = isReused
    }

    /// Hands the samples of a run to `body`, in the order of the items. They are read in one go, without output between.
    package static func forEach(
        ofRun run: Int64, withURLs: Bool, from connection: Connection, _ body: (TransferSample) -> Void
    ) throws {
        let (url, join) = withURLs ? ("item.url", "CROSS JOIN item ON item.id = item_id") : ("''", "")
        try connection.forEach(
            """
            SELECT \(url), outcome, status, transfer.failure, wait_us, receive_us, total_us, wire_bytes, http_version,
                connection_reused, dns_us, connect_us, tls_us
            FROM transfer \(join) WHERE run_id = ? AND attempts > 0 ORDER BY item_id
            """, run
        ) { row in
            let bytes: Int64? = try row[7]
            let isReused: Bool? = try row[9]
            body(
                TransferSample(
                    url: try row[0], outcome: try row[1], status: try row[2], failure: try row[3],
                    dns: duration(try row[10]), connect: duration(try row[11]), tls: duration(try row[12]),
                    wait: duration(try row[4]), receive: duration(try row[5]), total: duration(try row[6]),
                    wireBytes: min(max(bytes ?? 0, 0), 1 << 52), httpVersion: try row[8], isReused: isReused ?? false))
        }
    }

    private static func duration(_ value: Int64?) -> Int64? {
        value.map { min(max($0, 0), 1 << 52) }
    }
}
