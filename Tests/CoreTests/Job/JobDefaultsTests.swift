import SourceKit
import TestSupport
import Testing
import YAML

@testable import Jobs
@testable import Model

/// The keys of a job file: what holds without them, and what they say.
@Suite("Keys of job files", .timeLimit(.minutes(1)))
struct JobDefaultsTests {
    private func job(_ text: String, environment: [String: String] = [:], set overrides: [String] = []) throws -> Job {
        let files = try JobFiles(environment: environment)
        let loaded = try files.load(text, set: overrides)
        #expect(files.messages(loaded) == [])
        return try #require(loaded.jobs.first)
    }

    @Test("a job without optional keys has the defaults of the contract")
    func defaults() throws {
        let job = try job(JobFiles.head)
        #expect(job.name == "letters")
        #expect(job.source.type == "list")
        #expect(job.output.template.text == "{title} {letter}.{extension}")
        #expect(job.refresh == .changed)
        #expect(job.expects == [.image, .pdf])
        #expect(job.allowedFailures == .count(0))
        let policy = job.transfer
        #expect(policy.concurrency == 16)
        #expect(policy.perHost == 8)
        #expect(policy.rate == nil)
        #expect(policy.bandwidth == Bandwidth(bytesPerSecond: nil))
        #expect(policy.connectTimeout == TimeSpan.seconds(10))
        #expect(policy.stallTimeout == TimeSpan.seconds(30))
        #expect(policy.totalTimeout == TimeSpan.seconds(15 * 60))
        #expect(policy.maximumSize == ByteCount(bytes: 512 * 1_024 * 1_024))
        #expect(policy.retries == 4)
        #expect(policy.userAgent == nil)
        #expect(policy.headers == [])
        #expect(policy.httpVersion == .auto)
        #expect(policy.proxy == nil)
        #expect(policy.caFile == nil)
        #expect(policy.connectTo == [])
        #expect(!policy.allowsPrivateAddresses)
        #expect(policy.durability == .batch)
    }

    @Test("the documented defaults are those that hold")
    func documentedDefaults() throws {
        let plain = try job(JobFiles.head)
        for field in TransferPolicy.fields.documentation {
            // Words, such as "none" and "the environment's", stand for a key that is not there.
            let words = ["none", "the environment's", "runner/<version> libcurl/<version>"]
            guard let text = field.default, !words.contains(text) else { continue }
            let written = try job(JobFiles.head + "transfer: {\(field.name): \(text)}\n")
            #expect("\(written.transfer)" == "\(plain.transfer)", "\(field.name)")
        }
    }

    @Test("every key says what it says")
    func allKeys() throws {
        let job = try job(
            """
            name: a.b_c-9
            source: {type: list, count: 3}
            output: {directory: /data/x, path: "{letter}/{key}"}
            transfer:
              concurrency: 1024
              per_host: 1
              rate: 3600/h
              bandwidth: 10MB/s
              connect_timeout: 250ms
              stall_timeout: 1h
              total_timeout: 1d
              max_size: 10KiB
              retries: 0
              user_agent: me/1
              headers: {X-One: 1, x-two: b, Authorization: Basic x}
              http_version: 1.1
              proxy: socks5h://proxy.example:1080
              ca_file: ca.pem
              connect_to: {"Host:443": "[::1]:8443"}
              allow_private_addresses: true
              durability: none
            refresh: never
            expect: [zip, any]
            allow_failed: 2.5%
            """)
        #expect(job.name == "a.b_c-9")
        #expect(job.output.directory == "/data/x")
        #expect(job.output.template.text == "{letter}/{key}")
        let policy = job.transfer
        #expect(policy.concurrency == 1_024)
        #expect(policy.perHost == 1)
        #expect(policy.rate?.interval == 1_000_000)
        #expect(policy.bandwidth == Bandwidth(bytesPerSecond: 10_000_000))
        #expect(policy.connectTimeout.microseconds == 250_000)
        #expect(policy.stallTimeout == TimeSpan.seconds(3_600))
        #expect(policy.totalTimeout == TimeSpan.seconds(86_400))
        #expect(policy.maximumSize.bytes == 10_240)
        #expect(policy.retries == 0)
        #expect(policy.userAgent == "me/1")
        #expect(policy.headers.map(\.name) == ["X-One", "x-two", "Authorization"])
        #expect(policy.headers.map(\.value) == ["1", "b", "Basic x"])
        #expect(policy.headers.map(\.isPrivate) == [false, false, true])
        #expect(policy.httpVersion == .http1)
        #expect(policy.proxy == .url("socks5h://proxy.example:1080"))
        #expect(policy.caFile?.hasSuffix("/ca.pem") == true)
        #expect(policy.caFile?.hasPrefix("/") == true)
        #expect(policy.connectTo == [ConnectRoute(host: "host", port: 443, targetHost: "::1", targetPort: 8_443)])
        #expect(policy.allowsPrivateAddresses)
        #expect(policy.durability == .none)
        #expect(job.refresh == .never)
        #expect(job.expects == [.zip, .any])
        #expect(job.allowedFailures == .share(2.5))
    }

