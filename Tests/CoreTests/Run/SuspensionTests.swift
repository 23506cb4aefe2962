import Model
import Run
import TestSupport
import Testing

@Suite("Pauses that outlast transfers", .timeLimit(.minutes(1)))
struct SuspensionTests {
    private static let body = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }

    /// A server that sends half of `/a` and then nothing, until it is asked for the rest.
    private func bench(tag: String?, transfer: String = "concurrency: 1") throws -> Bench {
        let fields = tag.map { [("ETag", $0)] } ?? []
        return try Bench(transfer: transfer) { request in
            guard request.path == "/a" else { return .ok(request.path) }
            if let range = request["Range"], let start = Int(range.drop { $0 != "=" }.dropFirst().dropLast()) {
                return .partial(of: Self.body, from: start, headers: fields)
            }
            // What is asked for anew, since nothing says of which version the part is, comes whole.
            let isSecond = tag == nil && request.connection > 0
            return isSecond ? .ok(Self.body) : .ok(Self.body, headers: fields).cut(after: 200_000, .stall)
        }
    }

    private func waitForBytes(_ running: RunningJob, _ count: Int64) async throws {
        try await running.wait { event in
            if case .activity(let activity) = event, activity.items.contains(where: { $0.received >= count }) {
                true
            } else {
                nil
            }
        }
    }

    @Test("what is in flight when a pause outlasts the grace period goes on where it was, in the same attempt")
    func resumed() async throws {
        let bench = try bench(tag: "\"1\"")
        let running = try bench.begin([bench.item("/a"), bench.item("/b")]) {
            $0.interest.activityInterval = 1_000
            $0.gracePeriod = 10_000
        }
        try await waitForBytes(running, 200_000)
        running.session.pause()
        // The connection is given up: nothing of it is left that a server could time out.
        _ = try await blocking { try bench.server.waitForNoConnections() }
        #expect(bench.requests("/b").isEmpty)
        running.session.resume()
        let report = try await running.report()
        #expect(report.outcome == .complete)
        let row = try report["a"]
        #expect(row.outcome == "downloaded" && row.attempts == 1)
        #expect(bench.file("a.bin") == Self.body)
        #expect(bench.requests("/a").last?["Range"] == "bytes=200000-")
        #expect(row.transfer["wire_bytes"]?.integer == 400_000)
    }

    @Test("without a validator it begins anew")
    func anew() async throws {
        let bench = try bench(tag: nil)
        let running = try bench.begin([bench.item("/a")]) {
            $0.interest.activityInterval = 1_000
            $0.gracePeriod = 10_000
        }
        try await waitForBytes(running, 200_000)
        running.session.pause()
        _ = try await blocking { try bench.server.waitForNoConnections() }
        running.session.resume()
        let report = try await running.report()
        #expect(report.outcome == .complete)
        #expect(bench.file("a.bin") == Self.body)
        #expect(bench.requests("/a").count == 2)
    }

    @Test("a run that is stopped while it is suspended keeps the part for the next run")
    func stopped() async throws {
        var bench = try bench(tag: "\"1\"")
        bench.keepsParts = true
        let server = bench.server
        let running = try bench.begin([bench.item("/a")]) {
            $0.interest.activityInterval = 1_000
            $0.gracePeriod = 10_000
        }
        try await waitForBytes(running, 200_000)
        running.session.pause()
        _ = try await blocking { try server.waitForNoConnections() }
        running.session.stop(.request)
        #expect(try await running.report().outcome == .partial)
        bench.keepsParts = false
        let report = try await bench.run([bench.item("/a")])
        #expect(report.outcome == .complete)
        #expect(bench.requests("/a").last?["Range"] == "bytes=200000-")
        #expect(bench.file("a.bin") == Self.body)
    }

    @Test("a pause that ends before the grace period breaks nothing off")
    func short() async throws {
        let bench = try bench(tag: "\"1\"", transfer: "concurrency: 2")
        bench.server.hold("/b")
        let running = try bench.begin([bench.item("/b")]) { $0.gracePeriod = 50_000 }
        _ = try await blocking { try bench.server.waitForRequests(1) }
        running.session.pause()
        running.session.resume()
        running.session.pause()
        running.session.resume()
        // What is in flight outlasts the time at which the pauses would have broken it off.
        try await Task.sleep(for: .milliseconds(100))
        bench.server.release("/b")
        #expect(try await running.report().outcome == .complete)
        #expect(bench.server.requests.count == 1)
    }
}
