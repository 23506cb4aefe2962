/// What the command line asks for.
enum Invocation: Equatable, Sendable {
    /// No argument at all: the overview, as an error.
    case nothing
    /// The help of a command, or the overview.
    case help(Command?)
    case version
    case command(Command, Options)
}

/// A command line that can't be followed: exit code 64.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// Names the flag or word.
    let message: String
    /// The line of usage that matters.
    let usage: String

    var description: String {
        "runner: \(message)\nusage: \(usage)\n"
    }
}
