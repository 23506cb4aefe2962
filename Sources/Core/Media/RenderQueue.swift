import Dispatch
import Files
import Glibc
import HTTP
import MediaClient
import MediaProtocol
import SQLite

/// Makes pictures of stored items beside the downloads, in one process of `runner-media` for each processor. One for all
/// jobs of this process.
///
/// What waits is item numbers; whatever is needed of an item is read when its turn is near. So any number may wait.
final class RenderQueue: Sendable {
    /// Items that are looked up together, and tasks that are kept ready.
    private static let portion = 128
    /// Microseconds that finished pictures wait for others, so that they are flushed together.
    private static let delay = 250_000

    private struct State {
        var waiting = FIFO<(job: RenderJob, item: Int64)>()
        var isLookingUp = false
        var tasks = FIFO<RenderTask>()
        /// Numbers of workers that have nothing to do.
        var idle: [Int]
        var finished: [RenderResult] = []
        var isTimed = false
        /// Why no renderer can be started.
        var trouble: RenderProcess.StartError?
        /// Numbers pictures in the making.
        var pictures = 0
    }

    /// A renderer and the thread that waits for it.
    private final class Worker: Sendable {
        let queue: DispatchQueue
        /// Used on the queue, but to interrupt it.
        let process = Locked<RenderProcess?>(nil)

        init(_ number: Int) {
            queue = DispatchQueue(label: "render.\(number)")
        }
    }

    private let program: String
    private let store: CatalogStore
    private let events: @Sendable ([RunEvent]) -> Void
    private let workers: [Worker]
    private let state: Locked<State>

    /// - Parameters:
    ///   - program: the path of `runner-media`.
    ///   - events: takes what happens.
    init(program: String, store: CatalogStore, events: @escaping @Sendable ([RunEvent]) -> Void) {
        self.program = program
        self.store = store
        self.events = events
        let count = max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        workers = (0..<count).map { Worker($0) }
        state = Locked(State(idle: Array((0..<count).reversed())))
    }

    /// Takes stored items of a job.
    func add(_ items: [Int64], of job: RenderJob) {
        guard !items.isEmpty else { return }
        job.state.withLock { $0.open += items.count }
        state.withLock { state in
            for item in items { state.waiting.append((job, item)) }
        }
        lookUp()
    }

    /// Ends the renderers. To be called when no job has open items.
    func close() {
        for worker in workers {
            worker.queue.sync {
                worker.process.withLock { $0 = nil }
            }
        }
    }

    /// Breaks off what is being made.
    func abort() {
        for worker in workers { worker.process.withLock { $0 }?.interrupt() }
    }

    // MARK: What is to be done

    /// Finds the next tasks, unless enough are ready.
    private func lookUp() {
        let isDue = state.withLock { state in
            guard !state.isLookingUp, state.tasks.count < Self.portion, !state.waiting.isEmpty else { return false }
            state.isLookingUp = true
            return true
        }
        guard isDue else { return }
        store.enqueue { catalog in
            let items = self.state.withLock { state in
                (0..<min(Self.portion, state.waiting.count)).compactMap { _ in state.waiting.popFirst() }
            }
            let tasks = Dictionary(grouping: items) { ObjectIdentifier($0.job) }.values.flatMap { items in
                self.tasks(of: items[0].job, items.map(\.item), on: catalog)
            }
            self.state.withLock { state in
                for task in tasks { state.tasks.append(task) }
                state.isLookingUp = false
            }
            self.startWorkers()
            self.lookUp()
        }
    }

    private func tasks(of job: RenderJob, _ items: [Int64], on catalog: Connection) -> [RenderTask] {
        guard !job.isStopped else {
            job.close(items.count) { $0.left += items.count }
            return []
        }
        do {
            let (tasks, events) = try job.tasks(for: items, on: catalog, now: wallClockMicroseconds())
            self.events(events)
            return tasks
        } catch {
            let trouble = job.secrets.hide("the catalog can't be read: \(error)")
            job.close(items.count) { figures in
                figures.left += items.count
                figures.trouble = figures.trouble ?? trouble
            }
            return []
        }
    }

    private func startWorkers() {
        let started = state.withLock { state in
            let count = min(state.idle.count, state.tasks.count)
            defer { state.idle.removeLast(count) }
            return state.idle.suffix(count).map { workers[$0] }
        }
        for worker in started { worker.queue.async { self.work(worker) } }
    }

    /// Does tasks until there are none. On the worker's queue.
    private func work(_ worker: Worker) {
        useAllProcessors()
        while true {
            let task = state.withLock { state in
                let task = state.tasks.popFirst()
                if task == nil, let number = workers.firstIndex(where: { $0 === worker }) { state.idle.append(number) }
                return task
            }
            guard let task else { break }
            lookUp()
            finish(task.job.isStopped ? RenderResult(task: task, isLeft: true) : render(task, worker))
        }
        // A task may have come after the last look.
        startWorkers()
    }