    @Test(
        "other forms of single keys",
        arguments: [
            ("allow_failed: 3", "count(3)"), ("allow_failed: 100%", "share(100.0)"), ("expect: pdf", "[pdf]"),
            ("transfer: {proxy: none}", "none"), ("transfer: {http_version: 2}", "http2"),
            ("refresh: always", "always"),
        ])
    func otherForms(_ line: String, _ value: String) throws {
        let job = try job(JobFiles.head + line + "\n")
        let all =
            "\(job.allowedFailures) \(job.expects) \(String(describing: job.transfer.proxy)) \(job.transfer.httpVersion) \(job.refresh)"
        let shown = all.split(separator: "Model.Expectation.").joined()
        #expect(shown.contains(value), "\(shown)")
    }

    @Test("paths are relative to the job file", arguments: ["files", "../x/./y", "/abs/x"])
    func paths(_ directory: String) throws {
        let files = try JobFiles()
        let loaded = try files.load(["sub/job.yaml": "name: a\nsource: {type: list}\noutput: {directory: \(directory)}"]
        )
        let folder = files.directory.path
        let expected = [
            "files": "\(folder)/sub/files", "../x/./y": "\(folder)/x/y", "/abs/x": "/abs/x",
        ]
        #expect(loaded.jobs.first?.output.directory == expected[directory])
        #expect(loaded.jobs.first?.file == "\(folder)/sub/job.yaml")
        #expect(loaded.jobs.first?.folder == "\(folder)/sub")
    }

    @Test("--set changes a value, adds a key, and wins over the file")
    func overrides() throws {
        let job = try job(
            JobFiles.head + "transfer: {retries: 1}\n",
            set: ["transfer.retries=7", "transfer.rate=20/s", "output.path={key}.{extension}", "name=other"])
        #expect(job.transfer.retries == 7)
        #expect(job.transfer.rate?.interval == 50_000)
        #expect(job.output.template.text == "{key}.{extension}")
        #expect(job.name == "other")
    }

    @Test("a variable is expanded, and what holds it is private")
    func variables() throws {
        let job = try job(
            JobFiles.head + "transfer:\n  headers: {X-Key: \"a${KEY}b\", X-Plain: \"$${KEY}\"}\n  retries: ${N}\n",
            environment: ["KEY": "s3cret", "N": "9"])
        #expect(job.transfer.headers.map(\.value) == ["as3cretb", "${KEY}"])
        #expect(job.transfer.headers.map(\.isPrivate) == [true, false])
        #expect(job.transfer.retries == 9)
        #expect(job.trust.secrets.hide("x s3cret") == "x ${KEY}")
    }

    @Test("hosts that the file, --set and connect_to name are the author's, others are not")
    func authored() throws {
        let job = try job(
            JobFiles.head
                + "transfer: {connect_to: {\"mirror:443\": \"10.0.0.1:8443\"}, proxy: \"http://proxy:3128\"}\n",
            set: ["source.url=http://Set.example:81/a"])
        let authored = job.trust.authored
        for (scheme, host, port) in [
            ("http", "set.example", 81), ("https", "mirror", 443), ("https", "10.0.0.1", 8_443),
            ("http", "proxy", 3_128),
        ] {
            #expect(authored.contains(Authority(scheme: scheme, host: host, port: port)), "\(host)")
        }
        #expect(!authored.contains(Authority(scheme: "https", host: "example.org", port: 443)), "--set replaced it")
        #expect(!authored.contains(Authority(scheme: "http", host: "set.example", port: 80)))
        #expect(!authored.contains(Authority(scheme: "https", host: "set.example", port: 81)), "another scheme")
        #expect(!authored.contains(Authority(scheme: "http", host: "mirror", port: 443)), "another scheme")
    }
}
