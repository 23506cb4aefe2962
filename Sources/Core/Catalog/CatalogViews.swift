/// Views for people and programs that read the catalog with SQL: joined rows with times as text and hosts of URLs.
extension CatalogSchema {
    /// What else a run needs to be compared with others of its job; NULL in rows that are older than these columns.
    static let comparedSettings = """
        ALTER TABLE run ADD COLUMN refresh TEXT;
        ALTER TABLE run ADD COLUMN http_version TEXT;
        ALTER TABLE run ADD COLUMN concurrency INTEGER;
        """

    static let views = """
        CREATE VIEW v_last_run AS
        SELECT \(runColumns) FROM run WHERE id = (SELECT max(id) FROM run AS other WHERE other.job = run.job);

        CREATE VIEW v_transfer AS
        SELECT transfer.run_id, item.job, transfer.item_id, collection.key AS collection_key,
            collection.title AS collection, item.key, item.title, item.url, \(host(of: "item.url")) AS host,
            transfer.outcome, transfer.attempts, transfer.status, transfer.failure, transfer.detail,
            \(timeText("transfer.started_at")) AS started, transfer.started_at,
            transfer.queue_us, transfer.dns_us, transfer.connect_us, transfer.tls_us, transfer.wait_us,
            transfer.receive_us, transfer.total_us, transfer.store_us, transfer.elapsed_us,
            transfer.wire_bytes, transfer.body_bytes, transfer.http_version, transfer.connection_reused,
            transfer.address, item.path, item.media_type, item.size
        FROM transfer CROSS JOIN item ON item.id = transfer.item_id
            CROSS JOIN collection ON collection.id = item.collection_id;

        CREATE VIEW v_item AS
        SELECT item.id AS item_id, item.job, collection.key AS collection_key, collection.title AS collection,
            item.key, item.position, item.url, \(host(of: "item.url")) AS host, item.title, item.description,
            coalesce(item.section, collection.section) AS section, item.metadata, item.thumbnail_url,
            item.state, item.failure, item.path, job.directory || '/' || item.path AS file,
            item.media_type, item.size, item.sha256, item.stored_url, item.etag, item.last_modified,
            \(timeText("item.stored_at")) AS stored, item.stored_at, item.expires_at
        FROM item CROSS JOIN collection ON collection.id = item.collection_id CROSS JOIN job ON job.name = item.job;

        CREATE VIEW v_host_day AS
        SELECT date(transfer.started_at / 1000000, 'unixepoch') AS day, item.job, \(host(of: "item.url")) AS host,
            count(*) AS transfers, sum(transfer.outcome = 'failed') AS failed,
            sum(transfer.attempts > 1) AS retried, sum(transfer.status IN (429, 503)) AS throttled,
            sum(transfer.connection_reused) AS reused, CAST(total(transfer.wire_bytes) AS INTEGER) AS wire_bytes,
            CAST(avg(transfer.wait_us) AS INTEGER) AS average_wait_us,
            CAST(avg(transfer.total_us) AS INTEGER) AS average_total_us, max(transfer.total_us) AS longest_total_us
        FROM transfer JOIN item ON item.id = transfer.item_id
        WHERE transfer.attempts > 0 GROUP BY 1, 2, 3;
        """

    /// The columns of a run as views and exports have them.
    static let runColumns = """
        id AS run_id, job, outcome, \(timeText("started_at")) AS started, \(timeText("finished_at")) AS finished,
        started_at, finished_at, finished_at - started_at AS duration_us, selection, refresh, http_version, concurrency,
        downloaded, unchanged, fresh, evicted, failed, cancelled, known_failed, wire_bytes, body_bytes, saved_bytes,
        freed_files, freed_bytes, list_requests, list_bytes, detail, runner_version, libcurl_version, host, pid
        """

    /// A time as ISO 8601 in UTC with microseconds: `2026-01-31T08:15:02.250000Z`.
    private static func timeText(_ column: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000, 'unixepoch') || printf('.%06dZ', \(column) % 1000000)"
    }

    /// The host of a URL in lower case, without user information and port; NULL where there is none.
    private static func host(of url: String) -> String {
        // rtrim with every character but "@" leaves the text up to the last "@".
        let authority = """
            (SELECT substr(rest, 1, min(instr(rest || '/', '/'), instr(rest || '?', '?'), instr(rest || '#', '#'),
            instr(rest || '\\', '\\')) - 1) AS authority FROM (SELECT substr(\(url), instr(\(url), '://') + 3) AS rest))
            """
        let name = """
            (SELECT lower(substr(authority, length(rtrim(authority, replace(authority, '@', ''))) + 1)) AS name
            FROM \(authority))
            """
        return """
            (SELECT nullif(CASE WHEN name LIKE '[%' THEN substr(name, 1, instr(name || ']', ']'))
            ELSE substr(name, 1, instr(name || ':', ':') - 1) END, '') FROM \(name) WHERE instr(\(url), '://') > 0)
            """
    }
}
