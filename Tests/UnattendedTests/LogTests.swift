import Glibc
import Model
import System
import TestSupport
import Testing

@testable import Unattended

@Suite("The log")
struct LogTests {
    private static let entry = LogEntry(
        "failed", .warning, at: 1_795_500_000_000_000, job: "flags", run: 3, item: 7,
        fields: [("title", .text("a \"b\"\n= \u{202e}c")), ("attempts", .number(2)), ("url", .text("http://h/a=b"))])

    private func written(_ format: LogFile.Format, _ entries: [LogEntry]) throws -> String {
        let directory = try TemporaryDirectory()
        let file = try LogFile(directory.path("log"), format)
        try file.write(entries[...])
        return String(decoding: directory.read("log") ?? [], as: UTF8.self)
    }

    @Test("a line is one line, whatever a name from the network has in it")
    func text() throws {
        let text = try written(.text, [Self.entry])
        let (time, rest) = (text.prefix { $0 != " " }, text.drop { $0 != " " })
        #expect(time.contains(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000000[+-]\d{4}$/))
        #expect(
            rest
                == " warning failed job=flags run=3 item=7 title=\"a \\\"b\\\"\\n\\u003d \\u202ec\" attempts=2 url=http://h/a=b\n"
        )
    }

    @Test("a title is found by no search for a field", arguments: [LogFile.Format.text, .json])
    func forgedField(_ format: LogFile.Format) throws {
        var entry = Self.entry
        entry.fields = [("title", .text(#"x item=42 run=9 y "item": 42, z"#)), ("detail", .text("\titem=42 "))]
        let text = try written(format, [entry])
        for (own, forged) in format == .text
            ? [(" item=7 ", " item=42 "), (" run=3 ", " run=9 ")] : [(#""item": 7,"#, #""item": 42,"#)]
        {
            #expect(text.contains(own) && !text.contains(forged))
        }
    }

    @Test("as JSON each line is an object, its numbers numbers")
    func json() throws {
        let lines = try written(.json, [Self.entry, Self.entry]).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].contains(#""level": "warning", "event": "failed", "job": "flags", "run": 3, "item": 7, "#))
        #expect(lines[0].contains(#""attempts": 2"#))
    }

    @Test("a value without end is cut")
    func longValue() throws {
        var entry = Self.entry
        entry.fields = [("detail", .text(String(repeating: "x", count: 1 << 20)))]
        #expect(try written(.text, [entry]).utf8.count < 9_000)
    }

    @Test("the journal gets fields to search by, a value of several lines by its length")
    func journal() throws {
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(directory.path("journal"))
        try Journal(receiver.path).write([Self.entry])
        let bytes = Array(try receiver.wait { !$0.isEmpty }[0].utf8)
        let text = String(decoding: bytes, as: UTF8.self)
        for field in [
            "PRIORITY=4", "SYSLOG_IDENTIFIER=runner", "RUNNER_EVENT=failed", "RUNNER_JOB=flags", "RUNNER_RUN=3",
            "RUNNER_ITEM=7", "RUNNER_ATTEMPTS=2",
        ] {
            #expect("\n\(text)".contains("\n\(field)\n"))
        }
        let title = "a \"b\"\n= \u{202e}c"
        let expected =
            Array("\nRUNNER_TITLE\n".utf8) + [UInt8(title.utf8.count), 0, 0, 0, 0, 0, 0, 0] + Array(title.utf8) + [0x0A]
        #expect(bytes.indices.contains { bytes[$0...].starts(with: expected) })
    }

    @Test("a destination that fails is reported once, and holds nobody up")
    func failure() async throws {
        let words = Monitor<[String]>([])
        let log = RunLog(.info, to: try LogFile("/dev/full", .text)) { text in words.withLock { $0.append(text) } }
        for _ in 0..<3 {
            log.write(Self.entry)
            await log.close()
        }
        #expect(
            words.withLock(\.self) == [
                "--log: /dev/full: No space left on device; nothing more is logged",
                "--log: /dev/full: 1 line was not written", "--log: /dev/full: 1 line was not written",
                "--log: /dev/full: 1 line was not written",
            ])
    }

    @Test("a pipe that nobody empties does not hold up the end, which counts what is not in it")
    func stuckPipe() async throws {
        // What still waits to be written ends by the end of the test.
        signal(SIGPIPE, SIG_IGN)
        let directory = try TemporaryDirectory()
        let path = directory.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let words = Monitor<[String]>([])
        let log = RunLog(.info, to: try LogFile(path, .text)) { text in words.withLock { $0.append(text) } }
        for _ in 0..<20_000 { log.write(Self.entry) }
        await log.close()
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(reader, &bytes, bytes.count)
        let written = bytes[..<max(0, count)].count { $0 == 0x0A }
        // The write itself has not been given up yet.
        let said = words.withLock(\.self)
        #expect(said.count == 1)
        let last = try #require(said.last)
        // The portion that is stuck counts as a whole.
        let missing = try #require(last.split(separator: " ").compactMap { Int($0) }.first)
        #expect(last == "--log: \(path): \(missing) lines were not written")
        #expect(missing <= 20_000 && missing >= 20_000 - written)
    }

    @Test("entries that nobody takes are counted, not kept")
    func flood() async throws {
        final class Slow: LogDestination {
            let name = "slow"
            let gate = Monitor(false)
            let entries = Monitor<[LogEntry]>([])
            func write(_ entries: ArraySlice<LogEntry>) throws(LogFailure) {
                _ = gate.wait { $0 ? true : nil }
                self.entries.withLock { $0 += entries }
            }
        }
        let slow = Slow()
        let log = RunLog(.info, to: slow) { _ in }
        for _ in 0..<200_000 { log.write(Self.entry) }
        slow.gate.withLock { $0 = true }
        log.write(Self.entry)
        await log.close()
        let entries = slow.entries.withLock(\.self)
        #expect(entries.count < 200_000)
        let dropped = entries.filter { $0.event == "dropped" }.compactMap { $0.fields.first?.value }
        #expect(!dropped.isEmpty)
    }

    @Test("steps of items are made at debug alone")
    func levels() throws {
        let directory = try TemporaryDirectory()
        func log(_ level: LogEntry.Level) throws -> RunLog {
            RunLog(level, to: try LogFile(directory.path("log"), .text)) { _ in }
        }
        #expect(try log(.info).itemLog == nil)
        #expect(try log(.debug).itemLog != nil)
    }
}
