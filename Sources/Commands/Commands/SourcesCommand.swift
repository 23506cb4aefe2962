import Model
import SourceKit
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
            return context.refuse(
                "there is no source '\(type)'; \(hint ?? "there are: \(types.joined(separator: ", "))")",
                usage: Command.sources.usage)
        }
        return context.console.deliver { try context.console.output.write(Self.page(of: module)) }
    }

    /// A module a line.
    static func list(_ registry: SourceRegistry) -> String {
        let column = (registry.modules.map(\.type.count).max() ?? 0) + 2
        return registry.modules.map { module in
            TextLayout.wrapped(module.summary, indent: column, label: module.type)
        }.joined()
    }

    /// Options and template fields of a module.
    static func page(of module: SourceModule) -> String {
        var text = TextLayout.wrapped("\(module.type): \(module.summary)", indent: 0)
        for paragraph in module.details { text += "\n" + TextLayout.wrapped(paragraph, indent: 0) }
        text += "\nOptions, below source in a job file\n" + describe(module.options, indent: 2)
        text += "\nWhat it sets unless the job file does\n"
        text += "  output.path  \(module.path)\n"
        text += "  expect       \(module.expects.map(\.rawValue).joined(separator: ", "))\n"
        text += "\nFields of output.path\n"
        let fields = module.templateFields + PathTemplate.commonFields
        let column = (fields.map(\.name.count).max() ?? 0) + 6
        for field in fields {
            text += TextLayout.wrapped(field.help, indent: column, label: "  {\(field.name)}")
        }
        return text
    }

    private static func describe(_ options: [FieldDocumentation], indent: Int) -> String {
        options.map { option in
            let margin = String(repeating: " ", count: indent)
            var text = TextLayout.wrapped("\(option.name): \(option.facts)", indent: indent + 6, first: indent)
            text += TextLayout.wrapped(TextLayout.sentence(option.help), indent: indent + 6)
            if let example = option.example { text += "\(margin)      Example: \(option.name): \(example)\n" }
            return text + describe(option.fields, indent: indent + 4)
        }.joined()
    }
}
