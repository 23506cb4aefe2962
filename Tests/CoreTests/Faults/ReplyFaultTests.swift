import Model
import Run
import Schedule
import TestSupport
import Testing

extension FaultMatrix {
    @Suite("Replies", .timeLimit(.minutes(2)))
    struct Replies {
        @Test("a fault leaves the outcome, the word, the file and the rows that it must", arguments: FaultTable.all)
        func fault(_ fault: Fault) async throws {
            FaultTally.count()
            var bench = try Bench(FaultTable.responses, transfer: fault.transfer, keys: fault.keys)
            var item = bench.item(fault.path)
            if let url = fault.url {
                item = item.with(url: url.split(separator: "{port}").joined(separator: "\(bench.server.port)"))
            }
            if fault.isSecondRun {
                #expect(try await bench.run([item])[fault.name].outcome == "downloaded")
                if fault.deletesFile { try bench.directory.remove("\(bench.outputFolder)/\(fault.name).png") }
            }
            bench.keepsParts = fault.leavesPart
            let report = try await bench.run([item])
            let row = try report[fault.name]
            #expect(row.outcome == .text(fault.outcome), "\(row.detail)")
            #expect(row.failure == fault.failure.map(Cell.text) ?? .null, "\(row.detail)")
            #expect(row.attempts == .integer(fault.attempts), "\(row.detail)")
            if let status = fault.status { #expect(row.status == .integer(status)) }
            #expect(row.detail.contains(fault.detail), "\(row.detail)")
            #expect(report.outcome == (fault.outcome == "failed" ? .partial : .complete))
            #expect(bench.parts.isEmpty == !fault.leavesPart)
            switch fault.file {
            case .none:
                #expect(bench.files == [])
                #expect(row.state == "failed")
            case .bytes(let bytes):
                #expect(row.state == "stored")
                let path = try #require(row.path?.text)
                #expect(bench.files == [path])
                #expect(bench.file(path) == bytes, "the file has other bytes")
            }
        }

        @Test("credentials do not go to another host")
        func credentials() async throws {
            FaultTally.count()
            let other = try FaultyServer { _ in .ok(Fault.body) }
            let bench = try Bench(
                ["/a": [.redirect(to: "http://localhost:\(other.port)/b")]],
                transfer: """
                    allow_private_addresses: true
                    headers: {Authorization: Bearer secret, Cookie: a=b, X-Plain: yes}
                    """)
            #expect(try await bench.run("/a")["a"].outcome == "downloaded")
            #expect(bench.requests("/a").first?["Authorization"] == "Bearer secret")
            let request = try #require(other.requests.first)
            for name in ["Authorization", "Cookie", "X-Plain"] { #expect(request[name] == nil) }
        }

        @Test("a redirect that asks to wait is followed after that time")
        func waitingRedirect() async throws {
            FaultTally.count()
            let bench = try Bench([
                "/a": [.status(302, headers: [("Location", "/b"), ("Retry-After", "1")])], "/b": [.ok(Fault.body)],
            ])
            let row = try await bench.run("/a")["a"]
            #expect(row.outcome == "downloaded")
            #expect(row.attempts == 1)
            let requests = bench.server.requests
            #expect(requests.map(\.path) == ["/a", "/b"])
            #expect(requests[1].time - requests[0].time >= 1_000_000)
        }

        @Test("a redirect to a private server does not reach it")
        func privateServer() async throws {
            FaultTally.count()
            let other = try FaultyServer { _ in .ok("secret") }
            let bench = try Bench(["/a": [.redirect(to: other.url("/x"))]])
            #expect(try await bench.run("/a")["a"].failure == "blocked-address")
            #expect(other.connectionCount == 0)
        }

        @Test("a dead host does not hold the run: its items end with that reason, the others go on")
        func deadHost() async throws {
            FaultTally.count()
            var bench = try Bench(
                ["/dead": [.steps([.close])], "/good": [.ok(picture())]],
                transfer: "allow_private_addresses: true\nretries: 100\nper_host: 2\nconcurrency: 4")
            bench.options.backoff.limit = 2_000
            bench.options.breaker.streak = 20_000
            bench.options.breaker.pause = 100_000
            bench.options.breaker.shortPause = 1_000
            bench.options.breaker.patience = 1_000
            var items = (0..<300).map { bench.item("/dead?\($0)", key: "dead \($0)") }
            for index in items.indices {
                items[index] = items[index].with(url: "http://localhost:\(bench.server.port)/dead?\(index)")
            }
            items.append(bench.item("/good"))
            let report = try await bench.run(items)
            #expect(report.outcome == .partial)
            #expect(try report["good"].outcome == "downloaded")
            let dead = report.items.filter { $0.key != "good" }.values
            #expect(dead.count == 300)
            #expect(dead.allSatisfy { $0.state == "failed" })
            // What was asked has its own reason, and what was not asked the host's.
            for row in dead {
                if row.attempts == 0 {
                    #expect(row.failure == "connect")
                    let host = "http://localhost:\(bench.server.port)"
                    #expect(row.detail.hasPrefix("not asked: the host \(host) was given up"))
                } else {
                    #expect(row.failure == "reset")
                    #expect(!row.detail.contains("not asked"))
                }
            }
            #expect(dead.contains { $0.attempts == 0 })
            #expect(report.warnings.contains { $0.contains("http://localhost:\(bench.server.port) failed ") })
            let row = try #require(try bench.table("SELECT * FROM throttle").first)
            #expect(row["host"] == .text("http://localhost:\(bench.server.port)"))
            #expect(row["pauses"]?.integer.map { $0 > 2 } == true)
            let ended = row["given_up"]?.integer ?? 0
            #expect(ended > 200 && ended <= 300)
        }
    }
}
