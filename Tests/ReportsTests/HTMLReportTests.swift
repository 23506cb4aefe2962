import Catalog
import Files
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Reports

@Suite("Reports in HTML", .timeLimit(.minutes(2)))
struct HTMLReportTests {
    private func html(_ catalog: Catalog, _ request: ReportRequest = ReportRequest(), gallery: Bool = false) throws
        -> String
    {
        var report = try makeReport(request, from: catalog.connection)
        _ = try judge(&report, comparedWith: .standard, by: [], now: Catalog.start, from: catalog.connection)
        var bytes: [UInt8] = []
        try HTMLReport(
            report, hasGallery: gallery, version: "1.0", now: Catalog.start,
            timeText: { "+\($0 / 1_000_000 - Catalog.start / 1_000_000) s" }
        ).write(from: catalog.connection) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func digest(_ text: Substring) -> String {
        var digest = SHA256()
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        return "'sha256-\(Data(digest.finalize().bytes).base64EncodedString())'"
    }

    /// What is between two marks.
    private func part(_ text: String, from start: String, to end: String) throws -> Substring {
        let begin = try #require(text.range(of: start)).upperBound
        let finish = try #require(text.range(of: end, range: begin..<text.endIndex)).lowerBound
        return text[begin..<finish]
    }

    @Test("the verdict, the numbers, the failures and the hosts are plain HTML")
    func plain() throws {
        let text = try html(Catalog.flags())
        #expect(text.hasPrefix("<!DOCTYPE html>"))
        #expect(text.contains("<title>flags run 2: partial, 2 of 5 items failed</title>"))
        #expect(text.contains("<h1><bdi>flags</bdi> run 2: partial, 2 of 5 items failed</h1>"))
        #expect(text.contains("Not enough runs: 0 like this one, 5 are needed."))
        #expect(text.contains("1 × http 503") && text.contains("lower per_host if it is the load."))
        #expect(text.contains("<dt>Received</dt><dd class=\"figure\">1.3 MB</dd>"))
        #expect(text.contains("<th scope=\"row\" class=\"long\"><bdi>host</bdi></th>"))
    }

    @Test("the policy allows the one script and the one style sheet by their digests, and nothing else")
    func policy() throws {
        let text = try html(Catalog.flags())
        let policy = try part(text, from: "Content-Security-Policy\" content=\"", to: "\">").replacing(
            "&#39;", with: "'")
        #expect(policy.hasPrefix("default-src 'none'; img-src data:; style-src 'sha256-") && !policy.contains("unsafe"))
        #expect(policy.contains(digest(try part(text, from: "<style>", to: "</style>"))))
        #expect(policy.contains("script-src " + digest(try part(text, from: "<script>", to: "</script>"))))
        #expect(!text.contains(" style=") && !text.contains("onclick") && !text.contains("http://"))
    }

    @Test("each colour that it uses is the page's, for a light scheme and a dark one")
    func colours() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let page = try String(contentsOfFile: "\(folder)/Sources/Web/Page/css/base.css", encoding: .utf8)
        let style = try part(try html(Catalog.flags()), from: "<style>", to: "</style>")
        let used = Set(style.matches(of: /var\(--([a-z-]+)\)/).map { String($0.1) })
        #expect(used.count > 10)
        for name in used {
            let values = page.matches(of: try Regex("--\(name): (#[0-9a-f]+);")).compactMap { $0.output[1].substring }
            #expect(values.count == 2, "\(name)")
            for value in values { #expect(style.contains("--\(name): \(value);")) }
            // The dark ones twice, as the system has it and as the reader does; paper has its own.
            #expect(style.matches(of: try Regex("--\(name): #")).count >= 3)
        }
    }

    @Test("no text of the catalog is markup, or reorders what is around it")
    func hostile() throws {
        let catalog = try Catalog()
        let job = "<script>alert(1)</script>\"'&"
        try catalog.addJob(job)
        try catalog.addCollection(of: job, "<i>c</i>")
        try catalog.addRun(of: job)
        try catalog.addItem(of: job, in: 1, "</script><b>x\u{202e}\u{1b}", position: 1)
        try catalog.addTransfer(1, 1, "failed", failure: "<b>", detail: "<img src=x>", version: "<u>")
        try catalog.finish(1, "partial", after: 1_000, detail: "<s>why</s>")
        let text = try html(catalog)
        for markup in ["<script>alert", "<i>c", "<b>", "<img", "<u>", "<s>"] {
            #expect(!text.contains(markup), "\(markup)")
        }
        #expect(!text.contains("\u{202e}") && !text.contains("\u{1b}"))
        #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
        #expect(text.components(separatedBy: "</script>").count == 3)
    }

    @Test("several runs have a section each and a list of them; none is a page, too")
    func several() throws {
        var request = ReportRequest()
        request.run = .all
        let text = try html(Catalog.flags(), request)
        #expect(text.contains("<h1>2 runs: 1 partial, 1 complete</h1>"))
        #expect(text.contains("<li><a href=\"#run-1\">flags run 1: complete</a></li>"))
        for id in ["run-1", "run-2", "data-1", "data-2"] { #expect(text.contains("id=\"\(id)\"")) }
        let none = try html(Catalog())
        #expect(none.contains("<h1>No runs</h1>") && none.hasSuffix("</html>\n"))
    }

    @Test("the data is what Python's gzip reads, with a row for each item")
    func data() throws {
        let text = try html(Catalog.flags())
        let data = try #require(Data(base64Encoded: String(try part(text, from: "id=\"data-2\">", to: "</script>"))))
        let directory = try TemporaryDirectory()
        let file = try directory.write(Array(data), to: "data.gz")
        let log = directory.path("log")
        let program =
            "import gzip, json, sys; d = json.load(gzip.open(sys.argv[1])); "
            + "print(d['asked'], len(d['title']), d['failures'], d['wait'], d['earlier'][2] >= 0)"
        #expect(try Subprocess(["python3", "-c", program, file], log: log).wait() == 0)
        #expect(
            try String(contentsOfFile: log, encoding: .utf8)
                == "3 5 ['http 503', 'invalid'] [7000, 40000, 184000000] True\n")
    }

    @Test("a gallery has the thumbnails that are there, and says so where none is")
    func gallery() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1, 2, 3], to: "one.webp")
        try directory.write([1, 2, 3], to: "page.html")
        let catalog = try Catalog.flags()
        try catalog.connection.run("UPDATE job SET directory = ?", directory.path)
        for (item, name) in [(1, "one.webp"), (2, "missing.webp"), (3, "page.html"), (4, "../../etc/passwd.png")] {
            try catalog.connection.run(
                "INSERT INTO picture VALUES (?, 1, NULL, 'thumbnail', ?, 10, 20, 3, '', NULL)", item, name)
        }
        let text = try html(catalog, gallery: true)
        #expect(text.components(separatedBy: "<img src=").count == 2)
        #expect(text.contains("<img src=\"data:image/webp;base64,AQID\" width=\"10\" height=\"20\""))
        #expect(try html(Catalog.flags(), gallery: true).contains("There are no thumbnails"))
        #expect(try !html(Catalog.flags()).contains("What do they look like?"))
    }

    @Test("of too many transfers all that failed, the slowest and a sample are shown")
    func sample() {
        let count = 250_000
        let spans = (0..<Int64(count)).map { index -> TransferSpan in
            let total = index == 77 ? 9_999_999 : index % 1_000
            return TransferSpan(item: index, start: index, length: 1, total: total, isFailed: index % 100 == 1)
        }
        let quiet = (0..<1_000).map { QuietTransfer(item: Int64(count + $0), isFailed: $0 == 5) }
        let shown = ShownTransfers(spans, lanes: Array(repeating: 0, count: count), quiet: quiet)
        #expect(shown.isSample && shown.total == count + 1_000 && shown.count < 30_000)
        #expect(shown.spans.count { $0.isFailed } == 2_500 && shown.quiet.contains(Int64(count + 5)))
        #expect(shown.spans.contains { $0.item == 77 } && shown.lanes.count == shown.spans.count)
        #expect(
            !ShownTransfers(Array(spans.prefix(100)), lanes: Array(repeating: 0, count: 100), quiet: quiet).isSample)
    }

    @Test("throughput adds up to what was received, and slots to what was in flight")
    func plots() throws {
        let spans = (0..<100).map { index in
            TransferSpan(
                item: Int64(index), start: Int64(index) * 10_000, length: 30_000, total: 30_000, receive: 20_000,
                wireBytes: 5_000)
        }
        var lanes = Lanes()
        let places = spans.map { lanes.lane(from: $0.start, to: $0.end) }
        let plots = RunPlots(spans, lanes: places, start: 0)
        #expect(plots.slots == 3 && plots.length == 1_020_000)
        let throughput = try #require(plots.throughput)
        let sum = throughput.values.reduce(0) { $0 + Double($1) * Double(throughput.step) / 1_000_000 }
        #expect(abs(sum - 500_000) < 500)
        #expect(plots.times?.counts.reduce(0, +) == 100)
    }

    @Test("extreme numbers are drawn all the same", arguments: extremeNumbers.compactMap { Int64($0) })
    func extreme(_ number: Int64) throws {
        let catalog = try Catalog.flags()
        let times = [
            "started_at", "queue_us", "dns_us", "wait_us", "receive_us", "total_us", "store_us", "elapsed_us",
            "wire_bytes",
        ]
        try catalog.connection.run("UPDATE transfer SET " + times.map { "\($0) = ?1" }.joined(separator: ", "), number)
        try catalog.connection.run(
            "UPDATE run SET started_at = ?1, finished_at = ?1, failed = ?1, wire_bytes = ?1", number)
        #expect(try html(catalog).hasSuffix("</html>\n"))
    }
}
