import Files
import HTTP

/// Making pictures of what a run stores, beside its downloads.
extension JobRun {
    func beginRendering(_ ledger: RunLedger) async throws -> RenderJob? {
        guard let settings = job.media, let rendering else { return nil }
        let output = ledger.context.output
        try output.removeUnfinishedPictures()
        let pictures = RenderJob(
            job, settings, run: ledger.context.run, output: output, ledger: ledger,
            isForced: options.selection.isRefreshing || options.selection.isFailedOnly)
        try await store.perform { _ in
            ledger.onStored = { [weak pictures] items in
                if let pictures { rendering.add(items, of: pictures) }
            }
        }
        return pictures
    }

    /// Waits for the pictures of what was stored.
    func finishRendering() async -> RenderFigures {
        guard let pictures = state.withLock({ $0.pictures }) else { return RenderFigures() }
        await pictures.waitUntilDone()
        return pictures.state.withLock { $0.figures }
    }
}
