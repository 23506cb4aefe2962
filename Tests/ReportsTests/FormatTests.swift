import Catalog
import Foundation
import Reports
import SQLite
import TestSupport
import Testing

@Suite("Reports for other programs", .timeLimit(.minutes(2)))
struct FormatTests {
    /// Titles that break writers: quotes, line ends, commas, formulas, markup, a terminal's commands, four-byte letters.
    private static let hostile = [
        "a,b", "say \"hi\"", "two\r\nlines", "=HYPERLINK(\"http://evil\")", "+1", "-1", "@x", "\tTab", " spaces ",
        "</script><script>alert(1)</script>", "\u{1b}[31mred\u{202e}", "🇻🇳 Việt Nam", "", "'", "back\\slash",
    ]

    private func hostileCatalog() throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("flags")
        try catalog.addCollection(of: "flags", "\"quoted\", collection")
        try catalog.addRun(of: "flags")
        for (index, title) in Self.hostile.enumerated() {
            try catalog.addItem(of: "flags", in: 1, title, position: index + 1, size: 5)
            try catalog.addTransfer(1, Int64(index + 1), bytes: 5)
        }
        try catalog.finish(1, "complete", after: 1_000_000)
        return catalog
    }

    /// What a program of the folder Readers prints that is given `text` in a file.
    private func read(_ text: String, by program: String) throws -> String {
        let directory = try TemporaryDirectory()
        let (input, log) = (try directory.write(text, to: "input"), directory.path("log"))
        let readers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Readers")
        let status = try Subprocess(["python3", "-B", readers.appending(path: program).path(), input], log: log).wait()
        let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        #expect(status == 0, "\(output)")
        return output
    }

    @Test("Python's csv reads back every cell of CSV as the catalog has it")
    func csv() throws {
        let text = try hostileCatalog().export(.csv)
        #expect(text.utf8.starts(with: "run_id,job,item_id,collection_key,collection,key,title,".utf8))
        let titles = try read(text, by: "titles.py")
        #expect(try JSONDecoder().decode([String].self, from: Data(titles.utf8)) == Self.hostile)
    }

    @Test("--safe-csv puts an apostrophe before formulas, and before nothing else")
    func safeCSV() throws {
        let titles = try read(hostileCatalog().export(.csv, safe: true), by: "titles.py")
        let wanted = Self.hostile.map { "=+-@\t\r".contains($0.first ?? " ") ? "'" + $0 : $0 }
        #expect(try JSONDecoder().decode([String].self, from: Data(titles.utf8)) == wanted)
    }

    @Test("CSV on a terminal does not control it")
    func terminal() throws {
        let catalog = try hostileCatalog()
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        var bytes: [UInt8] = []
        try TableExport(.csv, isForTerminal: true).write(report, from: catalog.connection) { bytes += $0 }
        #expect(!bytes.contains(0x1b) && !String(decoding: bytes, as: UTF8.self).contains("\u{202e}"))
    }

    @Test("each line of JSON Lines is an object with the catalog's types")
    func jsonLines() throws {
        let lines = try hostileCatalog().export(.jsonl).split(separator: "\n")
        #expect(lines.count == Self.hostile.count)
        for (line, title) in zip(lines, Self.hostile) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["title"] as? String == title)
            #expect(object["wait_us"] as? Int == 900 && object["host"] as? String == "host")
        }
    }

    @Test("the HAR is valid by its schema, with an entry for each transfer that asked")
    func har() throws {
        let catalog = try Catalog.flags()
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        var bytes: [UInt8] = []
        try HTTPArchive.write(report, version: "1.0", from: catalog.connection) { bytes += $0 }
        let output = try read(String(decoding: bytes, as: UTF8.self), by: "har.py")
        #expect(output == "[('1/1', 304, -1), ('1/3', 200, -1), ('1/4', 503, -1)]\n")
    }

    @Test("trace events have what viewers require, in the order of time, and slots that overlap nowhere")
    func trace() throws {
        let catalog = try Catalog.parallel()
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        var bytes: [UInt8] = []
        try TraceEvents.write(report, from: catalog.connection) { bytes += $0 }
        let output = try read(String(decoding: bytes, as: UTF8.self), by: "trace.py")
        #expect(output == "6 [1, 2, 3] ['flags run 1', 'slot 1', 'slot 2', 'slot 3']\n")
    }

    @Test("promtool has nothing to say about the metrics, whatever jobs are called")
    func prometheus() throws {
        let catalog = try Catalog.flags()
        try catalog.addJob("a\"b\\c\nd\u{1b}[2J")
        try catalog.addRun(of: "a\"b\\c\nd\u{1b}[2J")
        try catalog.finish(3, "complete", after: 500)
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        var bytes: [UInt8] = []
        try PrometheusText.write(
            report, version: "1.0", libcurl: "7.88.1", now: Catalog.start, from: catalog.connection
        ) { bytes += $0 }
        let text = String(decoding: bytes, as: UTF8.self)
        let directory = try TemporaryDirectory()
        let (input, log) = (try directory.write(text, to: "in"), directory.path("log"))
        let status = try Subprocess(["sh", "-c", "promtool check metrics < '\(input)'"], log: log).wait()
        #expect(status == 0)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "")
        let lines = text.split(separator: "\n")
        #expect(lines.contains(#"runner_run_items{job_name="flags",outcome="failed"} 2"#))
        #expect(lines.contains(#"runner_run_last_success_timestamp_seconds{job_name="flags"} 1767225602.9"#))
        #expect(lines.contains(#"runner_run_failures{job_name="flags",failure="http"} 1"#))
        #expect(lines.contains(#"runner_run_last_outcome{job_name="flags",outcome="partial"} 1"#))
        #expect(
            lines.contains(#"runner_run_phase_duration_seconds{job_name="flags",phase="wait",quantile="0.5"} 0.04"#))
        #expect(text.contains(#"job_name="a\"b\\c\nd�[2J""#))
        // A sample with a timestamp is refused by the collector.
        #expect(
            lines.filter { !$0.hasPrefix("#") }.allSatisfy {
                $0[$0.lastIndex(of: "}")!...].split(separator: " ").count == 2
            })
    }

    @Test("--hosts and --new are tables of text and arrays of JSON")
    func sections() throws {
        let catalog = try Catalog.flags()
        var request = ReportRequest()
        request.hosts = true
        request.news = true
        let text = try catalog.text(request, width: 160)
        #expect(text.contains("transfers  failed throttled"))
        #expect(text.contains("  item     downloaded                مصر"))
        #expect(text.contains("  failure  failed      http 503"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(catalog.json(request).utf8)) as? [String: Any])
        let run = try #require((json["runs"] as? [[String: Any]])?.first)
        let host = try #require((run["hosts"] as? [[String: Any]])?.first)
        #expect(host["host"] as? String == "host" && host["transfers"] as? Int == 3 && host["failed"] as? Int == 1)
        #expect(host["throttled"] as? Int == 1 && host["reused"] as? Int == 2)
        // One download: too few for a p90, and what was unchanged or failed is not mixed in.
        let wait = try #require(host["wait_us"] as? [String: Any])
        #expect(wait["count"] as? Int == 1 && wait["p50"] as? Int == 40_000 && wait["p90"] is NSNull)
        #expect(
            (run["new"] as? [[String: Any]])?.compactMap { $0["kind"] as? String } == [
                "item", "item", "item", "failure",
            ])
    }

    @Test("all of a table is exported, of one job or of all, in pages that lose nothing")
    func export() throws {
        let catalog = try Catalog()
        for (number, job) in ["one", "two"].enumerated() {
            try catalog.addJob(job)
            try catalog.addCollection(of: job, "C")
            try catalog.addRun(of: job)
            for position in 1...600 {
                try catalog.addItem(of: job, in: Int64(number + 1), "t\(position)", position: position, size: 1)
                try catalog.addTransfer(Int64(number + 1), Int64(number * 600 + position), bytes: 1)
            }
        }
        func count(_ table: CatalogTable, _ jobs: [String]) throws -> Int {
            var (lines, pieces) = (0, 0)
            try TableExport(.jsonl).write(table, of: jobs, from: catalog.connection) { bytes in
                lines += bytes.count { $0 == UInt8(ascii: "\n") }
                pieces += 1
            }
            #expect(table == .run || pieces > 2)
            return lines
        }
        #expect(try count(.item, []) == 1200)
        #expect(try count(.item, ["two"]) == 600)
        #expect(try count(.transfer, ["one"]) == 600)
        #expect(try count(.transfer, []) == 1200)
        #expect(try count(.run, []) == 2)
        #expect(throws: ReportError.unknownJob("three", known: ["one", "two"])) { try count(.run, ["three"]) }
    }
}

extension Catalog {
    /// The transfers of the last run as a table.
    fileprivate func export(_ format: TableExport.Format, safe: Bool = false) throws -> String {
        let report = try makeReport(ReportRequest(), from: connection)
        var bytes: [UInt8] = []
        try TableExport(format, defusesFormulas: safe).write(report, from: connection) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Six transfers, three of them at a time.
    fileprivate static func parallel() throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addJob("flags")
        try catalog.addCollection(of: "flags", "Flags")
        try catalog.addRun(of: "flags")
        for number in 1...6 {
            try catalog.addItem(of: "flags", in: 1, "title \(number)", position: number, size: 1)
            try catalog.addTransfer(1, Int64(number), times: [10, 20, 30, Int64(400 + number * 20), 100], bytes: 1)
            try catalog.connection.run(
                "UPDATE transfer SET started_at = ?, elapsed_us = total_us WHERE item_id = ?",
                Catalog.start + Int64((number - 1) / 3 * 800 + number * 10), number)
        }
        try catalog.finish(1, "complete", after: 5_000)
        return catalog
    }
}
