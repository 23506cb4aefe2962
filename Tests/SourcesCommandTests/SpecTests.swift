import Jobs
import Model
import SourceKit
import SourcesCommand
import TestSupport
import Testing
import YAML

/// What a script says of itself, when a job file that names it is read.
@Suite("What scripts declare", .timeLimit(.minutes(1)))
struct SpecTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let spec = """
        {"type":"spec","protocol":1,"name":"albums","version":"2","abilities":["check"],"template":["author"],\
        "expect":["image"],"options":[{"key":"album","type":"string","required":true,"help":"which"},\
        {"key":"count","type":"integer","default":5},{"key":"deep","type":"boolean"},\
        {"key":"token","type":"string","secret":true}]}
        """

    /// Loads a job whose script writes `spec`, and then `check` when it is asked to check its options.
    private func load(
        _ options: String, path: String = "{author}/{key}", spec: String = Self.spec,
        check: String = #"{"type":"done"}"#,
        questions: SourceQuestions = .everything
    ) throws -> LoadedJobs {
        try directory.write(
            """
            #!/bin/sh
            cat > answer.txt <<'END'
            \(check)
            END
            read -r line
            cat <<'END'
            \(spec)
            END
            read -r line && printf '%s\\n' "$line" > asked.txt && cat answer.txt
            cat > rest.txt
            """, to: "list.sh")
        try Subprocess.run(["chmod", "+x", directory.path("list.sh")])
        let file = try directory.write(
            """
            name: job
            source:
              type: command
              command: [./list.sh]
              options: \(options)
            output: {directory: files, path: "\(path)"}

            """, to: "job.yaml")
        let registry = SourceRegistry([SourceModule(CommandSource.self)])
        return JobLoader(registry: registry, environment: ["TOKEN": "word-of-mine"]).load([file], questions: questions)
    }

    private func faults(_ loaded: LoadedJobs) -> [String] {
        loaded.diagnostics.map { diagnostic in
            let place = diagnostic.mark.map { "\($0.line):\($0.column) " } ?? ""
            return place + diagnostic.message
        }
    }

    @Test("options, defaults, template fields and expect of the script are the job's")
    func sound() throws {
        let loaded = try load("{album: 2024}")
        #expect(faults(loaded) == [])
        #expect(loaded.jobs.first?.expects == [.image])
        let asked = String(decoding: directory.read("asked.txt") ?? [], as: UTF8.self)
        #expect(asked == #"{"options":{"album":"2024","count":5},"request":"check","runner":1}"# + "\n")
    }

    @Test(
        "faults of options have their places, and no secret is repeated",
        arguments: [
            ("{}", "5:12 the key 'album' is missing in source.options"),
            ("{album: a, cuont: 7}", "5:23 unknown key 'cuont' in source.options"),
            ("{album: a, count: many}", "5:30 count must be a whole number, not text 'many'"),
            ("{album: a, deep: 1}", "5:29 deep must be true or false, not the number 1"),
            ("{album: a, token: [hunter2hunter]}", "5:30 token must be text"),
            ("[]", "5:12 options must be a mapping, not a list"),
        ])
    func faulty(options: String, fault: String) throws {
        let loaded = try load(options)
        #expect(faults(loaded) == [fault])
        #expect(!loaded.diagnostics.map(\.description).joined().contains("hunter2"))
    }

    @Test("a problem that the script finds stands at its option, secrets hidden; a run does not ask for it")
    func problem() throws {
        let check =
            #"{"type":"problem","at":"album","message":"no album for word-of-mine"}"# + "\n" + #"{"type":"done"}"#
        let options = "{token: \"${TOKEN}\", album: none}"
        #expect(faults(try load(options, check: check)) == ["5:39 options.album: no album for ${TOKEN}"])
        #expect(faults(try load(options, check: check, questions: .description)) == [])
    }

    @Test("a template field that the script does not declare is a fault, unless the script was not asked")
    func templates() throws {
        #expect(
            faults(try load("{album: a}", path: "{autor}")) == ["6:34 unknown field '{autor}' in the template"])
        #expect(faults(try load("{album: a}", path: "{autor}", questions: .none)) == [])
        #expect(faults(try load("{album: a}", path: "{metadata.artist}/{key}")) == [])
    }

    @Test(
        "a script that does not say what it is, is a fault of its job",
        arguments: [
            (#"{"type":"spec","protocol":2,"name":"n"}"#, "speaks protocol 2, this program 1"),
            (#"{"type":"collection","key":"a"}"#, "does not begin with its spec"),
            ("hello", "is not a JSON object"), ("END\nexit 0\n: <<'END'", "ended without an answer"),
            (#"{"type":"spec","protocol":1,"name":"n","options":[{"key":"a"},{"key":"a"}]}"#, "'a' twice"),
            (#"{"type":"spec","protocol":1,"name":"n","options":[{"key":"a b"}]}"#, "the option 'a b'"),
            (#"{"type":"spec","protocol":1,"name":"n","template":["title"]}"#, "'title', which every item has"),
            (#"{"type":"spec","protocol":1,"name":"n","expect":["sound"]}"#, "expects 'sound'"),
            (
                #"{"type":"spec","protocol":1,"name":"n","expect":"any"}"#,
                "has another type in 'expect'; it must be a list"
            ),
            (#"{"type":"error","kind":"config","message":"no perl here"}"#, "./list.sh: no perl here"),
        ])
    func unsound(spec: String, fault: String) throws {
        let faults = faults(try load("{}", path: "{key}", spec: spec))
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("4:12 ") == true && faults.first?.contains(fault) == true, "\(faults)")
    }
}