    // MARK: One task

    private func render(_ task: RenderTask, _ worker: Worker) -> RenderResult {
        var result = RenderResult(task: task)
        events([
            .itemRendering(
                ItemRendering(
                    run: task.job.run, job: task.job.name, at: wallClockMicroseconds(), item: task.item, key: task.key,
                    collectionID: task.collectionID, title: task.title, activity: task.activity))
        ])
        do {
            do {
                try make(&result, worker)
            } catch let end as RenderProcess.Ended where end.isWorthAnotherTry {
                discardPictures(of: &result)
                try make(&result, worker)
            }
        } catch let error as FileError where error.isAbsent {
            // Gone since it was listed; the next run fetches it again.
            result.isLeft = true
        } catch let end as RenderProcess.Ended {
            discardPictures(of: &result)
            if end.isOwnDoing {
                // Twice, in two processes: it is the file.
                result.faults = [RenderFault(.corrupt, end.description)]
            } else {
                result.isLeft = true
                note("'\(task.key)': \(end)", task.job)
            }
        } catch {
            result.isLeft = true
            note("\(error)", task.job)
        }
        return result
    }

    /// Has the pictures of a file made.
    ///
    /// - Throws: what kept them from being made, of which nothing is to be remembered but the renderer's own end.
    private func make(_ result: inout RenderResult, _ worker: Worker) throws {
        let process = try process(of: worker)
        let (job, path, size) = (result.task.job, result.task.path, result.task.size)
        var current: (picture: RenderedPicture, writer: PictureWriter)?
        var pictures: [RenderResult.Picture] = []
        defer { result.pictures = pictures }
        let file = try job.output.readableFile(at: path)
        // Changed by somebody else; the next run fetches it again.
        guard file.size == size else {
            result.isLeft = true
            return
        }
        result.faults = try process.render(
            file: file.descriptor, job.settings,
            begin: { picture in
                let writer = try PictureWriter(
                    in: job.output, number: nextNumber(), extension: picture.fileExtension)
                current = (picture, writer)
            },
            append: { bytes in
                guard let (picture, writer) = current else { return }
                try writer.append(bytes)
                // One that does not come to its end is removed with its writer.
                guard writer.size == Int64(picture.size) else { return }
                pictures.append(RenderResult.Picture(rendered: picture, file: writer.finish()))
                current = nil
            })
        result.isLeft = process.wasInterrupted
    }

    private func discardPictures(of result: inout RenderResult) {
        for picture in result.pictures { picture.file.discard(in: result.task.job.output) }
        result.pictures = []
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.pictures += 1
            return state.pictures
        }
    }

    /// The worker's renderer, started anew when it has died.
    private func process(of worker: Worker) throws(RenderProcess.StartError) -> RenderProcess {
        if let process = worker.process.withLock({ $0 }), process.isAlive, !process.wasInterrupted {
            return process
        }
        // Where one can't be started, no other is tried.
        if let error = state.withLock({ $0.trouble }) { throw error }
        do throws(RenderProcess.StartError) {
            let process = try start()
            worker.process.withLock { $0 = process }
            return process
        } catch {
            state.withLock { $0.trouble = $0.trouble ?? error }
            throw error
        }
    }

    /// Starts a renderer, once more when it is killed from outside.
    private func start() throws(RenderProcess.StartError) -> RenderProcess {
        do throws(RenderProcess.StartError) {
            return try RenderProcess(program: program)
        } catch  where error.isTransient {
            return try RenderProcess(program: program)
        }
    }

    private func note(_ trouble: String, _ job: RenderJob) {
        let trouble = job.secrets.hide(trouble)
        job.state.withLock { $0.figures.trouble = $0.figures.trouble ?? trouble }
    }

    // MARK: Results

    private func finish(_ result: RenderResult) {
        // Nothing more comes of a run that only waits for its pictures.
        let isAwaited = result.task.job.state.withLock { $0.waiter != nil }
        let (isFirst, isDue) = state.withLock { state in
            state.finished.append(result)
            defer { state.isTimed = true }
            let isLast = isAwaited && state.tasks.isEmpty && state.waiting.isEmpty && !state.isLookingUp
            return (!state.isTimed, isLast || state.finished.count >= Self.portion)
        }
        if isDue {
            store.enqueue { self.record(on: $0) }
        } else if isFirst {
            store.enqueue(after: Self.delay) { self.record(on: $0) }
        }
    }

    private func record(on catalog: Connection) {
        let finished = state.withLock { state in
            defer {
                state.finished = []
                state.isTimed = false
            }
            return state.finished
        }
        for results in Dictionary(grouping: finished, by: { ObjectIdentifier($0.task.job) }).values {
            events(results[0].task.job.record(results, on: catalog, now: wallClockMicroseconds()))
        }
    }
}
