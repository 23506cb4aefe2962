import Glibc
import Reports
import SQLite
import TestSupport
import Testing

@Suite("Long reports", .timeLimit(.minutes(1)))
struct StreamingTests {
    private func catalog(items: Int) throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("j")
        try catalog.addCollection(of: "j", "c")
        try catalog.addRun(of: "j")
        try catalog.connection.transaction {
            for id in 1...items {
                try catalog.addItem(of: "j", in: 1, "item \(id)", position: id)
                try catalog.addTransfer(1, Int64(id), "failed", status: 404, failure: "http")
            }
        }
        return catalog
    }

    private var request: ReportRequest {
        var request = ReportRequest()
        request.items = true
        request.failures = true
        return request
    }

    @Test("are written in small pieces, outside of any transaction", arguments: [true, false])
    func pieces(isJSON: Bool) throws {
        let connection = try catalog(items: 3_000).connection
        let report = try makeReport(request, from: connection)
        var pieces = 0
        let output: ReportOutput = { bytes in
            pieces += 1
            #expect(bytes.count < 400_000)
            #expect(!connection.isInTransaction)
        }
        if isJSON {
            try ReportJSON.write(report, from: connection, to: output)
        } else {
            try ReportText(width: nil, now: 0).write(report, from: connection, to: output)
        }
        #expect(pieces > 20)
    }

    @Test("pass over rows that are deleted meanwhile")
    func deletedRows() throws {
        let connection = try catalog(items: 600).connection
        let report = try makeReport(request, from: connection)
        var text = ""
        try ReportText(width: nil, now: 0).write(report, from: connection) { bytes in
            text += String(decoding: bytes, as: UTF8.self)
            try connection.run("DELETE FROM item WHERE id > 10")
        }
        #expect(text.contains("item 256\n") && !text.contains("item 257\n"))
    }

    @Test("end when the reader is gone")
    func closedOutput() throws {
        struct Closed: Error {}
        let connection = try catalog(items: 600).connection
        let report = try makeReport(request, from: connection)
        #expect(throws: Closed.self) {
            try ReportJSON.write(report, from: connection) { _ in throw Closed() }
        }
        #expect(!connection.isInTransaction)
    }

    @Test("need no right to write to the catalog")
    func readOnly() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("catalog.sqlite")
        let catalog = try Catalog.flags()
        try catalog.connection.run("VACUUM INTO ?", path)
        let reader = Catalog(connection: try Connection(path: path, mode: .readOnly))
        #expect(try reader.text(.everything) == catalog.text(.everything))
    }
}
