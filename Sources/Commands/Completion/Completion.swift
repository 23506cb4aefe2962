import Model
import Reports
import SourceKit
import YAML

/// Completes a command line, from the tables that parse and document it and from the catalog.
struct Completion {
    let registry: SourceRegistry
    let environment: [String: String]
    var flags = FlagTable.all

    /// The completions of the last of `words`, which come without the program's name. The last one may be empty:
    /// a word that is about to begin.
    func candidates(for words: [String]) -> Candidates {
        let typed = words.last ?? ""
        let line = TypedLine(words.dropLast(), flags: flags)
        if let flag = line.pending {
            return values(of: flag, line, typed)
        }
        guard !line.isOperandsOnly, typed.hasPrefix("-") else {
            return operands(line, typed).beginning(with: typed)
        }
        if let sign = typed.firstIndex(of: "="), typed.hasPrefix("--"),
            let flag = flags.flag(named: typed[..<sign].dropFirst(2), of: line.command)
        {
            let prefix = String(typed[...sign])
            return values(of: flag, line, String(typed[typed.index(after: sign)...])).behind(prefix)
        }
        return names(line).beginning(with: typed)
    }

    /// The flags of the command that were not given yet; without a command those of `run`, which may be left out.
    private func names(_ line: TypedLine) -> Candidates {
        let open = flags.filter { flag in
            flag.commands.contains(line.command ?? .run) && (flag.isRepeatable || line.values[flag.name] == nil)
        }
        return Candidates(
            words: open.map { .init("--\($0.name)" + ($0.valueName == nil || $0.isValueOptional ? "" : "="), $0.help) })
    }

    private func operands(_ line: TypedLine, _ typed: String) -> Candidates {
        guard let command = line.command else {
            var candidates = Candidates(files: .jobs)
            if line.operands.isEmpty, !line.isOperandsOnly {
                candidates.words = Command.allCases.map { .init($0.rawValue, $0.summary) }
            }
            return candidates
        }
        guard let placeholder = command.operands.placeholder(at: line.operands.count) else { return .none }
        return candidates(for: placeholder, line, typed)
    }

    /// By what stands for the value in help: `FILE`, `text|json`, `KEY=VALUE`.
    private func values(of flag: Flag, _ line: TypedLine, _ typed: String) -> Candidates {
        guard let name = flag.valueName else { return .none }
        let all = name.split(separator: "|").map(String.init)
        let parts = flag.name == "format" ? all.filter((line.command ?? .report).formats.contains) : all
        guard parts.count > 1 else { return candidates(for: name, line, typed).beginning(with: typed) }
        var result = Candidates()
        for part in parts {
            // In capitals it is a placeholder for values, else it is one.
            if part == part.uppercased() {
                result.words += candidates(for: part, line, typed).words
            } else {
                result.words.append(.init(part))
            }
        }
        return result.beginning(with: typed)
    }

    /// What a word in capitals stands for, in usage lines and for the values of flags.
    private func candidates(for placeholder: String, _ line: TypedLine, _ typed: String) -> Candidates {
        let catalog = CompletionCatalog(database: line.values["database"], environment: environment)
        switch placeholder {
        case "REASON,...": return Candidates(words: FailureWord.allCases.map { .init($0.rawValue, $0.explanation) })
        case "FILE", "DIR": return Candidates(files: .all)
        case "JOB" where line.command?.readsJobFiles == true: return Candidates(files: .jobs)
        case "JOB": return Candidates(files: .jobs, words: catalog.jobs())
        case "COLLECTION|ITEM":
            guard let job = line.operands.first else { return .none }
            return Candidates(words: catalog.collections(of: job) + catalog.items(of: job, typed))
        case "ACTION": return Candidates(words: ControlAction.allCases.map { .init($0.rawValue, $0.summary) })
        case "add|remove":
            return Candidates(words: [.init("add", "mark items"), .init("remove", "take the mark away")])
        case "KEY" where line.command == .favourites:
            return Candidates(words: line.values["job"].map { catalog.items(of: $0, typed) } ?? [])
        case "KEY" where line.command == .remove || line.command == .restore:
            return Candidates(words: line.operands.first.map { catalog.items(of: $0, typed) } ?? [])
        case "KEY":
            guard line.command == .control, let job = line.operands.first,
                let action = line.operands.dropFirst().first.flatMap(ControlAction.init), action.values.upperBound > 1
            else { return .none }
            return Candidates(
                words: action == .retry
                    ? catalog.items(of: job, typed) : catalog.collections(of: job) + catalog.items(of: job, typed))
        case "ITEM": return Candidates(words: line.operands.first.map { catalog.items(of: $0, typed) } ?? [])
        case "FORMAT": return Candidates(words: TableExport.Format.allCases.map { .init($0.rawValue) })
        case "GLOB": return Candidates(words: line.operands.flatMap { catalog.items(of: $0, typed) })
        case "ID": return Candidates(words: catalog.runs())
        case "SOURCE":
            return Candidates(files: .all, words: registry.modules.map { .init($0.type, $0.summary) })
        case "run": return Candidates(words: [.init("run", "fetch what a shard has")])
        case "test": return Candidates(words: [.init("test", "try every rule for scripts")])
        case "CMD": return Candidates(files: .all)
        case "TYPE|CMD":
            return Candidates(files: .all, words: registry.modules.map { .init($0.type, $0.summary) })
        case "TYPE": return Candidates(words: registry.modules.map { .init($0.type, $0.summary) })
        case "COMMAND": return Candidates(words: Command.allCases.map { .init($0.rawValue, $0.summary) })
        case "SHELL": return Candidates(words: CompletionScript.allCases.map { .init($0.rawValue) })
        case "PAGE": return Candidates(words: ManualPage.allCases.map { .init($0.rawValue, $0.summary) })
        case "KEY=VALUE": return Candidates(words: JobKeys(registry: registry).candidates(for: typed))
        default: return .none
        }
    }
}

extension Command {
    /// Whether its JOB is a file that is read, and not as well the name of a job in the catalog.
    fileprivate var readsJobFiles: Bool {
        switch self {
        case .run, .check, .plan, .thumbnails, .adopt, .shards, .submit: true
        default: false
        }
    }
}

extension Command.Operands {
    /// The word of the usage that stands for an operand: `JOB` for any of `[JOB...]`. Nil where there is none more.
    func placeholder(at index: Int) -> String? {
        let words = text.split(separator: " ")
        guard let word = index < words.count ? words[index] : words.last(where: { $0.contains("...") }) else {
            return nil
        }
        return word.filter { $0.isLetter || $0 == "=" || $0 == "|" }
    }
}
