import Testing
import YAML

@Suite("What is no YAML is told in plain words", .timeLimit(.minutes(1)))
struct SyntaxFaultTests {
    /// A file and all that is printed for it.
    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let printed: String
        var testDescription: String { text.debugDescription }
    }

    @Test(
        "the message names the fault, its place and the way out",
        arguments: [
            Case(
                text: "name: x\ntransfer:\n\tconcurrency: 1",
                printed: """
                    job.yaml:3:1: error: a tab cannot indent; use spaces
                     concurrency: 1
                    ^
                    """),
            Case(
                text: "name:a\nrefresh: never",
                printed: """
                    job.yaml:1:1: error: a space is missing behind 'name:'; write 'name: a'
                    name:a
                    ^~~~~
                    """),
            Case(
                text: "transfer:\n  retries: 1\n  # slowly\n  rate:20/s\nname: x",
                printed: """
                    job.yaml:4:3: error: a space is missing behind 'rate:'; write 'rate: 20/s'
                      rate:20/s
                      ^~~~~
                    """),
            Case(
                text: "name: a: b",
                printed: """
                    job.yaml:1:8: error: a key cannot be here; check the indentation, or quote a value that has ': ' in it
                    name: a: b
                           ^
                    """),
            Case(
                text: "name: x\n  path: b",
                printed: """
                    job.yaml:2:7: error: a key cannot be here; check the indentation, or quote a value that has ': ' in it
                      path: b
                          ^
                    """),
            Case(
                text: "name: b\n- c",
                printed: """
                    job.yaml:2:1: error: expected a key; check the indentation
                    - c
                    ^
                    """),
            Case(
                text: "- a\nname: b",
                printed: """
                    job.yaml:2:1: error: expected '- ' for the next list entry; check the indentation
                    name: b
                    ^
                    """),
            Case(
                text: "exclude: - b",
                printed: """
                    job.yaml:1:10: error: a list entry cannot start here; put it on a line of its own, or quote the value
                    exclude: - b
                             ^
                    """),
            Case(
                text: "exclude: [1, 2\nname: b",
                printed: """
                    job.yaml:2:5: error: expected ',' or ']'; the '[' is on line 1
                    name: b
                        ^
                    """),
            Case(
                text: "exclude: [1",
                printed: """
                    job.yaml:1:10: error: the '[' is never closed
                    exclude: [1
                             ^
                    """),
            Case(
                text: "transfer: {a: 1\n",
                printed: """
                    job.yaml:1:11: error: the '{' is never closed
                    transfer: {a: 1
                              ^
                    """),
            Case(
                text: "exclude: [a]]",
                printed: """
                    job.yaml:1:13: error: text behind the closing ]; quote the whole value
                    exclude: [a]]
                                ^
                    """),
            Case(
                text: "name: \"x\" y",
                printed: """
                    job.yaml:1:11: error: text behind the closing "; quote the whole value
                    name: "x" y
                              ^
                    """),
            Case(
                text: "name: 'x\npath: b",
                printed: """
                    job.yaml:1:7: error: the quote is never closed
                    name: 'x
                          ^
                    """),
            Case(
                text: "name: \"\\q\"",
                printed: #"""
                    job.yaml:1:8: error: unknown escape in double quotes; write \\ for a backslash, or use single quotes
                    name: "\q"
                           ^
                    """#),
            Case(
                text: "exclude: *.json",
                printed: """
                    job.yaml:1:10: error: a value that starts with * must be quoted
                    exclude: *.json
                             ^
                    """),
            Case(
                text: "name: @x",
                printed: """
                    job.yaml:1:7: error: a value cannot start with '@'; quote it
                    name: @x
                          ^
                    """),
            Case(
                text: "name: > 5",
                printed: """
                    job.yaml:1:7: error: a value that starts with | or > must be quoted
                    name: > 5
                          ^
                    """),
            Case(
                text: "name: !e!x y",
                printed: """
                    job.yaml:1:7: error: a value that starts with ! must be quoted
                    name: !e!x y
                          ^
                    """),
            Case(
                text: "transfer: {headers: {A: ${TOKEN}}}",
                printed: """
                    job.yaml:1:26: error: a value with ${…} must be quoted within [ ] and { }
                    transfer: {headers: {A: ${TOKEN}}}
                                             ^
                    """),
            Case(
                text: "name: x\n...\nfoo",
                printed: """
                    job.yaml:3:1: error: expected the end of the document; another one begins with '---'
                    foo
                    ^
                    """),
        ])
    func messages(sample: Case) {
        #expect(faults(in: sample.text) == [sample.printed])
    }

    @Test(
        "a template without quotes is told as such",
        arguments: [
            ("path: {title}.{extension}", 7, "{title}.{extension}"),
            ("path: {title}", 7, "{title}"),
            ("path: {title}@{x}  # why", 7, "{title}@{x}"),
            ("path: {title} - {x}.png", 7, "{title} - {x}.png"),
            ("path: {title}: {x}", 7, "{title}: {x}"),
            ("path: {code}.png", 7, "{code}.png"),
            ("exclude: [{c}.png, b]", 11, "{c}.png"),
            ("exclude: [{c}]", 11, "{c}"),
            ("{title}.{extension}", 1, "{title}.{extension}"),
            ("exclude:\n  - {c}.png", 5, "{c}.png"),
            ("path:\n  {c}.png", 3, "{c}.png"),
        ])
    func unquotedTemplates(text: String, column: Int, value: String) {
        let line = text.split(separator: "\n").last ?? ""
        let place = "job.yaml:\(text.split(separator: "\n").count):\(column)"
        let caret = String(repeating: " ", count: column - 1) + "^" + String(repeating: "~", count: value.count - 1)
        let printed = "\(place): error: a value that starts with { must be quoted: \"\(value)\"\n\(line)\n\(caret)"
        let told = faults(in: text).filter { !$0.contains("'name' is missing") }
        #expect(told == [printed])
    }

    @Test("documents before a broken one are decoded all the same")
    func documentsBefore() {
        #expect(
            faults(in: "nme: x\n---\nname: [a") == [
                "job.yaml:1:1: error: unknown key 'nme'; did you mean 'name'?\nnme: x\n^~~",
                "job.yaml:3:7: error: the '[' is never closed\nname: [a\n      ^",
            ])
    }

    @Test("each fault that leaves the rest readable is told")
    func composition() {
        let text = """
            name: x
            name: y
            exclude: *gone
            <<: {a: b}
            ? [a]
            : b
            refresh: !color always
            path: !!int many
            pins: &p [*p]
            transfer: !!seq {}
            """
        #expect(
            faults(in: text) == [
                "job.yaml:2:1: error: duplicate key 'name'; it is on line 1 already\nname: y\n^~~~",
                """
                job.yaml:3:10: error: unknown alias *gone; quote a value that starts with *
                exclude: *gone
                         ^~~~~
                """,
                "job.yaml:4:1: error: merge keys (<<) are not supported; repeat the keys\n<<: {a: b}\n^~",
                "job.yaml:5:3: error: a key must be text, not a list\n? [a]\n  ^~~",
                """
                job.yaml:7:10: error: the tag !color is not supported; quote a value that starts with !
                refresh: !color always
                         ^~~~~~~~~~~~~
                """,
                "job.yaml:8:7: error: 'many' does not fit its tag !!int\npath: !!int many\n      ^~~~~~~~~~",
                """
                job.yaml:9:11: error: the alias *p is inside the value that it refers to
                pins: &p [*p]
                          ^~
                """,
                """
                job.yaml:10:11: error: the tag !!seq is not supported; quote a value that starts with !
                transfer: !!seq {}
                          ^~~~~~~
                """,
            ])
    }
}
