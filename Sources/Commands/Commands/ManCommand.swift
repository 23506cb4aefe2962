import YAML

/// `runner man`: a manual page.
struct ManCommand {
    let options: Options
    let context: CommandContext

    func run() -> ExitCode {
        let name = options.operands.first ?? ManualPage.program.rawValue
        guard let page = ManualPage(rawValue: name) else {
            let names = ManualPage.allCases.map(\.rawValue)
            let hint = closestMatch(to: name, in: names).map { "did you mean '\($0)'?" }
            return context.refuse(
                "there is no page '\(name)'; \(hint ?? "there are \(names.joined(separator: " and "))")",
                usage: Command.man.usage)
        }
        let text = page.text(registry: context.registry)
        let viewer = Pager(command: "man -l -", environment: context.environment)
        return context.console.deliver(through: viewer) { output in try output.write(text) }
    }
}
