import Testing

@testable import Commands
@testable import Model

@Suite("Lines of a run", .timeLimit(.minutes(1)))
struct RunLinesTests {
    private func text(
        _ events: [RunEvent], verbosity: Verbosity = .normal, hasColour: Bool = false
    ) -> String {
        var lines = RunLines(verbosity: verbosity, hasColour: hasColour)
        return events.map { lines.lines(for: $0) }.joined()
    }

    @Test("a run ends with one line of figures")
    func summary() {
        let run = RunFinished.of { figures in
            figures.downloaded = 239
            figures.wireBytes = 2_100_000
        }
        #expect(
            text([.started(), .ended(run)])
                == "flags: 239 downloaded, 0 unchanged, 0 fresh, 0 failed, 2.1 MB in 1.4 s\n")
    }

    @Test(
        "a run that did not complete says so",
        arguments: [
            (
                RunFinished.of(outcome: .partial, detail: "deadline of 5 s", downloaded: 1, cancelled: 2),
                "flags: 1 downloaded, 0 unchanged, 0 fresh, 0 failed, 2 cancelled, 0 B in 1.4 s; partial: deadline of 5 s\n"
            ),
            (
                RunFinished.of(outcome: .interrupted, detail: nil, downloaded: 1, cancelled: 0),
                "flags: 1 downloaded, 0 unchanged, 0 fresh, 0 failed, 0 B in 1.4 s; interrupted\n"
            ),
            (
                RunFinished.of(outcome: .failed, detail: "the list ended early", downloaded: 0, cancelled: 0),
                "flags: 0 downloaded, 0 unchanged, 0 fresh, 0 failed, 0 B in 1.4 s; failed: the list ended early\n"
                    + "more: runner report flags\n"
            ),
        ])
    func incomplete(run: RunFinished, line: String) {
        #expect(text([.started(), .ended(run)]) == line)
    }

    @Test("an empty selection and an empty list are told apart")
    func nothing() {
        #expect(text([.started(), .ended(.of())]) == "flags: nothing listed\n")
        #expect(text([.started(selection: #"{"limit":1}"#), .ended(.of())]) == "flags: nothing selected\n")
    }

    @Test("a failure is a line with its word, its detail and its URL")
    func failure() {
        #expect(
            text([.finished("Vietnam", .failed())])
                == "failed  flags Vietnam: http: 404 Not Found (http://127.0.0.1/vn.png)\n")
        #expect(
            text([.finished("Vietnam", .failed(.dns, nil))])
                == "failed  flags Vietnam: dns: the host name did not resolve (http://127.0.0.1/vn.png)\n")
    }

    @Test("at most 50 failures of a job are told one by one")
    func manyFailures() {
        let run = RunFinished.of(outcome: .partial, detail: nil, downloaded: 0, cancelled: 0)
        let events = Array(repeating: RunEvent.finished("x", .failed()), count: 53) + [.ended(run)]
        let lines = text(events).split(separator: "\n")
        #expect(lines.count == 52)
        #expect(lines[50] == "… and 3 more")
        #expect(text(events, verbosity: .verbose).split(separator: "\n").count == 54)
    }

    @Test("each job has its own 50 failures")
    func failuresOfJobs() {
        let events = ["a", "b"].flatMap { job in (0..<50).map { _ in RunEvent.finished("x", .failed(), job: job) } }
        #expect(text(events).split(separator: "\n").count == 100)
    }

    @Test("quiet says nothing of a run without failures, also when it warned")
    func quiet() {
        let events = [RunEvent.started(), .warning("slow"), .ended(.of { $0.downloaded = 3 })]
        #expect(text(events, verbosity: .quiet).isEmpty)
        let run = RunFinished.of { figures in
            figures.downloaded = 2
            figures.failed = 1
        }
        #expect(
            text([.started(), .finished("x", .failed()), .ended(run)], verbosity: .quiet)
                .split(separator: "\n").count == 3)
    }

    @Test("failures that are known are one line for all of them, and none where the job ignores them")
    func known() throws {
        let failures: [(Int, Int64, Int64)] = [(404, 7, 9), (404, 3, 8), (410, 5, 12)]
        let events = failures.map { status, since, next in
            var record = TransferRecord.failed()
            record.known = KnownFailure(
                .http, status: status, since: since * 86_400_000_000, next: next * 86_400_000_000)
            return RunEvent.finished("x", record)
        }
        var run = RunFinished.of("flags", .partial) { figures in
            figures.fresh = 4
            figures.failed = 3
            figures.knownFailures = 3
        }
        #expect(
            text([.started()] + events + [.ended(run)], verbosity: .quiet) == """
                failed  flags: 3 known failures, not asked: 404 (2), 410 (1), since 1970-01-04, next attempt \
                1970-01-09 00:00:00 UTC
                flags: 0 downloaded, 0 unchanged, 4 fresh, 3 failed (3 known), 0 B in 1.4 s
                more: runner report flags --failures

                """)
        run.outcome = .complete
        run.ignoresKnownFailures = true
        #expect(text([.started()] + events + [.ended(run)], verbosity: .quiet) == "")
        #expect(
            text([.started()] + events + [.ended(run)])
                == "flags: 0 downloaded, 0 unchanged, 4 fresh, 3 failed (3 known), 0 B in 1.4 s\n")
    }

    @Test("a host that fails in one way is one line, and another for how often; what an item lacks is told of each")
    func failuresOfHost() {
        let run = RunFinished.of("flags", .partial) { $0.failed = 5 }
        let events = [TransferRecord.failed(.dns, nil), .failed(.dns, nil), .failed(.dns, nil), .failed(), .failed()]
        #expect(
            text(events.map { .finished("x", $0) } + [.ended(run)]) == """
                failed  flags x: dns: the host name did not resolve (http://127.0.0.1/vn.png)
                failed  flags x: http: 404 Not Found (http://127.0.0.1/vn.png)
                failed  flags x: http: 404 Not Found (http://127.0.0.1/vn.png)
                failed  flags: 2 more of 127.0.0.1: dns: the host name did not resolve
                flags: 0 downloaded, 0 unchanged, 0 fresh, 5 failed, 0 B in 1.4 s
                more: runner report flags --failures

                """)
    }

    @Test("an entry of the list that has no URL is told by its key")
    func noURL() {
        let event = RunEvent.finished("x", .failed(.invalid, "row 2 is no URL"))
        guard case .itemFinished(var item) = event else { return }
        item.url = ""
        #expect(text([.itemFinished(item)]) == "failed  flags x: invalid: row 2 is no URL (\(item.key))\n")
    }

    @Test("the next command names the catalog where it would not be found")
    func database() {
        var lines = RunLines(verbosity: .quiet, hasColour: false, databaseClause: " --database /srv/c.sqlite")
        let text = lines.lines(for: .ended(.of("flags", .partial) { $0.failed = 1 }))
        #expect(text.hasSuffix("\nmore: runner report flags --failures --database /srv/c.sqlite\n"))
    }

    @Test("verbose has a line for each item")
    func verbose() {
        #expect(
            text(
                [.finished("Vietnam", .downloaded(bytes: 12_400), path: "Vietnam.png", size: 12_400)],
                verbosity: .verbose)
                == "downloaded  flags Vietnam (12.4 kB, 3.0 ms) Vietnam.png\n")
        #expect(
            text(
                [.finished("Vietnam", TransferRecord(outcome: .fresh), path: "Vietnam.png", size: 5)],
                verbosity: .verbose)
                == "fresh  flags Vietnam (5 B) Vietnam.png\n")
        #expect(text([.finished("Vietnam", .downloaded(bytes: 1))]).isEmpty)
    }

    @Test("a name from the network can't control the terminal")
    func hostile() {
        let line = text([.finished("a\u{1B}[2Jb\u{202E}c\nd", .failed(.http, "x\ry"))])
        #expect(line == "failed  flags a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d: http: x\u{FFFD}y (http://127.0.0.1/vn.png)\n")
        #expect(text([.warning("a\u{07}")]) == "warning  flags: a\u{FFFD}\n")
    }

    @Test("colour marks the first word only, where it is wanted")
    func colour() {
        #expect(text([.warning("slow")], hasColour: true) == "\u{1B}[33mwarning\u{1B}[0m  flags: slow\n")
    }
}

extension RunFinished {
    fileprivate static func of(outcome: RunOutcome, detail: String?, downloaded: Int, cancelled: Int) -> RunFinished {
        of("flags", outcome, detail: detail) { figures in
            figures.downloaded = downloaded
            figures.cancelled = cancelled
        }
    }
}
