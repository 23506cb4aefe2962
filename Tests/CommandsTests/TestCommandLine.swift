import Foundation

@testable import Commands

/// Runs command lines inside the test's process, in a folder of its own.
final class TestCommandLine {
    struct Outcome: Equatable {
        let code: ExitCode
        let output: String
        let errors: String
    }

    let folder: URL
    private let environment: [String: String]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "commands-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = ["HOME": folder.path(), "RUNNER_DATABASE": folder.appending(path: "runner.sqlite").path()]
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The path of a file in the folder, after writing it.
    func file(_ name: String, _ text: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path()
    }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// The folder's name is replaced by `FOLDER/` in what was printed.
    func run(_ arguments: [String], terminal: Terminal = .none) async throws -> Outcome {
        let capture = try ConsoleCapture(outputTerminal: terminal)
        let context = CommandContext(
            console: capture.console, environment: environment,
            registry: ContractTables.registry)
        let code = await CommandLineTool.run(arguments, context)
        func readable(_ text: String) -> String {
            text.replacing(folder.path() + "/", with: "FOLDER/").replacing(folder.path(), with: "FOLDER")
        }
        return Outcome(code: code, output: readable(capture.output), errors: readable(capture.errors))
    }
}
