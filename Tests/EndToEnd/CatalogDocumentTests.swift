import FoundationEssentials
import SQLite
import TestSupport
import Testing

/// The queries of `docs/catalog.md`, asked of a catalog that runs made.
@Suite("End to end: docs/catalog.md", .wholeProgramLimit)
struct CatalogDocumentTests {
    /// The blocks between ```sql and ```, by the headings above them.
    private static let queries: [(heading: String, sql: String)] = {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = contents(of: "/\(folder)/docs/catalog.md").map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "## ").dropFirst().compactMap { section in
            let parts = section.split(separator: "```")
            let heading = String(section.prefix { $0 != "\n" })
            return parts.first { $0.hasPrefix("sql\n") }.map { (heading, String($0.dropFirst(4))) }
        }
    }()

    /// The job `flags` twice, with what is new, fresh, asked for again, the same under two names and missing; `flickr` once.
    private func catalog() throws -> CatalogCopy {
        let workplace = try Workplace()
        let server = try FaultyServer { request in
            if request.path == "/fr" { return .status(404) }
            return .ok("a flag", headers: [("Cache-Control", request.path == "/de" ? "max-age=3600" : "max-age=0")])
        }
        let items = ["de", "fr", "vn"].map { "{key: \($0), url: '\(server.url("/\($0)"))'}" }.joined(separator: ", ")
        try workplace.writeJob("flags", to: "flags.yaml", source: ["items: [\(items)]"])
        try workplace.writeJob("flickr", to: "flickr.yaml", source: ["items: [\(items)]"], output: "photos")
        for job in ["flags.yaml", "flags.yaml", "flickr.yaml"] {
            #expect(try workplace.run([job]).ending == .exit(1))
        }
        return try workplace.catalog()
    }

    @Test("there are at least ten, each of one statement")
    func count() {
        #expect(Self.queries.count >= 10)
        for query in Self.queries {
            #expect(query.sql.hasSuffix(";\n") && query.sql.dropLast(2).contains(";") == false, "\(query.heading)")
        }
    }

    @Test("each is understood, changes nothing and finds something")
    func answers() throws {
        let catalog = try catalog()
        for query in Self.queries {
            #expect(query.sql.hasPrefix("SELECT "), "\(query.heading)")
            let columns = try catalog.rows(query.sql) { row in row.count }
            #expect(columns.count > 0, "\(query.heading)")
        }
    }

    @Test("what they say is what happened")
    func values() throws {
        let catalog = try catalog()
        func rows(_ heading: String) throws -> [[String]] {
            let query = try #require(Self.queries.first { $0.heading == heading })
            return try catalog.rows(query.sql) { row in
                var cells: [String] = []
                for column in 0..<row.count {
                    switch row.storage(of: column) {
                    case .integer: cells.append(String(try row[column] as Int64))
                    case .text: cells.append(try row[column])
                    case .real, .blob, .null: cells.append("")
                    }
                }
                return cells
            }
        }
        #expect(
            try rows("The last run of each job").map { [$0[0], $0[2], $0[5], $0[6]] } == [
                ["flags", "partial", "1", "1"], ["flickr", "partial", "0", "1"],
            ])
        #expect(try rows("What has no file").map { [$0[0], $0[2]] } == [["fr", "failed"]])
        #expect(try rows("The history of one item").map { [$0[0], $0[2]] } == [["2", "fresh"], ["1", "downloaded"]])
        #expect(try rows("The same bytes under several names").map { [$0[1], $0[2]] } == [["4", "18"]])
        #expect(try rows("Files, for another program").map { $0[2] } == ["6", "6"])
        #expect(
            try rows("What failed in the last run, and why").map { [$0[0], $0[2], $0[5]] } == [["fr", "http", "0"]])
    }
}
