import Catalog
import Glibc
import JSON
import SQLite
import Server
import SourceKit
import TestSupport
import Testing
import Web

/// A page over a catalog of its own, for one test.
final class TestPage {
    let folder: TemporaryDirectory
    let database: String
    let output: String
    let settings: WebSettings
    let service: WebService
    private(set) var cookie = ""

    /// - Parameters:
    ///   - files: texts of job files.
    ///   - watchesFolder: whether the page has their folder, in place of each.
    ///   - program: a script in place of this program, for runs.
    ///   - fill: writes rows; the job `pics` with the collection 1, key `all`, is there.
    init(
        hosts: [String] = [], limits: ServerLimits = ServerLimits(), files: [String] = [],
        watchesFolder: Bool = false, sortPatience: Int64? = nil,
        program: String = "#!/bin/sh\nexit 1\n", _ fill: (Connection, TestPage.Rows) throws -> Void = { _, _ in }
    ) throws {
        folder = try TemporaryDirectory()
        database = folder.path("catalog.sqlite")
        output = folder.path("output")
        try folder.write("", to: "output/.keep")
        let catalog = try CatalogLocation.openForWriting(database)
        try catalog.run(
            "INSERT INTO job (name, file, directory, created_at) VALUES ('pics', '/nowhere/pics.yaml', ?, 1)", output)
        try catalog.run("INSERT INTO collection (id, job, key, title, position) VALUES (1, 'pics', 'all', 'All', 0)")
        try fill(catalog, Rows(catalog: catalog, folder: folder))
        catalog.close()
        let script = try folder.write(program, to: "program")
        chmod(script, 0o700)
        var settings = WebSettings(
            address: try #require(ListenAddress("127.0.0.1:0")), database: database,
            registry: SourceRegistry([SourceModule(ListSource.self)]), program: script)
        settings.hosts = hosts
        settings.limits = limits
        if let sortPatience { settings.sortPatience = sortPatience }
        for (number, text) in files.enumerated() {
            settings.files.append(try folder.write(text, to: "jobs/\(number).yaml"))
        }
        if watchesFolder { settings.files = [folder.path("jobs")] }
        settings.environment = ["PATH": "/usr/bin:/bin"]
        self.settings = settings
        service = try WebService(settings)
        let answer = try ask("GET /?token=\(service.token)", [])
        cookie = String(try #require(answer["set-cookie"]).prefix { $0 != ";" })
    }

    /// Writes rows of a catalog.
    struct Rows {
        let catalog: Connection
        let folder: TemporaryDirectory

        /// An item, stored where it has bytes.
        @discardableResult
        func item(
            _ title: String, bytes: String? = nil, type: String = "image/png", path: String? = nil,
            collection: Int64 = 1, position: Int64? = nil, section: String? = nil, state: String? = nil,
            metadata: String? = nil, storedAt: Int64 = 5
        ) throws -> Int64 {
            let id = (try catalog.value("SELECT coalesce(max(id), 0) + 1 FROM item") as Int64?) ?? 1
            let path = path ?? "\(id).bin"
            if let bytes { try folder.write(bytes, to: "output/\(path)") }
            try catalog.run(
                """
                INSERT INTO item (id, job, collection_id, key, position, url, title, section, metadata, path, media_type,
                    size, sha256, stored_at, state, stem, path_hash)
                VALUES (?1, 'pics', ?2, 'k' || ?1, ?3, 'https://host/' || ?1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, coalesce(?7, 'none'), ?1)
                """, id, collection, position ?? id, title, section, metadata, bytes == nil ? nil : path, type,
                bytes.map { Int64($0.utf8.count) }, bytes.map { _ in String(repeating: "ab", count: 32) },
                bytes == nil ? nil : storedAt, state ?? (bytes == nil ? "pending" : "stored"))
            return id
        }
    }

    /// One request on a connection of its own; the browser's cookie unless other headers are given.
    func ask(
        _ line: String, _ headers: [String]? = nil, body: String? = nil, host: String? = nil,
        of other: WebService? = nil
    ) throws -> RawResponse {
        let service = other ?? service
        var fields =
            ["Host: \(host ?? service.address)"] + (headers ?? ["Cookie: \(cookie)", "Sec-Fetch-Site: same-origin"])
        if let body {
            fields += ["Content-Length: \(body.utf8.count)"]
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                fields += ["Content-Type: application/json"]
            }
        }
        let port = try #require(Int(service.address.split(separator: ":").last ?? ""))
        let connection = try RawConnection(port: port)
        return try connection.exchange(
            (["\(line) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// A connection that has asked for a path.
    func open(_ path: String) throws -> RawConnection {
        let port = try #require(Int(service.address.split(separator: ":").last ?? ""))
        let connection = try RawConnection(port: port)
        connection.send("GET \(path) HTTP/1.1\r\nHost: \(service.address)\r\nCookie: \(cookie)\r\n\r\n")
        return connection
    }

    /// The JSON of a path.
    func json(_ path: String) throws -> JSONValue {
        let response = try ask("GET \(path)")
        try #require(response.status == 200, "\(response.body)")
        return try #require(JSONValue(parsing: Array(response.body.utf8)))
    }

    /// A column of a list.
    func column(_ name: String, _ path: String) throws -> [JSONValue] {
        guard case .object(let members) = try json(path), case .list(let values)? = members[name] else { return [] }
        return values
    }

    func titles(_ path: String) throws -> [String] {
        try column("title", path).map { if case .text(let text) = $0 { text } else { "?" } }
    }

    func next(_ path: String) throws -> String? {
        if case .object(let members) = try json(path), case .text(let text)? = members["next"] { text } else { nil }
    }
}
