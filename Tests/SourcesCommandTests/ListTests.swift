import Model
import Run
import TestSupport
import Testing

/// What scripts list, well and badly. Each is `/bin/sh`, as somebody would write it.
@Suite("Lists of scripts", .timeLimit(.minutes(1)))
struct ListTests {
    /// A collection `a` with so many items, and its end.
    private static func list(_ count: Int, end: String = #"echo '{"type":"done"}'"#) -> String {
        #"""
        echo '{"type":"spec","protocol":1,"name":"numbers"}'
        echo '{"type":"collection","key":"a","title":"Hà Nội","section":"Asia"}'
        for i in $(seq \#(count)); do
            echo '{"type":"item","collection":"a","key":"a/'$i'","url":"SERVER/'$i'","title":"Number '$i'","metadata":{"n":'$i'}}'
        done
        \#(end)
        """#
    }

    @Test("collections and items reach catalog and disk")
    func whole() async throws {
        let run = try CommandRun(Self.list(3))
        let report = try await run.run()
        #expect(report.finished.outcome == .complete)
        #expect(report.warnings == [])
        #expect(try run.items("title") == ["a/1": "Number 1", "a/2": "Number 2", "a/3": "Number 3"])
        #expect(try run.items("metadata")["a/2"] == #"{"n":2}"#)
        #expect(run.directory.read("files/a_2").map { String(decoding: $0, as: UTF8.self) } == "/2")
    }

    @Test("the request has the options, and null for a memory that there is not yet")
    func request() async throws {
        let run = try CommandRun(
            "head -n 2 > request.json\n" + Self.list(1),
            source: ["options: {album: Hè, n: 3, deep: [1.5, true, ~, 'x']}"])
        _ = try await run.run()
        let lines = (run.directory.read("request.json") ?? []).split(separator: 0x0A)
        #expect(
            lines.map { String(decoding: $0, as: UTF8.self) } == [
                #"{"request":"spec","runner":1}"#,
                #"{"collections":null,"limit":null,"memory":null,"options":{"album":"Hè","deep":[1.5,true,null,"x"],"n":3},"#
                    + #""request":"list","runner":1}"#,
            ])
    }

    @Test(
        "a list that ends badly fails the run, names the reason, and takes nothing for gone",
        arguments: [
            ("exit 0", "./list.sh ended without done"),
            ("exit 3", "./list.sh exited with 3"),
            (#"echo '{"type":"done"}'; echo oh dear >&2; exit 1"#, "./list.sh exited with 1; its last words: oh dear"),
            ("kill -9 $$", "./list.sh was ended by Killed"),
            ("echo hello", "a line of the script is not a JSON object: hello"),
            ("printf '{\"type\":\"do'", "a line of the script is not a JSON object: {\"type\":\"do"),
            (#"printf '{"type":"warning","message":"\377"}\n'"#, "a line of the script is not UTF-8"),
            (
                #"echo '{"type":"request","id":"x","url":"SERVER/1"}'"#,
                "a line of the script has something else than a whole number in 'id'"
            ),
            (
                #"echo '{"type":"done","items":1e300}'"#,
                "a line of the script has something else than a whole number in 'items'"
            ),
            (
                #"n=$(head -c 5000 /dev/zero | tr '\0' '['); m=$(head -c 5000 /dev/zero | tr '\0' ']'); "#
                    + #"echo '{"type":"item","metadata":{"n":'$n$m'}}'"#,
                "a line of the script has over 512 levels of nesting"
            ),
            (#"echo '{"type":"done","items":2}'"#, "./list.sh counted 2 items, of which 1 came"),
            (#"echo '{"type":"done","collections":0}'"#, "./list.sh counted 0 collections, of which 1 came"),
            (
                #"echo '{"type":"done"}'; echo '{"type":"warning","message":"late"}'"#,
                "the script wrote more after its end"
            ),
            (#"echo '{"type":"error","kind":"permanent","message":"no such album"}'"#, "no such album"),
            (
                #"echo '{"type":"spec","protocol":2,"name":"n"}'"#,
                "a line of the script speaks protocol 2, this program 1"
            ),
            ("head -c 2097152 /dev/zero | tr '\\0' x", "./list.sh wrote a line of over 1048576 bytes"),
            ("sleep 1000", "./list.sh wrote no line for 1 s"),
        ])
    func bad(end: String, reason: String) async throws {
        let script = "if [ -e second ]; then\n\(Self.list(1, end: end))\nelse\n\(Self.list(3))\nfi"
        let run = try CommandRun(script, source: end.hasPrefix("sleep") ? ["idle_timeout: 1s"] : [])
        #expect(try await run.run().finished.outcome == .complete)
        try run.directory.write("", to: "second")
        let finished = try await run.run().finished
        #expect(finished.outcome == .failed)
        #expect(finished.detail?.hasPrefix("the list failed: \(reason)") == true, "\(finished.detail ?? "")")
        #expect(try run.items("state") == ["a/1": "stored", "a/2": "stored", "a/3": "stored"])
    }

    @Test("blank lines are passed over, and so is a carriage return at the end of a line")
    func blank() async throws {
        let end = #"printf '\r\n  \t\n\n{"type":"progress"}\r\n{"type":"done","items":1}\r\n '"#
        #expect(try await CommandRun(Self.list(1, end: end)).run().finished.outcome == .complete)
    }

    @Test("a last line without its end counts")
    func unfinishedLine() async throws {
        let run = try CommandRun(Self.list(1, end: #"printf '{"type":"done","items":1}'"#))
        #expect(try await run.run().finished.outcome == .complete)
    }

    @Test(
        "what was listed before the fault is fetched, however fast it came",
        arguments: [
            "hello", #"{"type":"error","kind":"permanent","message":"no such album"}"#,
            #"{"type":"error","kind":"rate","message":"too many","retry_after":0}"#, "long",
            #"{"type":"problem","message":"no"}"#, "{\"type\":\"done\"}\nmore",
        ])
    func before(fault: String) async throws {
        let run = try CommandRun("[ ! -e started ] || exit 1; touch started; cat lines.txt")
        var lines = [#"{"type":"collection","key":"a"}"#]
        lines += (1...30).map {
            #"{"type":"item","collection":"a","key":"\#($0)","url":"\#(run.server.url("/\($0)"))"}"#
        }
        lines.append(fault == "long" ? String(repeating: "x", count: 2_000_000) : fault)
        try run.directory.write(lines.joined(separator: "\n") + "\n", to: "lines.txt")
        let report = try await run.run()
        #expect(report.finished.outcome == .failed)
        #expect(report.warnings == [])
        #expect(try Array(run.items("state").values) == Array(repeating: "stored", count: 30))
    }

    @Test("a script that is started once more may list again what it had listed")
    func again() async throws {
        let run = try CommandRun(
            Self.list(3, end: "[ -e second ] && echo '{\"type\":\"done\"}'; touch second")
                .replacing(
                    "touch second", with: #"touch second; echo '{"type":"error","kind":"transient","message":"-"}'"#
                )
                .replacing("&& echo", with: "&& exec echo"))
        let report = try await run.run()
        #expect(report.finished.outcome == .complete)
        #expect(report.warnings == [])
        #expect(report.finished.figures.items == 3)
    }

    @Test(
        "an item that can't be fetched fails alone, and its detail says why",
        arguments: [
            (
                #""collection":"a","key":"k","url":"SERVER/1","size":-1"#,
                "its 'size' is not a whole number from 0 to 2^53"
            ),
            (#""collection":"a","key":"k","url":"SERVER/1","size":1e300"#, "its 'size' is not a whole number"),
            (#""collection":"a","key":"k","url":"SERVER/1","size":1e999"#, "its 'size' is not a whole number"),
            (#""collection":"a","key":"k","url":"SERVER/1","size":"12""#, "its 'size' is not a whole number"),
            (
                #""collection":"a","key":"k","url":"SERVER/1","size":9007199254740993"#,
                "its 'size' is not a whole number"
            ),
            (
                #""collection":"a","key":"k","url":"SERVER/1","sha256":"xyz""#,
                "its 'sha256' is not of 64 hexadecimal digits"
            ),
            (#""collection":"a","key":"k","url":"file:///etc/passwd""#, ""),
            (#""collection":"a","key":"k""#, "it has no url"),
            (#""collection":"a","key":"k","url":null"#, "it has no url"),
            (#""collection":"a","key":"k","url":["SERVER/1"]"#, "its 'url' is not text"),
            (#""collection":"a","url":"SERVER/1""#, "it has no key"),
            (#""collection":"a","key":"","url":"x""#, "it has no key"),
            (#""collection":"a","key":7,"url":"SERVER/1""#, "its 'key' is not text"),
            (#""collection":"a","key":"k","url":"SERVER/1","title":{"en":"x"}"#, "its 'title' is not text"),
            (
                #""collection":"a","key":"k","url":"SERVER/1","headers":{"X":1}"#,
                "its 'headers' is not a mapping of texts"
            ),
            (#""collection":"a","key":"k","url":"SERVER/1","metadata":{"n":1e999}"#, "its 'metadata' is not"),
            (#""collection":"b","key":"k","url":"SERVER/1""#, "its collection 'b' was not listed before it"),
            (#""key":"k","url":"SERVER/1""#, "it has no collection"),
            (##""collection":"a","key":"#@4","url":"SERVER/1""##, "its key begins with '#@'"),
            (
                #""collection":"a","key":"k","url":"SERVER/1","headers":{"X\u000d\u000aY":"a"}"#,
                #"its header 'X\r\nY' can't be sent"#
            ),
            (
                #""collection":"a","key":"k","url":"SERVER/1","headers":{"a":"b\u000ac"}"#,
                "its header 'a' can't be sent"
            ),
            (#""collection":"a","key":"k","url":"SERVER/1","headers":{"":"a"}"#, "its header '' can't be sent"),
            (
                #""collection":"a","key":"\#(String(repeating: "k", count: 513))","url":"x""#,
                "its key is over 512 bytes"
            ),
        ])
    func invalid(members: String, reason: String) async throws {
        let end = "echo '{\"type\":\"item\",\(members)}'"
        let last = #"{"type":"item","collection":"a","key":"last","url":"SERVER/2"}"#
        let run = try CommandRun(
            Self.list(1, end: "\(end)\necho '\(last)'\necho '{\"type\":\"done\",\"collections\":1,\"items\":3}'"),
            path: "{position}")
        let report = try await run.run()
        #expect(report.finished.outcome == .partial)
        #expect(report.finished.figures.failed == 1)
        let failures = try run.failures()
        #expect(failures.first?.hasPrefix("invalid: \(reason)") == true, "\(failures)")
        let states = try run.items("state")
        #expect(states.count == 3 && states["a/1"] == "stored" && states["last"] == "stored", "\(states)")
    }

    @Test("what can't be taken of a collection is left out with a warning")
    func collections() async throws {
        let run = try CommandRun(
            #"""
            echo '{"type":"collection","key":"a","title":7,"expected":1e300,"latitude":"x"}'
            echo '{"type":"collection","title":"no key"}'
            echo '{"type":"item","collection":"a","key":"k","url":"SERVER/1"}'
            echo '{"type":"done","collections":2}'
            """#)
        let report = try await run.run()
        #expect(report.finished.outcome == .complete)
        #expect(
            report.warnings == [
                "the collection 'a' of the script: its 'title' is not text",
                "the collection 'a' of the script: its 'latitude' is not a number",
                "the collection 'a' of the script: its 'expected' is not a whole number from 0",
                "a collection of the script has no key, and is passed over",
            ])
    }

    @Test("what is listed no more is gone, unless the script says that the list is not whole")
    func gone() async throws {
        let script =
            "cat count.txt > /dev/null; n=$(cat count.txt); end=$(cat end.txt)\n"
            + Self.list(1, end: "echo \"$end\"").replacing("seq 1", with: "seq $n")
        let run = try CommandRun(script)
        try run.directory.write("3", to: "count.txt")
        try run.directory.write(#"{"type":"done"}"#, to: "end.txt")
        #expect(try await run.run().finished.outcome == .complete)
        try run.directory.write("2", to: "count.txt")
        try run.directory.write(#"{"type":"done","complete":false}"#, to: "end.txt")
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try run.items("state")["a/3"] == "stored")
        try run.directory.write(#"{"type":"done","complete":true}"#, to: "end.txt")
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try run.items("state")["a/3"] == "gone")
    }

    @Test("warnings come on standard output, or on standard error with W! or E! at the front")
    func warnings() async throws {
        let run = try CommandRun(
            "echo 'W! slow today' >&2; echo 'D! page 1' >&2\n"
                + Self.list(
                    1, end: #"echo '{"type":"warning","message":"one photo is private"}'; echo '{"type":"done"}'"#))
        #expect(Set(try await run.run().warnings) == ["slow today", "one photo is private"])
    }

    @Test("nobody has to read a message of a million bytes")
    func longMessages() async throws {
        let run = try CommandRun(
            """
            words=$(head -c 900000 /dev/zero | tr '\\0' w)
            echo '{"type":"warning","message":"'$words'"}'
            echo '{"type":"error","kind":"permanent","message":"'$words'"}'
            """)
        let report = try await run.run()
        #expect(report.warnings.map(\.count) == [2_001])
        #expect((report.finished.detail ?? "").count < 2_100)
    }

    @Test("what the script remembers is given back, also after a list that failed later")
    func memory() async throws {
        let end = #"""
            read -r spec; read -r list; printf '%s\n' "$list" >> lists.txt
            echo '{"type":"memory","value":{"page":'$(wc -l < lists.txt)'}}'
            [ $(wc -l < lists.txt) != 2 ] || exit 1
            echo '{"type":"done"}'
            """#
        let run = try CommandRun(Self.list(1, end: end))
        for outcome in [RunOutcome.complete, .failed, .complete] {
            #expect(try await run.run().finished.outcome == outcome)
        }
        let lists = String(decoding: run.directory.read("lists.txt") ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lists.map { $0.contains(#""memory":null"#) } == [true, false, false])
        #expect(lists.map { $0.contains(#""memory":{"page":1}"#) } == [false, true, false])
        #expect(lists.map { $0.contains(#""memory":{"page":2}"#) } == [false, false, true])
    }

    @Test("a script that could not list for a moment is started once more, with what it remembered")
    func transient() async throws {
        let end = #"""
            read -r spec; read -r list; printf '%s\n' "$list" >> lists.txt
            if [ $(wc -l < lists.txt) = 1 ]; then
                echo '{"type":"memory","value":7}'
                echo '{"type":"error","kind":"rate","message":"too many","retry_after":0}'
            else
                echo '{"type":"done","items":1}'
            fi
            """#
        let run = try CommandRun(Self.list(1, end: end))
        #expect(try await run.run().finished.outcome == .complete)
        let lists = String(decoding: run.directory.read("lists.txt") ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lists.count == 2)
        #expect(lists.last?.contains(#""memory":7"#) == true)
    }

    @Test("a program that is not there is named with the way out")
    func missing() async throws {
        let run = try CommandRun("exit 0")
        try run.directory.remove("list.sh")
        let detail = try await run.run().finished.detail
        #expect(
            detail
                == "the list failed: ./list.sh is not an executable file in \(run.directory.path); chmod +x makes one")
    }

    @Test("a script gets few variables of the environment")
    func environment() async throws {
        let run = try CommandRun("env > env.txt\n" + Self.list(1))
        _ = try await run.run()
        let names = String(decoding: run.directory.read("env.txt") ?? [], as: UTF8.self).split(separator: "\n").map {
            String($0.prefix { $0 != "=" })
        }
        let allowed: Set = [
            "PATH", "HOME", "TZ", "LANG", "RUNNER_PROTOCOL", "RUNNER_JOB", "PWD", "SHLVL", "_", "OLDPWD", "http_proxy",
            "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
        ]
        #expect(Set(names).subtracting(allowed) == [])
        #expect(Set(names).isSuperset(of: ["PATH", "RUNNER_PROTOCOL", "RUNNER_JOB"]))
    }

    @Test("of two items with one key the second is passed over, with a warning")
    func duplicate() async throws {
        let again =
            #"echo '{"type":"item","collection":"a","key":"a/1","url":"SERVER/9"}'; echo '{"type":"done","items":2}'"#
        let run = try CommandRun(Self.list(1, end: again))
        let report = try await run.run()
        #expect(report.finished.outcome == .complete)
        #expect(report.warnings == ["the key 'a/1' is listed twice; the second is skipped"])
        #expect(try run.items("title") == ["a/1": "Number 1"])
    }

    @Test("a script is told how many items are wanted, unless --only passes some over, and may write more")
    func limit() async throws {
        let end = #"""
            read -r spec; read -r list; printf '%s\n' "$list" >> lists.txt
            echo '{"type":"done"}'
            """#
        let run = try CommandRun(Self.list(3, end: end))
        #expect(try await run.run { $0.selection.limit = 2 }.finished.figures.items == 2)
        _ = try await run.run { ($0.selection.limit, $0.selection.only) = (2, ["a/3"]) }
        _ = try await run.run()
        let lists = String(decoding: run.directory.read("lists.txt") ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lists.map { $0.contains(#""limit":2"#) } == [true, false, false])
        #expect(lists.map { $0.contains(#""limit":null"#) } == [false, true, true])
    }

    @Test("a script that never writes a line is ended")
    func silent() async throws {
        let run = try CommandRun("exec sleep 1000", source: ["idle_timeout: 1s"])
        #expect(try await run.run().finished.detail == "the list failed: ./list.sh wrote no line for 1 s")
    }

    @Test("metadata of items and the script's fields are parts of paths")
    func paths() async throws {
        let item =
            #"{"type":"item","collection":"a","key":"k","url":"SERVER/1","metadata":{"artist":"Bùi / Xuân","year":1931}}"#
        let run = try CommandRun(
            "echo '{\"type\":\"collection\",\"key\":\"a\"}'; echo '\(item)'; echo '{\"type\":\"done\"}'",
            path: "{metadata.artist}/{metadata.year}")
        #expect(try await run.run().finished.outcome == .complete)
        #expect(try run.items("path") == ["k": "Bùi _ Xuân/1931"])
    }

    @Test("a hundred thousand items are listed while the script waits at its pipe")
    func many() async throws {
        let run = try CommandRun(
            """
            echo '{"type":"collection","key":"a"}'
            seq 100000 | sed 's|.*|{"type":"item","collection":"a","key":"&","url":"file:///&"}|'
            echo '{"type":"done","items":100000}'
            """)
        let finished = try await run.run().finished
        #expect(finished.figures.items == 100_000)
        #expect(finished.figures.failed == 100_000)
    }
}
