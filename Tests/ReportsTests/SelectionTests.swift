import Reports
import SQLite
import Testing

@Suite("Which runs are reported", .timeLimit(.minutes(1)))
struct SelectionTests {
    /// Runs 1 and 3 of flags, 2 and 4 of photos, one each ten seconds.
    private func catalog() throws -> Catalog {
        let catalog = try Catalog()
        for job in ["flags", "photos"] { try catalog.addJob(job) }
        for (index, job) in ["flags", "photos", "flags", "photos"].enumerated() {
            try catalog.addRun(of: job, at: Int64(index) * 10)
        }
        return catalog
    }

    @Test(
        "the runs of the selector, of the jobs, since the time",
        arguments: [
            ([], RunSelector.last, nil, [3, 4]), (["flags"], .last, nil, [3]), ([], .all, nil, [1, 2, 3, 4]),
            (["photos"], .all, nil, [2, 4]), ([], .id(2), nil, [2]), (["photos"], .id(2), nil, [2]),
            ([], .all, 20, [3, 4]), ([], .last, 21, [4]), ([], .all, 31, []), ([], .id(2), 20, []),
        ] as [([String], RunSelector, Int64?, [Int64])])
    func selection(jobs: [String], run: RunSelector, since: Int64?, expected: [Int64]) throws {
        var request = ReportRequest()
        request.jobs = jobs
        request.run = run
        request.since = since.map { Catalog.start + $0 * 1_000_000 }
        #expect(try makeReport(request, from: catalog().connection).runs.map(\.id) == expected)
    }

    @Test("an unknown job is an error that knows the others")
    func unknownJob() throws {
        var request = ReportRequest()
        request.jobs = ["photos", "flag"]
        let connection = try catalog().connection
        #expect(throws: ReportError.unknownJob("flag", known: ["flags", "photos"])) {
            try makeReport(request, from: connection)
        }
    }

    @Test("a run that is not there, or of another job, is an error")
    func unknownRun() throws {
        let connection = try catalog().connection
        var request = ReportRequest()
        request.run = .id(9)
        #expect(throws: ReportError.unknownRun(9)) { try makeReport(request, from: connection) }
        request.run = .id(2)
        request.jobs = ["flags"]
        #expect(throws: ReportError.runOfOtherJob(2, job: "photos")) { try makeReport(request, from: connection) }
    }

    @Test("errors are safe to show")
    func errorText() {
        #expect("\(ReportError.unknownJob("\u{1b}[2J", known: []))" == "the catalog has no job '\u{fffd}[2J'")
    }
}
