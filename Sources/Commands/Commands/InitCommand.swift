import Glibc
import Jobs
import Model
import SourceKit
import System
import YAML

/// `runner init`: writes a job file to begin with.
struct InitCommand {
    let options: Options
    let context: CommandContext

    func run() -> ExitCode {
        let source = options.operands[0]
        let draft: JobDraft
        if let module = context.registry[source] {
            draft = JobDraft(name: module.type, module: module)
        } else if let module = context.registry["manifest"], source.contains("://") || access(source, F_OK) == 0 {
            draft = JobDraft(list: source, module: module, file: options.operands.dropFirst().first)
        } else {
            let types = context.registry.modules.map(\.type)
            let hint =
                closestMatch(to: source, in: types).map { "did you mean '\($0)'?" }
                ?? "give a list of URLs, or one of \(types.joined(separator: ", "))"
            return context.refuse("there is no source and no file '\(source)'; \(hint)", usage: Command.`init`.usage)
        }
        let path = options.operands.dropFirst().first ?? "\(draft.name).yaml"
        do {
            try write(draft.text(at: path), to: path)
        } catch {
            context.console.tell("runner: \(error)")
            return .failed
        }
        let name = shellWord(path)
        context.console.tell("wrote \(name); next: runner check \(name), runner plan \(name), runner \(name)")
        return .success
    }

    /// Creates the file, whole or not at all.
    ///
    /// - Throws: ``OutputFileError``, or ``InitError`` where a file is there already.
    private func write(_ text: String, to path: String) throws {
        let part = "\(path).\(getpid()).part"
        defer { unlink(part) }
        try WholeFile.write(to: part) { try $0.write(text) }
        guard link(part, path) != 0 else { return }
        throw errno == EEXIST ? InitError(path: path) : OutputFileError(path: path, code: errno)
    }
}

/// A new job file would replace a file.
private struct InitError: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) already exists; give another name: runner init SOURCE FILE" }
}

/// The text of a new job file: what must be set is set, every other key is in it as a comment with its default.
struct JobDraft {
    /// The job's name, and that of its file and its folder.
    let name: String
    private let module: SourceModule
    /// Values of `source:` that are written, by name.
    private let sourceValues: [String: String]
    /// Values of top-level keys that are written, by name.
    private let values: [String: String]

    /// A job of a source, as the source suggests to begin.
    init(name: String, module: SourceModule) {
        self.name = name
        self.module = module
        sourceValues = module.firstOptions
        values = [:]
    }

    /// A job of a list.
    ///
    /// - Parameters:
    ///   - list: a path, as seen from the current folder, or a URL.
    ///   - file: where the job file will be, if not in the current folder.
    init(list: String, module: SourceModule, file: String?) {
        let isURL = list.contains("://")
        let path = isURL ? String(list.prefix { $0 != "?" && $0 != "#" }) : list
        name = Self.jobName(path.split(separator: "/").last.map(String.init) ?? "")
        self.module = module
        let isBeside = file?.contains("/") != true
        sourceValues = ["url": Self.quoted(isURL || isBeside ? list : FilePath.absolute(list))]
        // A list of one's own may name anything.
        values = ["expect": "any"]
    }

    /// The file's text; `path` is how the commands in its comments name it.
    func text(at path: String) -> String {
        let file = shellWord(path)
        let commands = [
            ("runner check \(file)", "validates this file"),
            ("runner plan \(file)", "lists what a run would fetch, and downloads nothing"),
            ("runner \(file)", "fetches it; the second time only what has changed"),
            ("runner report \(name)", "shows how it went"),
        ]
        let column = (commands.map(\.0.count).max() ?? 0) + 4
        return """
            # A job of runner: what to fetch and where to put it. A key that is commented out shows its default, or an example.
            #
            \(commands.map { "#   " + TextLayout.padded($0, to: column) + $1 }.joined(separator: "\n"))
            #
            # `runner sources \(module.type)` describes the options of this source, `runner man runner-job` every key.


            """
                + lines(JobDocument.fields.documentation, 0, values: values.merging(["name": name]) { $1 }).joined()
    }

    private func lines(_ fields: [FieldDocumentation], _ indent: Int, values: [String: String]) -> [String] {
        fields.flatMap { field -> [String] in
            switch field.name {
            case "expect": return entry(field, indent, value: values[field.name], standard: expectation)
            case "path": return entry(field, indent, value: nil, standard: "\"\(module.path)\"")
            case "source" where indent == 0:
                return ["\nsource:\n", "  type: \(module.type)\n"] + lines(module.options, 2, values: sourceValues)
            case "output" where indent == 0:
                return ["\noutput:\n"] + lines(field.fields, 2, values: ["directory": name])
            case "transfer" where indent == 0:
                // Commented out key by key: the block itself must have one.
                return ["\ntransfer:\n"]
                    + lines(field.fields, 2, values: ["concurrency": field.fields.first?.default ?? "16"]) + ["\n"]
            default: return entry(field, indent, value: values[field.name])
            }
        }
    }

    /// The key's help as a comment, then the key: with the value, or commented out with its default or an example.
    ///
    /// - Parameter standard: the default, where the table can only name it in words.
    private func entry(
        _ field: FieldDocumentation, _ indent: Int, value: String?, standard: String? = nil
    ) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var help = field.help
        if standard == nil, field.example != nil, let text = field.default { help += "; default: \(text)" }
        let comment = TextLayout.wrapped(help, indent: 0, width: 100 - indent).split(separator: "\n")
        let line =
            value.map { "\(field.name): \($0)" }
            ?? "#\(field.name): \(standard ?? field.example ?? field.default ?? (field.type == "mapping" ? "{}" : ""))"
        return comment.map { "\(margin)# \($0)\n" } + ["\(margin)\(line)\n"]
    }

    private var expectation: String {
        module.expects.count == 1
            ? module.expects[0].rawValue : "[\(module.expects.map(\.rawValue).joined(separator: ", "))]"
    }

    /// The first part of a file's name, in the letters that a job's name may have.
    private static func jobName(_ file: String) -> String {
        let stem = file.prefix { $0 != "." }.lowercased()
        let words = stem.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }
        let name = words.joined(separator: "-").drop { $0 == "_" }.prefix(64)
        return name.isEmpty ? "job" : String(name)
    }

    /// A text as a YAML value.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "./_-".utf8.contains(byte)
        }
        if isPlain, text.utf8.first.map({ $0 | 0x20 >= UInt8(ascii: "a") && $0 != UInt8(ascii: "-") }) == true {
            return text
        }
        // `$${` is a literal `${` in a job file.
        let literal = text.replacing("${", with: "$${")
        return "'\(literal.replacing("'", with: "''"))'"
    }
}

/// A word of a POSIX shell.
private func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || "_./-".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
}
