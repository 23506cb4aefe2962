import YAML

/// Reads a command line by the table of flags, in the forms of GNU: `--name=value`, `--name value`, `-qv` bundles, `-N5`
/// values, flags and operands in any order, `--` before operands that look like flags. The last one of a flag counts.
struct ArgumentParser {
    var flags = FlagTable.all
    /// Whether a word that is no command may be a job file.
    let fileExists: (String) -> Bool

    /// What `arguments` ask for, which come without the program's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard !arguments.isEmpty else { return .nothing }
        var words = Words(arguments, flags: flags)
        do throws(UsageError) {
            try words.split()
        } catch {
            // A request for help or the version is met although something wrong follows it.
            guard words.request != nil else { throw error }
        }
        switch words.request {
        case "help": return .help(words.command == .help ? nil : words.command)
        case "version": return .version
        default: break
        }
        let command = try command(of: words)
        let options = try options(of: words, for: command)
        guard command == .help else { return .command(command, options) }
        return .help(try options.operands.first.map { word throws(UsageError) in try helpTopic(word) })
    }

    private func command(of words: Words) throws(UsageError) -> Command {
        if let command = words.command { return command }
        if let word = words.commandWord, !word.contains("/"), !word.contains("."), !fileExists(word) {
            throw unknownCommand(word, usage: "runner [COMMAND] [FLAG...] JOB..., see runner --help")
        }
        return .run
    }

    private func options(of words: Words, for command: Command) throws(UsageError) -> Options {
        var options = Options()
        options.operands = words.operands
        for (flag, value) in words.flags {
            guard flag.commands.contains(command) else {
                throw UsageError(
                    message: "--\(flag.name) is a flag of \(list(flag.commands)), not of \(command.rawValue)",
                    usage: command.usage)
            }
            do {
                try flag.apply(value, &options)
            } catch {
                throw UsageError(
                    message: "--\(flag.name) must be \(error.wanted), not '\(value)'"
                        + (error.hint.map { "; \($0)" } ?? ""),
                    usage: command.usage(flags: flag.usage))
            }
        }
        let operands = command.operands
        if options.operands.count < operands.count.lowerBound {
            throw UsageError(
                message: "\(command.rawValue) needs \(operands.missing(after: options.operands.count))",
                usage: command.usage)
        }
        if options.operands.count > operands.count.upperBound {
            let extra = options.operands[operands.count.upperBound]
            let most = operands.count.upperBound == 0 ? "nothing" : "one \(operands.text.filter(\.isLetter))"
            throw UsageError(
                message: "\(command.rawValue) takes \(most), so '\(extra)' is too many", usage: command.usage)
        }
        return options
    }

    private func helpTopic(_ word: String) throws(UsageError) -> Command {
        guard let command = Command(rawValue: word) else { throw unknownCommand(word, usage: Command.help.usage) }
        return command
    }

    private func unknownCommand(_ word: String, usage: String) -> UsageError {
        let hint =
            likeliest(of: Command.allCases.map(\.rawValue), for: word).map { "did you mean '\($0)'?" }
            ?? "there is no file of that name either"
        return UsageError(message: "unknown command '\(word)'; \(hint)", usage: usage)
    }

    /// `run`, `run and plan`, `run, check and plan`.
    private func list(_ commands: [Command]) -> String {
        let names = commands.map(\.rawValue)
        guard names.count > 1, let last = names.last else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// What a wrong word was most likely meant to be: one with a slip, else the only one that begins with it.
func likeliest(of names: [String], for word: String) -> String? {
    if let match = closestMatch(to: word, in: names) { return match }
    let longer = names.filter { !word.isEmpty && $0.hasPrefix(word) }
    return longer.count == 1 ? longer[0] : nil
}
