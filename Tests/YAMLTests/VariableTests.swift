import Testing
import YAML

@Suite("Variables of the environment", .timeLimit(.minutes(1)))
struct VariableTests {
    private let environment = ["N": "8", "A": "one", "B": "two: [", "EMPTY": "", "SECRET": "hunter2"]

    @Test(
        "a variable is replaced in any kind of scalar",
        arguments: [
            ("${A}", "one"), ("x-${A}-${B}-y", "x-one-two: [-y"), ("'${A}'", "one"), ("\"${A}\\t${A}\"", "one\tone"),
            ("$${A}", "${A}"), ("$$${A}", "$${A}"), ("$A $ {A} 5$", "$A $ {A} 5$"), ("'${EMPTY}'", ""),
            ("|\n  ${A}\n  ${A}\n", "one\none\n"), ("${N}", "8"),
        ])
    func replacement(written: String, text: String) throws {
        #expect(try job(in: "name: \(written)", environment: environment).name == text)
    }

    @Test("a plain value is looked at anew, a quoted one stays text")
    func kinds() throws {
        #expect(
            try job(
                in: "name: x\ntransfer: {concurrency: 1}", set: ["transfer.concurrency=${N}"], environment: environment
            )
            .transfer.concurrency == 8)
        #expect(
            faults(in: "name: x\ntransfer:\n  concurrency: '${N}'", environment: environment) == [
                """
                job.yaml:3:16: error: concurrency must be a whole number, not text '${N}'
                  concurrency: '${N}'
                               ^~~~~~
                """
            ])
    }

    @Test("keys are left as they are")
    func keys() throws {
        let headers = try job(in: "name: x\ntransfer:\n  headers:\n    ${A}: ${A}", environment: environment).transfer
            .headers
        #expect(headers == OrderedMap([.init(key: "${A}", value: "one")]))
    }

    @Test("a message never shows a value of the environment")
    func secrecy() {
        let text = "name: x\nrefresh: ${SECRET}\ndurable: ${SECRET}\nexclude: ${SECRET}\ntransfer:\n  ratio: ${EMPTY}"
        let told = faults(in: text, environment: environment)
        #expect(told.count == 4)
        #expect(told.allSatisfy { !$0.contains("hunter2") })
        #expect(told.last?.contains("ratio must be a number, not the empty '${EMPTY}'") == true)
    }

    @Test(
        "the caret is under the very variable",
        arguments: [
            ("name: x${A}${GONE}", "1:12", "the environment variable GONE is not set", 7),
            ("name: 'it''s ${GONE}'", "1:14", "the environment variable GONE is not set", 7),
            ("name: \"\\t${A} ${GONE}\"", "1:15", "the environment variable GONE is not set", 7),
            ("name: $${A} ${GONE}", "1:13", "the environment variable GONE is not set", 7),
            ("name: é ${GONE}", "1:9", "the environment variable GONE is not set", 7),
            ("name: &a !!str ${GONE}", "1:16", "the environment variable GONE is not set", 7),
            ("name: \"\\x24{GONE}\"", "1:7", "the environment variable GONE is not set", 12),
            ("name: |\n  ${GONE}", "1:7", "the environment variable GONE is not set", 1),
            ("name: ${}", "1:7", "'${}' is no variable; write ${NAME}, or $${ for a literal ${", 3),
            ("name: ${1X}", "1:7", "'${1X}' is no variable; write ${NAME}, or $${ for a literal ${", 5),
            ("name: ${A-b}", "1:7", "'${A-b}' is no variable; write ${NAME}, or $${ for a literal ${", 6),
            ("name: a ${A", "1:9", "'${A' is no variable; write ${NAME}, or $${ for a literal ${", 3),
            ("name: ${a${A}}", "1:7", "'${a${A}' is no variable; write ${NAME}, or $${ for a literal ${", 7),
        ])
    func marks(text: String, place: String, message: String, length: Int) throws {
        let told = faults(in: text, environment: environment)
        #expect(told.count == 1)
        let lines = try #require(told.first).split(separator: "\n")
        #expect(lines[0] == "job.yaml:\(place): error: \(message)")
        #expect(lines[2].drop { $0 == " " }.count == length)
    }

    @Test("the variables met are told once each, in order, and their scalars know the text as written")
    func used() throws {
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "job.yaml", bytes: Array("a: ${N} ${A}\nb: [\"${A}\", $$]".utf8))
        let root = try #require(YAMLParser.documents(in: source, diagnostics: &diagnostics).first)
        var used: [Variable] = []
        let expanded = expandVariables(in: root, environment: environment, used: &used, diagnostics: &diagnostics)
        #expect(used == [Variable(name: "N", value: "8"), Variable(name: "A", value: "one")])
        #expect(expanded["a"]?.scalar?.written == "${N} ${A}")
        #expect(expanded["a"]?.scalar?.isExpanded == true)
        #expect(diagnostics.isEmpty)
    }
}
