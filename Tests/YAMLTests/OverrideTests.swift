import Testing
import YAML

@Suite("--set changes a job", .timeLimit(.minutes(1)))
struct OverrideTests {
    private let text = """
        name: flags
        exclude: [aq]
        transfer:
          bandwidth: 5
        pins:
          - {name: home}
        """

    @Test("a value is replaced, added, or made with the mappings on its way")
    func values() throws {
        var expected = try job(in: text)
        expected.path = "a/{title}.{extension}"
        expected.exclude = ["aq", "bl"]
        expected.transfer.bandwidth = nil
        expected.transfer.headers = OrderedMap([.init(key: "X-A", value: "1")])
        expected.pins[0].latitude = 52.5
        let flags = [
            "path=a/{title}.{extension}", "exclude=[aq, bl]", "transfer.bandwidth=null", "transfer.headers.X-A=1",
            "pins.0.latitude=52.5",
        ]
        #expect(try job(in: text, set: flags) == expected)
        #expect(try job(in: "name: x\ntransfer:", set: ["transfer.bandwidth=7"]).transfer.bandwidth == 7)
        #expect(try job(in: "---\n", set: ["name=x"]).name == "x")
    }

    @Test("the last flag for a key holds")
    func lastWins() throws {
        #expect(try job(in: text, set: ["name=a", "name=b"]).name == "b")
    }

    @Test(
        "a shell takes the quotes of a template away, so it needs none",
        arguments: ["{title}.{extension}", "{title}", "{code}.png", "http://127.0.0.1:80/{code}.png", "{a", "a=b"])
    func templates(value: String) throws {
        #expect(try job(in: text, set: ["path=\(value)"]).path == value)
    }

    @Test(
        "a fault names the flag and shows the part of it",
        arguments: [
            (
                "transfer.concurency=3",
                """
                --set transfer.concurency=3: error: unknown key 'concurency' in transfer; did you mean 'concurrency'?
                transfer.concurency=3
                         ^~~~~~~~~~
                """
            ),
            (
                "transfer.concurrency=abc",
                """
                --set transfer.concurrency=abc: error: concurrency must be a whole number, not text 'abc'
                transfer.concurrency=abc
                                     ^~~
                """
            ),
            (
                "path=${GONE}/x",
                """
                --set path=${GONE}/x: error: the environment variable GONE is not set
                path=${GONE}/x
                     ^~~~~~~
                """
            ),
            ("name", "--set name: error: expected KEY=VALUE\nname\n    ^"),
            ("=x", "--set =x: error: a part of the path is empty; a path looks like transfer.rate\n=x\n^"),
            (
                "a..b=c",
                "--set a..b=c: error: a part of the path is empty; a path looks like transfer.rate\na..b=c\n  ^"
            ),
            ("name=", "--set name=: error: name must be text, not nothing\nname=\n     ^"),
            ("name.x=1", "--set name.x=1: error: 'x' cannot be set in text 'flags'\nname.x=1\n     ^"),
            (
                "pins.1.name=a",
                """
                --set pins.1.name=a: error: '1' is not in the list of 1; elements are counted from 0
                pins.1.name=a
                     ^
                """
            ),
            (
                "pins.home=a",
                """
                --set pins.home=a: error: 'home' is not in the list of 1; elements are counted from 0
                pins.home=a
                     ^~~~
                """
            ),
            ("exclude=[a", "--set exclude=[a: error: the '[' is never closed\nexclude=[a\n        ^"),
            (
                "transfer.headers={A: b, A: c}",
                """
                --set transfer.headers={A: b, A: c}: error: duplicate key 'A'; it is on this line already
                transfer.headers={A: b, A: c}
                                        ^
                """
            ),
        ])
    func flagFaults(flag: String, printed: String) {
        #expect(faults(in: text, set: [flag]) == [printed])
    }
}
