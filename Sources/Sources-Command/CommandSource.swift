import Model
package import SourceKit

/// Lists what a program in any language lists, in JSON lines on its standard output. It may have its HTTP requests done by
/// the run, under the job's limits and rules.
package struct CommandSource: Source {
    /// The table of the options and the name `command`.
    package static let info = SourceInfo<CommandOptions>(
        type: "command",
        summary: "what a script of your own lists, in any language",
        details: [
            "The script reads requests from its standard input and writes collections and items to its standard output, one "
                + "JSON object a line; docs/add-a-source.md describes them. What it writes to its standard error is shown "
                + "when it fails."
        ],
        path: "{collection}/{title}.{extension}",
        expects: [.any],
        defaults: CommandOptions(),
        fields: CommandOptions.fields,
        inspect: CommandOptions.inspect)

    private let options: CommandOptions
    private let context: SourceContext

    /// Keeps the options: the script is started with the first page.
    package init(options: CommandOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    /// The list from its beginning.
    package func pages() -> CommandPages {
        CommandPages(options: options, context: context)
    }
}
