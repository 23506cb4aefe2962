internal import Catalog
internal import HTTP
internal import JSON
internal import Jobs
internal import SQLite
internal import Server
internal import System

extension WebHandler {
    /// Starts a run, and answers when its row is there or it has ended.
    static let startRun: Endpoint = { handler, call in
        let body = try call.body("only", "collections", "refresh", "failed", "pin")
        if let pin = try body.integer("pin") { return handler.startRun(call, ofPin: pin) }
        let only = try body.texts("only", atMost: 1_000)
        let collections = try body.texts("collections", atMost: 100)
        let flags =
            (try body.flag("refresh") ? ["--refresh"] : []) + (try body.flag("failed") ? ["--failed"] : [])
        handler.withJob(call) { file, connection in
            var patterns = only
            for key in collections {
                guard let collection = try PageCollection.one(key, of: call.variable, from: connection) else {
                    throw Problem(
                        404, "No such collection", "the job has no '\(key.prefix(100))'", field: "collections")
                }
                patterns += try collection.patterns(from: connection)
            }
            return file.runArguments + flags + patterns.map { "--only=\($0)" }
        } then: { arguments in
            try handler.start(call, arguments)
        }
    }

    /// - Parameter whenOver: called when the process has ended, before it is answered for.
    func start(
        _ call: Call, _ arguments: [String], whenOver: @escaping @Sendable (ChildProgram) -> Void = { _ in }
    ) throws {
        let child = try spawn(arguments) { child in
            whenOver(child)
            // It came to no row: a second run at work, a job file that is broken by now.
            self.await(call, child, isOver: true)
        }
        self.await(call, child, isOver: false)
    }

    /// Looks for the row of a run that was started; nothing tells when it comes, and it comes within a moment.
    private func await(_ call: Call, _ child: ChildProgram, isOver: Bool) {
        readers.read {
            try PageRun.last(of: call.variable, pid: child.pid, from: $0)
        } then: { result in
            if case .success(let run?) = result {
                self.hub.note()
                var json = JSONWriter()
                json.beginObject()
                json.member("run", run)
                json.endObject()
                self.answer(call, .json(json.bytes, status: 202))
            } else if isOver {
                self.answer(call, Self.problem(of: child).response)
            } else if child.exitCode == nil {
                Timers.after(20_000) { self.await(call, child, isOver: false) }
            }
        }
    }

    /// Deletes what a job, or one of its collections, stored: as `runner reset` does.
    static let resetJob: Endpoint = { handler, call in
        let collection = try call.body("collection").text("collection", atMost: 4_096)
        handler.readers.read {
            try handler.requireJob(call.variable, $0)
        } then: { result in
            do {
                try result.get()
                // A key that begins with a dash is no flag.
                _ = try handler.spawn(["reset", "--yes", "--", call.variable] + (collection.map { [$0] } ?? [])) {
                    child in
                    handler.hub.note()
                    handler.answer(call, child.exitCode == 0 ? .done : problem(of: child).response)
                }
            } catch {
                handler.refuse(call, error)
            }
        }
    }

    private func spawn(
        _ arguments: [String], whenOver: @escaping @Sendable (ChildProgram) -> Void
    ) throws -> ChildProgram {
        var arguments = arguments
        arguments.insert("--database=\(settings.database)", at: 1)
        do throws(ChildError) {
            return try ChildProgram(
                settings.program, arguments, environment: settings.environment, whenOver: whenOver)
        } catch {
            throw Problem(500, "Not started", "\(settings.program): \(error)")
        }
    }

    /// Of a child that ended without having done what it was started for.
    private static func problem(of child: ChildProgram) -> Problem {
        let words = child.text.split(separator: "\n").suffix(5).joined(separator: "\n")
        let code = child.exitCode ?? 0
        let detail = words.isEmpty ? "it ended with exit code \(code)" : words
        return switch code {
        case 75: Problem(409, "Job is running", detail)
        case 64, 78: Problem(409, "Not runnable", detail)
        default: Problem(500, "Failed", detail)
        }
    }

    /// Finds a job whose file the page was started with.
    func withJob<T: Sendable>(
        _ call: Call, _ body: @escaping @Sendable (JobFiles.Job, Connection) throws -> T,
        then done: @escaping @Sendable (T) throws -> Void
    ) {
        readers.read { connection in
            guard let file = self.rows.files.known().job(call.variable) else {
                if !(try PageJob.exists(call.variable, in: connection)) {
                    throw Problem(404, "No such job", "neither the catalog nor the job files have it")
                }
                throw Problem(409, "Not runnable", "runner web was not started with its job file")
            }
            return try body(file, connection)
        } then: { result in
            do {
                try done(try result.get())
            } catch {
                self.refuse(call, error)
            }
        }
    }
}
