import Glibc
import JSON
import Model
import System
import YAML

/// The options of the source `command`.
package struct CommandOptions: Sendable {
    /// The program and its arguments.
    var command: [String] = []
    /// What the script gets as its own options.
    var options = JSONValue.object([:])
    /// Names of variables of the environment that the script gets beside a few that it always has.
    var variables: [String] = []
    var idleTimeout = TimeSpan.seconds(300)
    /// nil for none.
    var budget: ScriptBudget?

    static let fields = FieldTable<CommandOptions>([
        .required(
            "command", \.command,
            help: "the script and its arguments, without a shell; a path with a slash is relative to the job file",
            example: "[./albums.py]",
            check: { $0.first?.isEmpty != false ? "must name a program" : nil }),
        Field(
            FieldDocumentation(
                "options", type: "mapping", default: "{}", help: "what the script itself needs; it says what it takes",
                example: "{album: summer}")
        ) { node, root, context in
            if case .mapping = node.content {
                root.options = JSONValue(node)
            } else {
                context.mismatch(node, wanted: "a mapping")
            }
        },
        .optional(
            "env", \.variables, default: "[]",
            help: "names of environment variables that the script gets beside PATH, HOME, TZ and proxies",
            example: "[ALBUMS_HOME]",
            check: { names in
                names.contains { $0.isEmpty || $0.contains("=") } ? "must be names of variables" : nil
            }),
        .optional(
            "budget", \.budget, default: "none",
            help: "requests of scripts to one host in a time, over all runs; more wait", example: "3600/h"),
        .optional(
            "idle_timeout", \.idleTimeout, default: "5m", help: "ends a script that writes no line for this time",
            check: { $0.microseconds >= 1_000_000 ? nil : "must be at least 1s" }),
    ])

    /// What is started, seen from the job's folder.
    ///
    /// - Throws: ``ScriptError`` for a program that is not there.
    func launch(in folder: String, job: String) throws(ScriptError) -> ScriptProcess.Launch {
        func variable(_ name: String) -> (String, String)? {
            getenv(name).map { (name, String(cString: $0)) }
        }
        let proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
        var environment = Dictionary(
            uniqueKeysWithValues: Set(["PATH", "HOME", "TZ"] + proxies + variables).compactMap(variable))
        environment["LANG"] = "C.UTF-8"
        environment["RUNNER_PROTOCOL"] = "1"
        environment["RUNNER_JOB"] = job
        let name = command.first ?? ""
        guard
            let program = executablePath(
                of: name, in: folder, searching: environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        else {
            throw ScriptError(
                "\(name) is not an executable file\(name.contains("/") ? " in \(folder)" : " on PATH"); chmod +x makes one"
            )
        }
        return ScriptProcess.Launch(
            program: program, arguments: Array(command.dropFirst()), environment: environment, folder: folder,
            idleTimeout: idleTimeout.microseconds)
    }
}
