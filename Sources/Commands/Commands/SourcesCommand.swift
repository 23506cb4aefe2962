import Model
import Reports
import SourceKit
import SourcesCommand
import System
import YAML

/// `runner sources`: the modules, or everything about one.
struct SourcesCommand {
    let options: Options
    let context: CommandContext

    func run() async -> ExitCode {
        guard let type = options.operands.first else {
            return context.console.deliver { try context.console.output.write(Self.list(context.registry)) }
        }
        if type.contains("/") { return await describeScript(type) }
        guard let module = context.registry[type] else {
            let types = context.registry.modules.map(\.type)
            let hint = closestMatch(to: type, in: types).map { "did you mean '\($0)'?" }
            return context.refuse(
                "there is no source '\(type)'; \(hint ?? "there are: \(types.joined(separator: ", "))")",
                usage: Command.sources.usage)
        }
        return context.console.deliver { try context.console.output.write(Self.page(of: module)) }
    }

    /// What a script says of itself. It is waited for away from Swift's threads.
    private func describeScript(_ path: String) async -> ExitCode {
        let answer = await offPool {
            Result { try ScriptDocumentation(asking: [path], in: FilePath.folder(of: FilePath.absolute("x"))) }
        }
        switch answer {
        case .success(let script):
            return context.console.deliver { try context.console.output.write(Self.page(of: script, at: path)) }
        case .failure(let error):
            context.console.complain("\(error)")
            return .failed
        }
    }

    private static func page(of script: ScriptDocumentation, at path: String) -> String {
        let title = script.version.map { "\(script.name) \($0)" } ?? script.name
        var text = TextLayout.wrapped("\(title): a script, \(displayable(path))", indent: 0)
        text += "\nOptions, below source.options in a job file with type: command\n"
        if let options = script.options {
            text += options.isEmpty ? "  none\n" : describe(options, secret: script.secretOptions, indent: 2)
        } else {
            text += "  It does not say; whatever is there is passed on.\n"
        }
        if let expects = script.expects {
            text += "\nWhat it sets unless the job file does\n"
            text += "  expect  \(expects.map(\.rawValue).joined(separator: ", "))\n"
        }
        return text + templateFields(script.templateFields)
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
        return text + templateFields(module.templateFields)
    }

    private static func templateFields(_ own: [TemplateField]) -> String {
        var text = "\nFields of output.path\n"
        let fields = own + PathTemplate.commonFields
        let column = (fields.map(\.name.count).max() ?? 0) + 6
        for field in fields {
            text += TextLayout.wrapped(field.help, indent: column, label: "  {\(field.name)}")
        }
        return text
    }

    private static func describe(_ options: [FieldDocumentation], secret: [String] = [], indent: Int) -> String {
        options.map { option in
            let margin = String(repeating: " ", count: indent)
            var text = TextLayout.wrapped("\(option.name): \(option.facts)", indent: indent + 6, first: indent)
            let secrecy = secret.contains(option.name) ? " It is a secret: shown and stored nowhere." : ""
            text += TextLayout.wrapped(TextLayout.sentence(option.help) + secrecy, indent: indent + 6)
            if let example = option.example { text += "\(margin)      Example: \(option.name): \(example)\n" }
            return text + describe(option.fields, indent: indent + 4)
        }.joined()
    }
}
