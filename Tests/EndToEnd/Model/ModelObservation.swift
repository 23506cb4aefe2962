import FoundationEssentials
import Glibc
import SQLite
import TestSupport

/// What a catalog and its output directory are.
struct ModelObservation {
    struct Row {
        let key: String
        let collection: String
        let url: String
        let title: String
        let stem: String
        let template: String
        let path: String?
        let size: Int?
        let digest: String?
        let storedURL: String?
        let etag: String?
        let date: String?
        let expiresAt: Int64?
        let state: String
        let failure: String?
        let isUnsettled: Bool
        let askedAgainAt: Int64?
        let failedStatus: Int?
        let listing: String?
        let storedAt: Int64?
        let storedRun: Int64?
        let viewedAt: Int64?
        var sidecar: Model.Sidecar?
    }

    struct Run {
        let id: Int64
        let outcome: String
        let sums: [String]
    }

    private(set) var items: [String: Row] = [:]
    /// The keys as they became known.
    private(set) var order: [String] = []
    /// Of the last run.
    private(set) var transfers: [String: Model.Transfer] = [:]
    private(set) var run: Run?
    private(set) var isJobKnown = false
    var contradictions: [String] = []
    private(set) var files: [String: [UInt8]] = [:]
    private(set) var inodes: [String: Int] = [:]
    /// The digests that metadata files have on the disk.
    private(set) var metadataFiles: [String: String] = [:]
    /// What is left in the journal, which is empty when nothing was broken off.
    private(set) var pending: [String] = []

    init(database: String, directory: String) throws {
        for path in Workplace.files(below: directory) where !path.hasPrefix(".runner/") {
            let bytes = contents(of: "\(directory)/\(path)") ?? []
            let metadata = Model.Metadata(bytes)
            files[path] = metadata?.bytes ?? bytes
            if metadata != nil { metadataFiles[path] = modelDigest(bytes) }
            var information = stat()
            lstat("\(directory)/\(path)", &information)
            inodes[path] = Int(information.st_ino)
        }
        if contents(of: "\(directory)/.runner/journal") ?? [] != [] { pending = ["the journal is not empty"] }
        guard FileManager.default.fileExists(atPath: database) else { return }
        let catalog = try CatalogCopy(of: database)
        // The process may have been killed before the last table or column.
        let columns = "pragma_table_info('item') WHERE name = 'extension'"
        let tables = "sqlite_schema WHERE name IN ('transfer', 'template', 'mark', 'sidecar')"
        guard try catalog.number("SELECT (SELECT count(*) FROM \(columns)) + (SELECT count(*) FROM \(tables))") == 5
        else { return }
        contradictions = try catalog.contradictions()
        isJobKnown = try catalog.number("SELECT count(*) FROM job") > 0
        let rows = try catalog.rows(
            """
            SELECT item.key, collection.key, url, item.title, stem, coalesce(text, ''), item.path, item.size, item.sha256, stored_url,
                etag, last_modified, expires_at, state, failure, is_unsettled, asked_again_at, listing, stored_at,
                stored_run, (SELECT at FROM mark WHERE item_id = item.id AND kind = 'viewed'),
                failed_status, sidecar.path, sidecar.size, sidecar.sha256
            FROM item JOIN collection ON collection.id = collection_id LEFT JOIN template ON template.id = template
                LEFT JOIN sidecar ON item_id = item.id
            ORDER BY item.id
            """
        ) { row in
            Row(
                key: try row[0], collection: try row[1], url: try row[2], title: try row[3], stem: try row[4],
                template: try row[5], path: try row[6], size: try row[7], digest: try row[8], storedURL: try row[9],
                etag: try row[10], date: try row[11], expiresAt: try row[12], state: try row[13],
                failure: try row[14], isUnsettled: try row[15], askedAgainAt: try row[16],
                failedStatus: try row[21], listing: try row[17], storedAt: try row[18], storedRun: try row[19],
                viewedAt: try row[20], sidecar: try sidecar(row[22], row[23], row[24]))
        }
        order = rows.map(\.key)
        items = Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0) })
        let transfers = try catalog.rows(
            """
            SELECT key, outcome, transfer.failure, attempts, status FROM transfer JOIN item ON item.id = item_id
            WHERE run_id = (SELECT max(id) FROM run)
            """
        ) { row in
            (
                key: try row[0] as String,
                transfer: Model.Transfer(
                    outcome: try row[1], failure: try row[2], attempts: try row[3], status: try row[4])
            )
        }
        self.transfers = Dictionary(uniqueKeysWithValues: transfers.map { ($0.key, $0.transfer) })
        run = try catalog.rows(
            """
            SELECT id, outcome, body_bytes, saved_bytes, freed_files, freed_bytes FROM run ORDER BY id DESC LIMIT 1
            """
        ) { row in
            Run(
                id: try row[0], outcome: try row[1],
                sums: [
                    "outcome \(try row[1] as String)", "body_bytes \(try row[2] as Int)",
                    "saved_bytes \(try row[3] as Int)", "freed_files \(try row[4] as Int)",
                    "freed_bytes \(try row[5] as Int)",
                ])
        }.first
    }
}

