import Catalog
import Foundation
import Jobs
import Model
import Run
import SQLite
import Schedule
import SourceKit
import SourcesFlickr
import Synchronization
import TestSupport
import Testing
import YAML

/// A Flickr on this machine that answers each method as a test says, and a job that asks it.
struct FlickrBench {
    /// The key of the job, from the environment unless the test's options have it.
    static let key = "0123456789abcdef0123456789abcdef"

    let directory: TemporaryDirectory
    let server: FaultyServer
    let api: FakeFlickr
    let job: Job
    var options: SessionOptions

    /// `source` has the options but `api_key`, `endpoint` and `image_host`, a line each; `answers`, by method without
    /// `flickr.`, come each in turn, the last for ever. Without local pictures the addresses are Flickr's own.
    init(
        _ source: String, _ answers: [String: [FaultyServer.Response]], key: String = "${FLICKR_API_KEY}",
        hasLocalPictures: Bool = true, endpoint: String? = nil, retries: Int = 2
    ) throws {
        let api = FakeFlickr(answers)
        self.api = api
        directory = try TemporaryDirectory()
        server = try FaultyServer { api.answer($0) }
        let imageHost = hasLocalPictures ? "  image_host: \(server.url(""))\n" : ""
        let file = try directory.write(
            """
            name: flickr
            source:
              type: flickr
              api_key: \(key)
              endpoint: \(endpoint ?? server.url("/services/rest/"))
            \(imageHost)\(source.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            output: {directory: files}
            transfer: {proxy: none, durability: none, retries: \(retries)}
            """, to: "flickr.yaml")
        let environment = ["FLICKR_API_KEY": Self.key]
        let registry = SourceRegistry([SourceModule(FlickrSource.self)])
        let loaded = JobLoader(registry: registry, environment: environment).load([file])
        guard let job = loaded.jobs.first, !loaded.hasErrors else {
            throw TestSupportError(loaded.diagnostics.map(\.description).joined(separator: "\n"))
        }
        self.job = job
        options = SessionOptions(
            database: directory.path("runner.sqlite"), runnerVersion: "0-test", environment: environment)
        options.backoff.base = 1_000
    }

    /// What a run would list.
    func plan() async throws -> (items: [PlannedItem], warnings: [String]) {
        let items = Monitor<[PlannedItem]>([])
        let warnings = Monitor<[String]>([])
        try await Plan.make(
            job, options: options, items: { page in items.withLock { $0 += page } },
            warnings: { warning in warnings.withLock { $0.append(warning) } })
        return (items.withLock { $0 }, warnings.withLock { $0 })
    }

    /// Runs the job to its end.
    func run() async throws -> FlickrRun {
        let events = Monitor<[RunEvent]>([])
        let session = try Session(jobs: [job], options: options) { batch in events.withLock { $0 += batch } }
        let results = await session.run()
        guard case .ran(let finished)? = results.first?.ending else {
            throw TestSupportError("the run did not begin: \(results)")
        }
        return try FlickrRun(finished, events: events.withLock { $0 }, catalog: options.database)
    }

    /// Values of the requests for a method, by name.
    func requests(_ method: String) -> [[String: String]] {
        server.requests.compactMap { FakeFlickr.arguments(of: $0) }.filter { $0["method"] == "flickr.\(method)" }
    }
}

/// What a run left.
struct FlickrRun {
    struct Item: Hashable {
        let key: String
        let title: String
        let description: String?
        let url: String
        let path: String?
        let thumbnail: String?
        let metadata: String
        let outcome: String
        let failure: String?
        let detail: String?
    }

    struct Collection: Hashable {
        let key: String
        let title: String
        let subtitle: String?
        let section: String?
        let expected: Int?
    }

    let finished: RunFinished
    let warnings: [String]
    let collections: [Collection]
    let items: [Item]

    init(_ finished: RunFinished, events: [RunEvent], catalog path: String) throws {
        self.finished = finished
        warnings = events.compactMap { if case .warning(let warning) = $0 { warning.message } else { nil } }
        let catalog = try CatalogLocation.openForReading(path)
        defer { catalog.close() }
        collections = try catalog.rows(
            "SELECT key, title, subtitle, section, expected FROM collection ORDER BY position"
        ) {
            row in
            Collection(
                key: try row[0], title: try row[1], subtitle: try row[2], section: try row[3], expected: try row[4])
        }
        items = try catalog.rows(
            """
            SELECT key, title, description, url, path, thumbnail_url, metadata, outcome, transfer.failure, detail
            FROM item JOIN transfer ON item_id = item.id WHERE run_id = ?
            ORDER BY (SELECT position FROM collection WHERE id = collection_id), item.position
            """, finished.run
        ) { row in
            Item(
                key: try row[0], title: try row[1], description: try row[2], url: try row[3], path: try row[4],
                thumbnail: try row[5], metadata: try row[6] ?? "", outcome: try row[7], failure: try row[8],
                detail: try row[9])
        }
    }
}

/// Answers like Flickr: by the method of a request; everything else is a picture.
final class FakeFlickr: Sendable {
    private let answers: Mutex<[String: [FaultyServer.Response]]>
    private let pictures = Mutex(FaultyServer.Response.ok(picture))

    init(_ answers: [String: [FaultyServer.Response]]) {
        self.answers = Mutex(answers)
    }

    func answer(_ request: FaultyServer.Request) -> FaultyServer.Response {
        guard request.path == "/services/rest/" else { return pictures.withLock { $0 } }
        let method = (Self.arguments(of: request)?["method"] ?? "").dropFirst("flickr.".count)
        return answers.withLock { answers in
            guard let list = answers[String(method)], let first = list.first else {
                return .ok(#"{"stat":"fail","code":112,"message":"Method \#(method) not found"}"#)
            }
            if list.count > 1 { answers[String(method)]?.removeFirst() }
            return first
        }
    }

    /// Answers for every picture with a redirect.
    func redirectPictures(to url: String) {
        pictures.withLock { $0 = .redirect(to: url) }
    }

    static func arguments(of request: FaultyServer.Request) -> [String: String]? {
        URLComponents(string: request.target)?.queryItems.map { items in
            Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        }
    }

    private static let picture = PictureFile.jpeg(Array("0123456789".utf8))
}

/// Recorded replies and such in their shape.
enum Sample {
    static func text(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    static func reply(_ name: String) throws -> FaultyServer.Response {
        .ok(try text(name), headers: [("Content-Type", "application/json")])
    }

    /// A page of a search with photos of these numbers.
    static func photos(
        _ ids: [String], page: Int = 1, pages: Int = 1, total: String? = nil, more: String = ""
    ) -> FaultyServer.Response {
        let photos = ids.map { id in
            #"{"id":"\#(id)","secret":"s\#(id)","server":"1","owner":"1@N00","title":"Photo \#(id)"\#(more)}"#
        }
        return .ok(
            """
            {"photos":{"page":\(page),"pages":\(pages),"perpage":250,"total":\(total ?? "\(ids.count)"),
            "photo":[\(photos.joined(separator: ","))]},"stat":"ok"}
            """)
    }

    /// An album with one photo.
    static func album(_ title: String, _ photo: String) -> FaultyServer.Response {
        .ok(
            """
            {"photoset":{"owner":"1@N00","title":"\(title)","page":1,"pages":1,"total":1,
            "photo":[{"id":"\(photo)","secret":"a","server":"5","title":"One"}]},"stat":"ok"}
            """)
    }

    static func fault(_ code: Int, _ message: String) -> FaultyServer.Response {
        .ok(#"{"stat":"fail","code":\#(code),"message":"\#(message)"}"#)
    }
}
