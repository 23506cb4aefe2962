import Files
import HTTP
import System
import TestSupport
import Testing

@testable import Model
@testable import SourceKit
@testable import Transfer

extension FaultMatrix {
    /// HTTP/2 from the first byte, where every request has a connection of its own with old libcurls.
    @Suite("HTTP/2", .timeLimit(.minutes(2)))
    struct HTTP2 {
        private typealias Step = HTTP2Script.Step

        /// What the server does with each request in turn, the last for ever.
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let answers: [[HTTP2Script.Step]]
            var outcome = "downloaded"
            var failure: String?
            var attempts: Int64 = 1
            var version = "2"
            var connections: Int?
        }

        private static let body = picture(20_000)
        private static let whole: [Step] = [.headers(length: body.count), .data(body, isLast: true)]
        private static let half: [Step] = [
            .headers(length: body.count), .data(Array(body.prefix(9_000)), isLast: false),
        ]

        @Test(
            "what goes wrong with a stream or a connection is tried again; what the server did not take up costs no try",
            arguments: [
                Case(testDescription: "nothing wrong", answers: [whole], connections: 1),
                Case(
                    testDescription: "REFUSED_STREAM", answers: [[.resetStream(7)], [.resetStream(7)], whole],
                    connections: 3),
                Case(
                    testDescription: "GOAWAY before the stream",
                    answers: [[.goAway(last: 0, code: 0), .close], whole], connections: 2),
                Case(
                    testDescription: "GOAWAY before the stream, again and again",
                    answers: [[Step]](repeating: [.goAway(last: 0, code: 0)], count: 5) + [whole], connections: 6),
                Case(
                    testDescription: "GOAWAY with an error before the stream",
                    answers: [[.goAway(last: 0, code: 2), .close], whole], connections: 2),
                Case(
                    testDescription: "GOAWAY after the stream", answers: [[.goAway(last: 1, code: 0)] + whole],
                    connections: 1),
                Case(
                    testDescription: "RST_STREAM within the body", answers: [half + [.resetStream(2)], whole],
                    attempts: 2),
                Case(
                    testDescription: "the connection ends within the body", answers: [half + [.close], whole],
                    attempts: 2),
                Case(
                    testDescription: "a body that ends early",
                    answers: [[.headers(length: body.count), .data(Array(body.prefix(9_000)), isLast: true)], whole],
                    attempts: 2),
                Case(
                    testDescription: "a frame that is none",
                    answers: [[.raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))], whole],
                    attempts: 2),
                Case(
                    testDescription: "GOAWAY for ever", answers: [[.goAway(last: 0, code: 0), .close]],
                    outcome: "failed", failure: "reset", attempts: 3, version: "1.1"),
                Case(
                    testDescription: "refused for ever", answers: [[.resetStream(7)]], outcome: "failed",
                    failure: "reset", attempts: 3, version: "1.1"),
            ])
        func fault(_ example: Case) async throws {
            FaultTally.count()
            let count = Monitor(0)
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.steps([.close])) }
                HTTP2Script.serve(connection) {
                    count.withLock { number in
                        defer { number += 1 }
                        return example.answers[min(number, example.answers.count - 1)]
                    }
                }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true")
            let item = bench.item("/a").with(url: server.url("/a"))
            let row = try await bench.run([item])["a"]
            #expect(row.outcome == .text(example.outcome), "\(row.detail)")
            #expect(row.failure == example.failure.map(Cell.text) ?? .null, "\(row.detail)")
            #expect(row.attempts == .integer(example.attempts), "\(row.detail)")
            if example.failure == nil {
                #expect(bench.file("a.png") == Self.body)
                #expect(row.transfer["http_version"] == .text(example.version))
            }
            if let connections = example.connections { #expect(server.connectionCount == connections) }
        }

        @Test("a host that fails twice on HTTP/2 is asked by HTTP/1.1 for the rest of the run")
        func fallsBack() async throws {
            FaultTally.count()
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.ok(Self.body)) }
                HTTP2Script.serve(connection) { Self.half + [.resetStream(2)] }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true\nconcurrency: 1")
            let items = ["a", "b", "c"].map { name in
                let item = bench.item("/\(name)").with(url: server.url("/\(name)"))
                return item
            }
            let report = try await bench.run(items)
            #expect(report.items.values.allSatisfy { $0.outcome == "downloaded" })
            #expect(report.items.values.allSatisfy { $0.transfer["http_version"] == "1.1" })
            #expect(server.requests.count(where: HTTP2Script.isPreface) == 2)
        }

        private static func digest(of bytes: [UInt8]) -> String {
            var hash = SHA256()
            bytes.withUnsafeBytes { hash.update($0) }
            return hash.finalize().hex
        }

        /// Half of a body without a length, which libcurl can't tell from all of it.
        private static let openEnd: [Step] = [.headers(length: nil), .data(Array(body.prefix(9_000)), isLast: false)]

        @Test(
            "a body without a length that the server breaks off is fetched whole by HTTP/1.1",
            arguments: [
                Case(testDescription: "RST_STREAM without an error", answers: [openEnd + [.resetStream(0)]]),
                Case(
                    // DATA on stream 0 is an error of the connection (RFC 9113, 6.1).
                    testDescription: "a fault of the protocol",
                    answers: [openEnd + [.raw([0, 0, 1, 0, 0, 0, 0, 0, 0, 0x61]), .close]]),
                Case(testDescription: "GOAWAY and the end", answers: [openEnd + [.goAway(last: 1, code: 0), .close]]),
                Case(testDescription: "the end of the connection", answers: [openEnd + [.close]]),
            ])
        func openEnded(_ example: Case) async throws {
            FaultTally.count()
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.ok(Self.body)) }
                HTTP2Script.serve(connection) { example.answers[0] }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true")
            let row = try await bench.run([bench.item("/a").with(url: server.url("/a"))])["a"]
            #expect(row.outcome == "downloaded", "\(row.detail)")
            #expect(row.transfer["http_version"] == "1.1")
            #expect(bench.file("a.png") == Self.body)
        }

        @Test("a picture without a length whose structure is broken was cut, which is tried again by HTTP/1.1")
        func cutPicture() async throws {
            FaultTally.count()
            let picture = PictureFile.png(Array(repeating: 7, count: 20_000))
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.ok(picture)) }
                let half = Array(picture.prefix(picture.count / 2))
                HTTP2Script.serve(connection) { [.headers(length: nil), .data(half, isLast: false), .resetStream(0)] }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true", keys: "expect: image")
            let row = try await bench.run([bench.item("/a").with(url: server.url("/a"))])["a"]
            #expect(row.outcome == "downloaded", "\(row.detail)")
            #expect(row.transfer["http_version"] == "1.1")
            #expect(bench.file("a.png") == picture)
        }

        @Test("a list without a length that the server breaks off is fetched whole by HTTP/1.1")
        func cutList() async throws {
            FaultTally.count()
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.ok(Self.body)) }
                HTTP2Script.serve(connection) { Self.openEnd + [.resetStream(0)] }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true")
            let bytes = Locked<[UInt8]>([])
            let url = server.url("/list")
            _ = try await bench.run(
                SourcePlan(type: "asking") { context in
                    AnySourcePages(AskingPages(url: url, context: context) { body in bytes.withLock { $0 = body } })
                })
            #expect(bytes.withLock { $0 } == Self.body)
        }

        /// Asks for one reply and lists nothing.
        private struct AskingPages: SourcePages {
            let url: String
            let context: SourceContext
            let take: @Sendable ([UInt8]) -> Void

            mutating func next() async throws -> Page? {
                take(try await context.fetch(url).body)
                return nil
            }
        }

        @Test("a body without a length is not fetched twice where its digest shows that it is whole")
        func shown() async throws {
            FaultTally.count()
            let server = try FaultyServer { request, connection in
                guard HTTP2Script.isPreface(request) else { return connection.send(.ok("no")) }
                HTTP2Script.serve(connection) { [.headers(length: nil), .data(Self.body, isLast: true)] }
            }
            let bench = try Bench(transfer: "http_version: 2\nallow_private_addresses: true")
            let item = bench.item("/a").with(url: server.url("/a"), sha256: Self.digest(of: Self.body))
            let row = try await bench.run([item])["a"]
            #expect(row.outcome == "downloaded", "\(row.detail)")
            #expect(row.transfer["http_version"] == "2")
            #expect(bench.file("a.png") == Self.body)
        }

        @Test("requests that failed with one connection are one failure")
        func oneConnection() throws {
            let origin = SchedulerFloor.host("a")
            var failures = HTTP2Failures()
            func time(_ microseconds: Int64) -> Monotonic { Monotonic(microseconds: microseconds) }
            for begun in [0, 10, 20] as [Int64] {
                failures.note(at: origin, begun: time(begun), now: time(100 + begun))
            }
            #expect(!failures.isGivenUp(at: origin))
            failures.note(at: origin, begun: time(200), now: time(300))
            #expect(failures.isGivenUp(at: origin))
            #expect(!failures.isGivenUp(at: SchedulerFloor.host("b")))
        }
    }
}