extension ModelObservation {
    /// A row of `sidecar` as the model has it, which knows the files by what they say.
    private func sidecar(_ path: String?, _ size: Int?, _ digest: String?) -> Model.Sidecar? {
        guard let path, let size, let digest else { return nil }
        guard digest == metadataFiles[path], let bytes = files[path] else {
            return Model.Sidecar(path: path, size: size, digest: digest)
        }
        return Model.Sidecar(path: path, size: bytes.count, digest: modelDigest(bytes))
    }
}

extension ModelObservation.Row {
    var summary: String {
        Model.summary(
            "\(key) \(title) \(url)", collection: Int(collection.dropFirst().prefix(1)) ?? 0, state, path, size, digest,
            failure, isUnsettled: isUnsettled)
    }

    /// The day from which a permanent failure is asked again.
    func askedAgain(on day: Int) -> Int? { self.day(of: askedAgainAt, on: day) }

    private func day(of time: Int64?, on day: Int) -> Int? {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return time.map { day + Int((Double($0 / 1_000_000 - Int64(now.tv_sec)) / 86_400).rounded(.up)) }
    }

    /// The model's row of the same values.
    func item(on day: Int) -> Model.Item {
        var item = Model.Item(
            key: key, collection: Int(collection.dropFirst().prefix(1)) ?? 0, url: url, title: title, stem: stem,
            template: template)
        item.expectedContent = listing.flatMap { text in
            text.firstRange(of: "\"sha256\":\"").map { String(text[$0.upperBound...].prefix(64)) }
        }
        item.path = path
        item.size = size
        item.digest = digest
        item.storedURL = storedURL
        item.etag = etag
        item.date = date
        item.expires = self.day(of: expiresAt, on: day)
        item.state = state
        item.failure = failure
        item.isUnsettled = isUnsettled
        item.askedAgain = askedAgain(on: day)
        item.failedStatus = failedStatus
        item.storedAt = storedAt
        item.viewedAt = viewedAt
        item.sidecar = sidecar
        return item
    }
}

extension Model {
    static func summary(
        _ names: String, collection: Int, _ state: String, _ path: String?, _ size: Int?, _ digest: String?,
        _ failure: String?, isUnsettled: Bool
    ) -> String {
        // Without a file the size and the digest are of one that was.
        let file = path == nil || size == nil ? "-" : "\(size ?? 0) \(digest?.prefix(8) ?? "-")"
        return
            "\(names) c\(collection) \(state) \(path ?? "-") \(file) \(failure ?? "-") \(isUnsettled ? "unsettled" : "")"
    }
}

extension Model.Item {
    var summary: String {
        Model.summary(
            "\(key) \(title) \(url)", collection: collection, state, path, size, digest, failure,
            isUnsettled: isUnsettled)
    }
}
