import Jobs
import TestSupport
import Testing
import YAML

/// What is wrong with job files, all at once, each with its place.
@Suite("Faults of job files", .timeLimit(.minutes(1)))
struct JobFaultTests {
    /// A place and a part of what is said.
    struct Fault: CustomTestStringConvertible, Sendable {
        let text: String
        let place: String
        let message: String

        init(_ text: String, _ place: String, _ message: String) {
            self.text = text
            self.place = place
            self.message = message
        }

        var testDescription: String { text.split(separator: "\n").joined(separator: " | ") }
    }

    private func check(_ fault: Fault, _ text: String) throws {
        let files = try JobFiles()
        let loaded = try files.load(text)
        let lines = files.lines(loaded)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("job.yaml:\(fault.place): error: ") == true, "\(lines)")
        #expect(lines.first?.contains(fault.message) == true, "\(lines)")
        #expect(loaded.hasErrors)
    }

    @Test(
        "a wrong value of transfer is marked",
        arguments: [
            Fault("concurrency: 0", "5:16", "concurrency must be 1 to 1024"),
            Fault("concurrency: 1025", "5:16", "concurrency must be 1 to 1024"),
            Fault("concurrency: many", "5:16", "concurrency must be a whole number"),
            Fault("per_host: 0", "5:13", "per_host must be 1 to 1024"),
            Fault("rate: 20", "5:9", "rate must be a rate such as 20/s or 3600/h"),
            Fault("rate: 0/s", "5:9", "rate must be"), Fault("rate: inf/s", "5:9", "rate must be"),
            Fault("rate: 0x10/s", "5:9", "rate must be"),
            Fault("bandwidth: 10MB", "5:14", "bandwidth must be a bandwidth such as 10MB/s"),
            Fault("bandwidth: 0/s", "5:14", "bandwidth must be"),
            Fault("bandwidth: 08:00 2MB/s, 24:00 none", "5:14", "'24:00 none' does not begin with a time of day"),
            Fault("bandwidth: 08:00 2MB/s, 8:00 none", "5:14", "08:00 is there twice"),
            Fault("bandwidth: 08:00 fast", "5:14", "'fast' is no rate"),
            Fault("connect_timeout: 10", "5:20", "connect_timeout must be a duration such as 250ms"),
            Fault("stall_timeout: 0s", "5:18", "stall_timeout must be at least 1ms"),
            Fault("total_timeout: -1s", "5:18", "total_timeout must be a duration"),
            Fault("max_size: 0", "5:13", "max_size must be more than 0"),
            Fault("max_size: 5 apples", "5:13", "max_size must be a size such as 512"),
            Fault("retries: -1", "5:12", "retries must be 0 to 100"),
            Fault("retries: 101", "5:12", "retries must be 0 to 100"),
            Fault("user_agent: \"a\\nb\"", "5:15", "user_agent can't have control characters"),
            Fault("headers: {Range: x}", "5:12", "can't set Range"),
            Fault("headers: {User-Agent: x}", "5:12", "use user_agent"),
            Fault("headers: {\"Bad Name\": x}", "5:12", "'Bad Name'"),
            Fault("headers: {X: \"a\\r\\nb\"}", "5:12", "not valid: 'X'"),
            Fault("headers: [a]", "5:12", "headers must be a mapping"),
            Fault("http_version: 3", "5:17", "http_version must be auto, 1.1 or 2"),
            Fault("proxy: ftp://x", "5:10", "proxy must be a proxy's URL, or none"),
            Fault("ca_file: [a]", "5:12", "ca_file must be text"),
            Fault("connect_to: {\"a\": \"b:1\"}", "5:21", "connect_to must map HOST:PORT to HOST:PORT"),
            Fault("connect_to: {\"a:1\": \"b:99999\"}", "5:23", "connect_to must map HOST:PORT to HOST:PORT"),
            Fault("allow_private_addresses: yes", "5:28", "allow_private_addresses must be true or false"),
            Fault("durability: full", "5:15", "durability must be none or batch"),
            Fault("concurency: 3", "5:3", "did you mean 'concurrency'?"),
        ])
    func transfer(_ fault: Fault) throws {
        try check(fault, JobFiles.head + "transfer:\n  \(fault.text)\n")
    }

    @Test(
        "a wrong value of the job is marked",
        arguments: [
            Fault("refresh: sometimes", "4:10", "refresh must be changed, always or never"),
            Fault("expect: []", "4:9", "expect must name at least one type"),
            Fault("expect: picture", "4:9", "expect must be any, image, pdf or zip"),
            Fault("expect: [image, {a: 1}]", "4:17", "expect.1 must be any, image, pdf or zip"),
            Fault(
                "allow_failed: -1", "4:15", "allow_failed must be a number of items such as 3, or a share such as 2%"),
            Fault("allow_failed: 101%", "4:15", "allow_failed must be"),
            Fault("transfer: fast", "4:11", "transfer must be a mapping"),
            Fault("nonsense: 1", "4:1", "unknown key 'nonsense'"),
            Fault("name: other", "4:1", "duplicate key 'name'"),
        ])
    func job(_ fault: Fault) throws {
        try check(fault, JobFiles.head + "\(fault.text)\n")
    }

    @Test(
        "a wrong or missing required key is marked",
        arguments: [
            Fault(
                "name: Letters\nsource: {type: list}\noutput: {directory: x}", "1:7", "name must start with a-z or 0-9"),
            Fault("name: .a\nsource: {type: list}\noutput: {directory: x}", "1:7", "name must start with a-z or 0-9"),
            Fault(
                "name: a\nsource: {type: lists}\noutput: {directory: x}", "2:16",
                "unknown source type 'lists'; did you mean 'list'?"),
            Fault("name: a\nsource: {type: ftp}\noutput: {directory: x}", "2:16", "the modules are list"),
            Fault("name: a\nsource: {count: 3}\noutput: {directory: x}", "2:9", "the key 'type' is missing in source"),
            Fault("name: a\nsource: list\noutput: {directory: x}", "2:9", "source must be a mapping with a type"),
            Fault("name: a\nsource: {type: list, cuont: 3}\noutput: {directory: x}", "2:22", "did you mean 'count'?"),
            Fault(
                "name: a\nsource: {type: list, count: x}\noutput: {directory: x}", "2:29",
                "count must be a whole number"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: \"\"}", "3:21", "directory must not be empty"),
            Fault(
                "name: a\nsource: {type: list}\noutput: {path: x}", "3:9", "the key 'directory' is missing in output"),
            Fault(
                "name: a\nsource: {type: list}\noutput: {directory: x, path: \"{tilte}\"}", "3:",
                "unknown field '{tilte}' in the template; did you mean '{title}'?"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: x, path: \"{xyz}\"}", "3:", "{letter}"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: x, path: /a}", "3:30", "can't start with /"),
            Fault(
                "name: a\nsource: {type: list}\noutput: {directory: x, path: \"a/../b\"}", "3:30", "can't have . or .."),
            Fault("name: a\nsource: {type: list}\noutput: {directory: x, path: a//b}", "3:30", "an empty part"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: x, path: \"a{b\"}", "3:30", "a { without its }"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: x, path: \"a}b\"}", "3:30", "a } without its {"),
            Fault(
                "name: a\nsource: {type: list}\noutput:\n  path: {title}.jpg\n  directory: x", "4:9", "must be quoted"),
            Fault("name: a\nsource: {type: list}\noutput: {directory: \"x${NOPE}\"}", "3:23", "NOPE is not set"),
            Fault("[]", "1:1", "must be a mapping"),
        ])
    func required(_ fault: Fault) throws {
        let place = fault.place.hasSuffix(":") ? fault.place : fault.place + ":"
        let files = try JobFiles()
        let lines = files.lines(try files.load(fault.text))
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("job.yaml:\(place)") == true, "\(lines)")
        #expect(lines.first?.contains(fault.message) == true, "\(lines)")
    }

    @Test("nine faults of one file are told at once, each where it is")
    func nine() throws {
        let files = try JobFiles()
        let loaded = try files.load(
            """
            name: Flags
            source:
              type: list
              cuont: 3
            output:
              directory: files
              path: "{titel}.{extension}"
            transfer:
              concurency: 16
              rate: fast
              max_size: -1
              headers: {Host: x}
            refresh: sometimes
            allow_failed: all
            """)
        let faults = files.lines(loaded)
        #expect(
            faults.map { $0.split(separator: ": ", maxSplits: 2).prefix(2).joined(separator: ": ") } == [
                "job.yaml:1:7: error", "job.yaml:4:3: error", "job.yaml:7:\(templateColumn(faults)): error",
                "job.yaml:9:3: error",
                "job.yaml:10:9: error", "job.yaml:11:13: error", "job.yaml:12:12: error", "job.yaml:13:10: error",
                "job.yaml:14:15: error",
            ], "\(faults)")
        for (fault, message) in zip(
            faults,
            [
                "name must start with", "unknown key 'cuont' in source; did you mean 'count'?",
                "did you mean '{title}'?",
                "unknown key 'concurency' in transfer; did you mean 'concurrency'?", "rate must be", "max_size must be",
                "can't set Host", "refresh must be", "allow_failed must be",
            ])
        {
            #expect(fault.contains(message), "\(fault)")
        }
        #expect(
            files.messages(loaded)[3]
                == """
                job.yaml:9:3: error: unknown key 'concurency' in transfer; did you mean 'concurrency'?
                  concurency: 16
                  ^~~~~~~~~~
                """)
        #expect(loaded.jobs.isEmpty)
    }

    /// The template's fault is marked at the value, or at the field within it.
    private func templateColumn(_ faults: [String]) -> String {
        faults.count > 2 && faults[2].hasPrefix("job.yaml:7:10:") ? "10" : "9"
    }

    // MARK: Several

    @Test("several documents are several jobs; a name given twice is an error where it is given again")
    func documents() throws {
        let files = try JobFiles()
        func document(_ name: String, in directory: String? = nil) -> String {
            "name: \(name)\nsource: {type: list}\noutput: {directory: \(directory ?? name)}\n"
        }
        let two = try files.load(document("a") + "---\n" + document("b"))
        #expect(two.jobs.map(\.name) == ["a", "b"])
        #expect(!two.hasErrors)
        let twice = try files.load(document("a") + "---\n" + document("a", in: "b"))
        #expect(
            files.messages(twice) == [
                """
                job.yaml:5:7: error: the name 'a' is taken in this file already; each job needs a name of its own
                name: a
                      ^
                """
            ])
        let across = try files.load(["1.yaml": document("a"), "2.yaml": document("a", in: "b")])
        #expect(
            files.lines(across) == [
                "2.yaml:1:7: error: the name 'a' is taken by 1.yaml already; each job needs a name of its own"
            ])
    }

    @Test("a fault of one document does not hide those of the next, nor of the next file")
    func faultsOfSeveral() throws {
        let files = try JobFiles()
        let loaded = try files.load(["1.yaml": "name: A\n---\nname: B\n", "2.yaml": "{", "3.yaml": JobFiles.head])
        let lines = files.lines(loaded)
        #expect(lines.contains { $0.hasPrefix("1.yaml:1:7: error: name") })
        #expect(lines.contains { $0.hasPrefix("1.yaml:3:7: error: name") })
        #expect(lines.contains { $0.hasPrefix("2.yaml:") })
        #expect(loaded.jobs.map(\.name) == ["letters"])
        #expect(loaded.hasErrors)
    }

    @Test(
        "no fault shows a secret of the job file or a flag, nor a value of the environment",
        arguments: [
            ("transfer: {headers: Bearer s3cret-word}", []),
            ("transfer: {headers: {Authorization: [s3cret-word]}}", []),
            ("transfer: {headers: {Host: s3cret-word}}", []),
            ("transfer: {headers: {X-Key: s3cret-word}, rate: 0}", []),
            ("transfer: {proxy: \"me:s3cret-word@proxy:3128\"}", []),
            ("transfer: {proxy: \"http://me:s3cret-word@proxy:3128\", retries: no}", []),
            ("transfer: {connect_to: {\"a:1\": \"${VALUE}\"}}", []), ("secrets: s3cret-word", []),
            ("secrets: [KEY, s3cret-word]", []), ("transfer: {headers: {Authorization: \"s3cret-word}}", []),
            ("refresh: maybe", ["transfer.headers=s3cret-word"]),
            ("refresh: maybe", ["transfer.headers={Cookie: \"s3cret-word}"]),
            ("refresh: maybe", ["transfer.headers.X-Key=[s3cret-word"]), ("secrets: [KEY]\nrefresh: ${KEY}", []),
            ("refresh: maybe", ["source.type=${VALUE}"]), ("secrets: [NOT_SET]", []),
        ] as [(String, [String])])
    func secretFaults(_ text: String, _ overrides: [String]) throws {
        let files = try JobFiles(environment: ["KEY": "s3cret-key", "VALUE": "s3cret-value"])
        let loaded = try files.load(JobFiles.head + text + "\n", set: overrides)
        #expect(loaded.hasErrors)
        for message in files.messages(loaded) { #expect(!message.contains("s3cret"), "\(message)") }
    }

    @Test("a name in secrets that is not set is an error: its value would be shown where it is set otherwise")
    func unsetSecret() throws {
        let loaded = try JobFiles().load(JobFiles.head + "secrets: [NOT_SET]\n")
        #expect(loaded.diagnostics.map(\.message) == ["the environment variable NOT_SET is not set"])
    }

    @Test("a folder stands for its *.yaml files in order of their names; others in it are passed over")
    func folder() throws {
        let files = try JobFiles()
        for name in ["b.yaml", "a.yaml", "c.yml", ".d.yaml", "sub/e.yaml"] {
            let key = name.filter { $0.isLetter }
            try files.directory.write(
                "name: \(key)\nsource: {type: list}\noutput: {directory: \(key)}", to: "jobs/\(name)")
        }
        let loaded = files.loader.load([files.directory.path("jobs/")])
        #expect(loaded.jobs.map(\.name) == ["ayaml", "byaml"])
        #expect(!loaded.hasErrors)
        #expect(
            files.lines(loaded) == [
                "jobs/c.yml: warning: is not read: of a folder only the *.yaml files are; name it *.yaml, or give it by itself"
            ])
    }

    @Test("what is missing or empty is an error without a line")
    func missing() throws {
        let files = try JobFiles()
        try files.directory.write("", to: "empty/readme")
        try files.directory.write("# nothing\n", to: "comment.yaml")
        let loaded = files.loader.load(["none.yaml", "empty", "comment.yaml"].map { files.directory.path($0) })
        let lines = files.lines(loaded)
        #expect(lines.count == 3)
        #expect(lines[0] == "none.yaml: error: can't be read: No such file or directory")
        #expect(lines[1] == "empty: error: is a folder without *.yaml files")
        #expect(lines[2].hasPrefix("comment.yaml: error: "))
    }

    @Test("a missing file is answered with the one beside it that was most likely meant")
    func similar() throws {
        let files = try JobFiles()
        try files.directory.write("", to: "jobs/flags.yaml")
        let loaded = files.loader.load([files.directory.path("jobs/flgas.yaml")])
        #expect(files.lines(loaded)[0].hasSuffix("No such file or directory; did you mean 'jobs/flags.yaml'?"))
    }

    @Test("a fault of --set names the flag", arguments: ["transfer.retries=many", "transfer.retires=3", "x", "name=A"])
    func overrides(_ override: String) throws {
        let files = try JobFiles()
        let loaded = try files.load(JobFiles.head, set: [override])
        #expect(files.lines(loaded).count == 1, "\(files.lines(loaded))")
        #expect(files.lines(loaded).first?.hasPrefix("--set") == true, "\(files.lines(loaded))")
    }

    @Test("a value is not shown when a variable in it makes it wrong")
    func secretInFault() throws {
        let files = try JobFiles(environment: ["KEY": "s3cret"])
        let loaded = try files.load(JobFiles.head + "transfer: {rate: \"${KEY}\"}\n")
        #expect(files.messages(loaded).count == 1)
        #expect(!files.messages(loaded).joined().contains("s3cret"), "\(files.messages(loaded))")
    }
}
