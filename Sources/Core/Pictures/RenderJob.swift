package import Files
package import Jobs
package import MediaProtocol
package import Model
package import SQLite
import System

/// A run in which pictures are made: one that fails makes its item a failed one. Confined to the catalog's queue.
package protocol PicturesRun: AnyObject, Sendable {
    var figures: RunFigures { get }

    /// Sets the sums back to what they were before a transaction that failed.
    func restore(_ figures: RunFigures)

    /// Takes an item that had a good outcome for a failed one; false when it had none.
    func uncount(_ outcome: TransferOutcome, ofItem id: Int64, on catalog: Connection) throws -> Bool
    /// Writes the sums so far.
    func writeFigures(on catalog: Connection) throws
    /// To be called once rows are committed: the sums so far as an event; nil where nobody wants them.
    func committed() -> RunEvent?
}

/// A job whose stored files become pictures: in a run, or by itself.
package final class RenderJob: Sendable {
    package let name: String
    /// nil outside of a run.
    let run: Int64?
    let output: OutputDirectory
    let settings: RenderSettings
    /// Whether files and rows are flushed together.
    let isDurable: Bool
    /// Whether pictures are made that are there, and those tried again that could not be made.
    let isForced: Bool
    let secrets: Secrets
    /// The ledger of the run, which counts a failed picture as a failed item.
    let ledger: (any PicturesRun)?
    let state = Locked(State())

    /// The sums so far.
    package var figures: RenderFigures { state.withLock { $0.figures } }

    struct State {
        /// Items taken and not over.
        var open = 0
        var isStopped = false
        package var figures = RenderFigures()
        /// Why files have no pictures, as far as it was reported.
        var reasonsReported: Set<String> = []
        /// Resumed when nothing is open.
        var waiter: CheckedContinuation<Void, Never>?
    }

    package init(
        _ job: Job, _ settings: RenderSettings, run: Int64?, output: OutputDirectory, ledger: (any PicturesRun)?,
        isForced: Bool
    ) {
        name = job.name
        self.run = run
        self.output = output
        self.settings = settings
        isDurable = job.transfer.durability == .batch
        self.isForced = isForced
        secrets = job.trust.secrets
        self.ledger = ledger
    }

    /// Why a job with `media:` does not run where nothing can make pictures.
    package static let missing =
        "the job has media:, and runner-media, which makes the pictures, is not there: 'make media' builds it, and "
        + "$RUNNER_MEDIA names another place; without media: the job runs"

    /// Waits until all items taken so far are over.
    package func waitUntilDone() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.open > 0 else { return true }
                state.waiter = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Counts items as over.
    func close(_ count: Int, _ change: (inout RenderFigures) -> Void = { _ in }) {
        let waiter = state.withLock { state in
            change(&state.figures)
            state.open -= count
            guard state.open == 0 else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    package var isStopped: Bool { state.withLock { $0.isStopped } }

    package func stop() {
        state.withLock { $0.isStopped = true }
    }
}

/// What became of the items of which pictures were to be made.
package struct RenderFigures: Sendable, Hashable {
    /// Items whose pictures were made, and how many pictures.
    package var rendered = 0
    package var pictures = 0
    /// Items whose pictures were there, and items that none are made of.
    package var unchanged = 0
    package var failed = 0
    /// Items whose turn did not come, or that could not be tried.
    package var left = 0
    /// Why items could not be tried.
    package var trouble: String?

    package init() {}
}

/// A stored file of which pictures are to be made.
struct RenderTask: Sendable {
    let job: RenderJob
    let item: Int64
    let key: String
    let collectionID: Int64
    let title: String
    let path: RelativePath
    let mediaType: String?
    /// What the file has by its row, in bytes.
    let size: Int64
    let sha256: String

    var activity: ItemRendering.Activity { mediaType == "application/zip" ? .unzipping : .rendering }
}

/// What a task came to.
struct RenderResult: Sendable {
    struct Picture: Sendable {
        let rendered: RenderedPicture
        let file: PendingPicture
    }

    let task: RenderTask
    var pictures: [Picture] = []
    /// Why some pictures are missing. Of several faults the one counts that the job file can do something about, else the
    /// first.
    var faults: [RenderFault] = []
    /// The item was not tried: nothing is to be recorded.
    var isLeft = false

    /// The fault that makes the item a failed one. That there are no pictures of a type is none.
    var failure: (word: FailureWord, detail: String)? {
        let fault = faults.first { $0.kind == .tooLarge } ?? faults.first { $0.kind != .unsupported }
        guard let fault else { return nil }
        let others = faults.count > 1 ? "; \(faults.count - 1) more \(faults.count == 2 ? "fault" : "faults")" : ""
        return (FailureWord(fault.kind), fault.detail + others)
    }

    /// Why there are no pictures.
    var detail: String? { failure?.detail ?? faults.first?.detail }
}

extension FailureWord {
    fileprivate init(_ kind: RenderFault.Kind) {
        self =
            switch kind {
            case .corrupt, .unsupported: .corrupt
            case .tooLarge: .tooLarge
            case .timeout: .timeout
            }
    }
}
