import SQLite
import TestSupport
import Testing

/// A job with `media:` over files of a server, which may be changed, in a folder of its own.
final class PicturePlace: Sendable {
    let files: Monitor<[String: [UInt8]]>
    let server: FaultyServer
    let workplace: Workplace

    /// - Parameter files: by their names, which are the items' keys.
    init(_ files: [String: [UInt8]], media: String = "{thumbnail: {size: 32}}") throws {
        let site = Monitor(files)
        let server = try FaultyServer { request in
            site.withLock { $0[String(request.path.dropFirst())] }.map { .ok($0) } ?? .status(404)
        }
        self.files = site
        self.server = server
        workplace = try Workplace()
        let items = files.keys.sorted().map { "{key: \"\($0)\", url: \"\(server.url("/\($0)"))\"}" }
        try workplace.writeJob(source: ["items: [\(items.joined(separator: ", "))]"], rest: ["media: \(media)"])
    }

    private static let samples =
        #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/MediaTests/Samples"

    /// A file that another program wrote.
    static func sample(_ name: String) throws -> [UInt8] {
        try #require(contents(of: "\(samples)/\(name)"), "\(name) is missing")
    }

    static func samples(_ names: [String]) throws -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try names.map { ($0, try sample($0)) })
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> RunningProgram.Result {
        try workplace.run(arguments, environment: environment)
    }

    func catalog() throws -> CatalogCopy { try workplace.catalog() }

    /// When the pictures of each item were made.
    func times() throws -> [Int] {
        try catalog().values("SELECT rendered_at FROM rendering ORDER BY item_id")
    }

    /// `key kind position width×height extension` of every picture, in order; the files must be what the rows say.
    func pictures() throws -> [String] {
        let rows = try catalog().rows(
            """
            SELECT key, kind, picture.position, width, height, picture.path, picture.size, picture.sha256
            FROM picture JOIN item ON item.id = item_id ORDER BY key, kind, picture.position
            """
        ) { row in
            let path: String = try row[5]
            let bytes = workplace.read("out/\(path)")
            let size: Int = try row[6]
            #expect(bytes?.count == size)
            let digest: String = try row[7]
            #expect(path.hasPrefix(".runner/pictures/\(digest)."))
            let shape = "\(try row[3] as Int)×\(try row[4] as Int)"
            let ending = path.split(separator: ".").last ?? ""
            return "\(try row[0] as String) \(try row[1] as String) \(try row[2] as Int) \(shape) \(ending)"
        }
        // No picture is there that no row knows.
        let files = Set(workplace.directory.names(in: "out/.runner/pictures"))
        #expect(
            files == Set(try catalog().values("SELECT replace(path, '.runner/pictures/', '') FROM picture")))
        return rows
    }

    /// The bytes of an item's first picture of a kind.
    func picture(of key: String, kind: String = "thumbnail") throws -> [UInt8] {
        let paths: [String] = try catalog().values(
            """
            SELECT picture.path FROM picture JOIN item ON item.id = item_id
            WHERE key = '\(key)' AND kind = '\(kind)' ORDER BY picture.position
            """)
        let path = try #require(paths.first, "\(key) has no \(kind)")
        return try #require(workplace.read("out/\(path)"))
    }
}
