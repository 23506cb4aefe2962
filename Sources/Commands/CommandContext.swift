import SourceKit

/// What every command works with.
struct CommandContext: Sendable {
    let console: Console
    let environment: [String: String]
    /// The source modules of this program.
    let registry: SourceRegistry
    /// Where the service manager that started the program listens, `$NOTIFY_SOCKET`; children do not have it.
    var serviceSocket: String?
}

extension CommandContext {
    /// Says what is wrong with the command line, and the line of usage that matters.
    func refuse(_ message: String, usage: String) -> ExitCode {
        console.tell(UsageError(message: message, usage: usage).description)
        return .usage
    }
}
