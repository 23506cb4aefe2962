import YAML

/// `runner completions`: the script of a shell, or what the script asks.
struct CompletionsCommand {
    let options: Options
    let context: CommandContext

    func run() -> ExitCode {
        let shell = options.operands.first ?? ""
        guard let script = CompletionScript(rawValue: shell) else {
            let shells = CompletionScript.allCases.map(\.rawValue)
            let hint = closestMatch(to: shell, in: shells).map { "did you mean '\($0)'?" }
            return context.refuse(
                "there are no completions for '\(shell)'; \(hint ?? "there are some for \(shells.joined(separator: ", "))")",
                usage: Command.completions.usage)
        }
        let words = Array(options.operands.dropFirst())
        let completion = Completion(registry: context.registry, environment: context.environment)
        return context.console.deliver {
            try context.console.output.write(words.isEmpty ? script.text : completion.candidates(for: words).lines)
        }
    }
}
