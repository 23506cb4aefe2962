package import Model
import SourceKit
package import YAML

/// What a script says of itself, for people.
package struct ScriptDocumentation: Sendable {
    package let name: String
    package let version: String?
    /// nil where the script takes whatever it is given.
    package let options: [FieldDocumentation]?
    /// Names of options that are never shown or stored.
    package let secretOptions: [String]
    package let templateFields: [TemplateField]
    package let expects: [Expectation]?
    package let abilities: [String]

    /// Asks a script, on the calling thread, which waits at most some ten seconds.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments; a path with a slash starts at `folder`.
    ///   - folder: absolute.
    /// - Throws: why it can't be asked, or does not say what it is.
    package init(asking command: [String], in folder: String) throws {
        var options = CommandOptions()
        options.command = command
        var interview = ScriptInterview(try options.launch(in: folder, job: "none"), name: command.first ?? "")
        defer { interview.end() }
        let spec = try interview.spec()
        let description = SourceDescription(spec)
        name = spec.name.shownInMessage(limit: 100)
        version = spec.version?.shownInMessage(limit: 60)
        self.options = spec.fields?.documentation
        secretOptions = (spec.options ?? []).filter { $0.secret == true }.map(\.key)
        templateFields = description.templateFields
        expects = description.expects
        abilities = (spec.abilities ?? []).map { $0.shownInMessage(limit: 60) }
    }
}
