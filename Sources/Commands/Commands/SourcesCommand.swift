import Core
import YAML

/// `runner sources`: the modules, or everything about one.
struct SourcesCommand {
    let options: Options
    let context: CommandContext

    func run() -> ExitCode {
        guard let type = options.operands.first else {
            return context.console.deliver { try context.console.output.write(Self.list(context.registry)) }
        }
        guard let module = context.registry[type] else {
            let types = context.registry.modules.map(\.type)
            let hint = closestMatch(to: type, in: types).map { "did you mean '\($0)'?" }
            let error = UsageError(
                message: "there is no source '\(type)'; \(hint ?? "there are: \(types.joined(separator: ", "))")",
                usage: Command.sources.usage)
            context.console.tell(error.description)
            return .usage
        }
        return context.console.deliver { try context.console.output.write(Self.page(of: module)) }
    }

    /// A module a line.
    static func list(_ registry: SourceRegistry) -> String {
        let column = (registry.modules.map(\.type.count).max() ?? 0) + 2
        return registry.modules.map { module in
            module.type + String(repeating: " ", count: column - module.type.count) + module.summary + "\n"
        }.joined()
    }

    /// Options and template fields of a module.
    static func page(of module: SourceModule) -> String {
        var text = "\(module.type): \(module.summary)\n\n"
        text += "path    \(module.path)\n"
        text += "expect  \(module.expects.map(\.rawValue).joined(separator: ", "))\n"
        text += "\nOptions\n" + describe(module.options, indent: "  ")
        text += "\nFields of path templates\n"
        let fields = PathTemplate.commonFields + module.templateFields
        let column = (fields.map(\.name.count).max() ?? 0) + 6
        for field in fields {
            let name = "  {\(field.name)}"
            text += name + String(repeating: " ", count: column - field.name.count - 2) + field.help + "\n"
        }
        return text
    }

    private static func describe(_ options: [FieldDocumentation], indent: String) -> String {
        options.map { option in
            var facts = [option.type]
            if option.isRequired { facts.append("required") }
            if let value = option.default { facts.append("default \(value)") }
            var text = "\(indent)\(option.name)  (\(facts.joined(separator: "; ")))\n\(indent)    \(option.help)\n"
            if let example = option.example { text += "\(indent)    for example: \(example)\n" }
            return text + describe(option.fields, indent: indent + "    ")
        }.joined()
    }
}
