import Core

/// What every command works with.
struct CommandContext: Sendable {
    let console: Console
    let environment: [String: String]
    /// The source modules of this program.
    let registry: SourceRegistry
}
