import Dispatch
import HTTP
import JSON
import Model
import Run
import Server
import System

/// The event streams of one run: at most five times a second each gets what has changed since its last event. One whose
/// client does not take what was sent gets nothing until it does, and then what has changed meanwhile.
final class RunStreams: Sendable {
    /// Milliseconds between two events.
    private static let interval = 200
    /// Microseconds for which the model is kept up to date after the last one who watched: who comes back gets what was missed.
    static let linger: Int64 = 10_000_000

    private struct Entry {
        let stream: EventStream
        /// What the client has.
        var version: Int
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var timer: (any DispatchSourceTimer)?
        var isFinished = false
    }

    private let run: RunHandle
    private let queue = DispatchQueue(label: "control streams")
    // Reason for `nonisolated(unsafe)`: used on the queue alone.
    nonisolated(unsafe) private var state = State()

    init(_ run: RunHandle) {
        self.run = run
    }

    /// Begins a stream.
    ///
    /// - Parameter last: the last event that the client has; nil for a new one.
    func begin(after last: Int?, _ answer: @escaping @Sendable (Response) -> Void) {
        run.live.join { [self] in
            queue.async {
                guard !self.state.isFinished else {
                    self.leave()
                    return answer(Problem(409, "The run is over", "there is nothing more to watch").response)
                }
                let stream = EventStream { [weak self] in self?.ended() }
                stream.push(Array("retry: 2000\n\n".utf8))
                self.state.entries[ObjectIdentifier(stream)] = Entry(stream: stream, version: last ?? -1)
                self.send(ObjectIdentifier(stream))
                self.startTimer()
                answer(.events(stream))
            }
        }
    }

    /// Sends what is left and the end.
    func finish(_ done: @escaping @Sendable () -> Void) {
        run.live.settle { [self] in
            queue.async {
                for id in self.state.entries.keys { self.send(id) }
                for entry in self.state.entries.values {
                    if let end = self.finished { entry.stream.push(end) }
                    entry.stream.finish()
                }
                self.state.isFinished = true
                self.state.timer?.cancel()
                self.state.timer = nil
                done()
            }
        }
    }

    private var finished: ServerEvent? {
        guard let view = run.live.view(of: run.job) else { return nil }
        var json = JSONWriter()
        json.beginObject()
        StatusJSON.begin(run, view, &json)
        json.member("outcome", view.changes.job.outcome?.rawValue)
        json.endObject()
        return ServerEvent("finished", id: "\(view.changes.version)", data: json.bytes)
    }

    private func send(_ id: ObjectIdentifier) {
        guard let entry = state.entries[id], entry.stream.backlog == 0 else { return }
        let isNew = entry.version < 0
        let changes = isNew ? nil : run.live.view(of: run.job, since: entry.version)
        if let changes {
            guard !changes.changes.isEmpty else { return }
            push(
                ServerEvent("change", id: "\(changes.changes.version)", data: StatusJSON.change(run, changes)), id,
                changes)
        } else if let view = run.live.view(of: run.job) {
            push(ServerEvent("snapshot", id: "\(view.changes.version)", data: StatusJSON.snapshot(run, view)), id, view)
        }
    }

    private func push(_ event: ServerEvent, _ id: ObjectIdentifier, _ view: LiveView) {
        guard let entry = state.entries[id] else { return }
        entry.stream.push(event)
        state.entries[id]?.version = view.changes.version
    }

    private func startTimer() {
        guard state.timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.milliseconds(Self.interval)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.activate()
        state.timer = timer
    }

    private func tick() {
        for (id, entry) in state.entries {
            if entry.stream.isOver { state.entries[id] = nil } else { send(id) }
        }
        guard state.entries.isEmpty else { return }
        state.timer?.cancel()
        state.timer = nil
    }

    /// A stream has ended, whoever ended it.
    private func ended() {
        Timers.after(Self.linger) { self.leave() }
    }

    private func leave() {
        run.live.leave()
    }
}
