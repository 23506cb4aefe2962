import Glibc
import TestSupport
import Testing

@Suite("End to end: metrics in Debian's node_exporter", .wholeProgramLimit)
struct NodeExporterTests {
    private static let program = "/usr/bin/prometheus-node-exporter"

    @Test(
        "what the report writes for the textfile collector is scraped",
        .enabled(if: access(program, X_OK) == 0, "needs prometheus-node-exporter"))
    func scrape() throws {
        let workplace = try Workplace()
        let server = try FaultyServer { $0.path == "/b" ? .status(404) : .ok("body") }
        try workplace.writeJob(
            source: [
                "items:", "  - {key: a, url: '\(server.url("/a"))'}", "  - {key: b, url: '\(server.url("/b"))'}",
            ])
        #expect(try workplace.run(["job.yaml"]).ending == .exit(1))
        try workplace.directory.makeFolder("metrics")
        let file = "metrics/runner.prom"
        #expect(try workplace.run(["report", "--format", "prometheus", "--output", file]).ending == .exit(0))

        let exporter = try RunningProgram(
            [
                Self.program, "--web.listen-address=127.0.0.1:0", "--collector.disable-defaults",
                "--collector.textfile", "--collector.textfile.directory=\(workplace.directory.path("metrics"))",
            ], environment: workplace.environment, directory: "/")
        let port = Monitor(0)
        try exporter.waitForErrors { log in
            guard let line = log.split(separator: "\n").first(where: { $0.contains("Listening on") }) else {
                return false
            }
            port.withLock { $0 = Int(line.drop { $0 != "=" }.split(separator: ":").last ?? "") ?? 0 }
            return true
        }
        let response = try RawConnection(port: port.withLock { $0 }).exchange(
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        exporter.send(SIGTERM)
        _ = try exporter.wait()
        let lines = Set(response.body.split(separator: "\n").map(String.init))
        #expect(lines.contains("node_textfile_scrape_error 0"))
        #expect(lines.contains { $0.hasPrefix("node_textfile_mtime_seconds{") && $0.contains(file) })
        let job = #"job_name="list""#
        #expect(lines.contains("runner_run_items{\(job),outcome=\"downloaded\"} 1"))
        #expect(lines.contains("runner_run_items{\(job),outcome=\"failed\"} 1"))
        #expect(lines.contains("runner_run_failures{failure=\"http\",\(job)} 1"))
        // All that is in the file, under its type.
        let text = String(decoding: workplace.directory.read(file) ?? [], as: UTF8.self)
        #expect(text.contains("# TYPE "))
        for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
            #expect(lines.contains(String(line)))
        }
    }
}
