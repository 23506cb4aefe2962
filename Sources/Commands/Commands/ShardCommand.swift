import Catalog
import JSON
import Jobs
import Model
import Reports
import Run
import Shards
import Synchronization

/// `runner shard run`: one machine's part, and one line of JSON at its end.
struct ShardCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard options.operands[0] == "run" else {
            return context.refuse(
                "shard can only 'run', not '\(displayable(options.operands[0]))'", usage: Command.shard.usage)
        }
        let console = console
        let file = options.operands[1]
        var session = SessionOptions(database: "", runnerVersion: runnerVersion, environment: context.environment)
        session.deadline = options.deadline
        // What a signal stops before the session is there.
        let stopping = Mutex<(session: Session?, isStopped: Bool)>((nil, false))
        let signals = SignalWatch(
            stop: { name in
                console.tell("\(name): no new transfers; a second signal stops those in flight")
                stopping.withLock { state in
                    state.isStopped = true
                    state.session?.stop()
                }
            }, abort: { stopping.withLock { $0.session?.abort() } })
        defer { signals.cancel() }
        do {
            let loader = JobLoader(registry: context.registry, environment: context.environment)
            let work = try ShardWork(file, output: options.output, loader: loader, options: session) {
                console.tell($0)
            }
            let ending = try await work.run(interval: options.checkpoint) { session in
                stopping.withLock { state in
                    state.session = session
                    if state.isStopped { session.stop() }
                }
            }
            let code = print(ending)
            if let fault = ending.fault {
                console.complain("shard \(ending.number): \(fault)")
                return .failed
            }
            return code == .success && !ending.isFinished ? .partial : code
        } catch ShardWork.Refusal.job(let lines) {
            lines.forEach(console.tell)
            return .invalidJob
        } catch ShardWork.Refusal.unreadable(let reason) {
            console.complain(reason)
            return .locked
        } catch ShardWork.Refusal.foreign(let reason) {
            return context.refuse(reason, usage: Command.shard.usage)
        } catch ShardWork.Refusal.fault(let reason) {
            console.complain(reason)
            return .failed
        } catch {
            console.complain("\(displayable(file)): \(error)")
            return .failed
        }
    }

    private func print(_ ending: ShardWork.Ending) -> ExitCode {
        var json = JSONWriter()
        json.beginObject()
        json.member("run", ending.run)
        json.member("shard", Int64(ending.number))
        json.member("attempt", Int64(ending.attempt))
        json.member("node", ending.node)
        json.member("items", Int64(ending.items))
        json.member("left", Int64(ending.items - ending.settled))
        json.member("downloaded", Int64(ending.figures.downloaded))
        json.member("unchanged", Int64(ending.figures.unchanged))
        json.member("failed", Int64(ending.figures.failed))
        json.member("wire_bytes", ending.figures.wireBytes)
        json.member("duration_us", ending.time)
        json.member("file", ending.file)
        json.endObject()
        json.endLine()
        return console.deliver { try console.output.write(json.bytes) }
    }
}
