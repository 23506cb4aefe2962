import Catalog
import Files
import MediaProtocol
import Model
import SQLite
import System

// What rendering reads and writes in the catalog; all of it on the catalog's queue.
extension RenderJob {
    /// Looks what there is to do for items: a task for each whose pictures are missing, or were made of other bytes or with
    /// other settings.
    ///
    /// - Returns: the tasks, and events of those whose pictures could not be made before.
    func tasks(for items: [Int64], on catalog: Connection, now: Int64) throws -> ([RenderTask], [RunEvent]) {
        var tasks: [RenderTask] = []
        var events: [RunEvent] = []
        var figures = RenderFigures()
        for id in items {
            guard let found = try RenderingRows.item(id, settings, on: catalog),
                let path = found.path.flatMap({ try? RelativePath(validating: $0) }),
                let sha256 = found.sha256, let size = found.size
            else {
                figures.unchanged += 1
                continue
            }
            guard found.isCurrent, !isForced else {
                tasks.append(
                    RenderTask(
                        job: self, item: id, key: found.key, collectionID: found.collection, title: found.title,
                        path: path, mediaType: found.mediaType, size: size, sha256: sha256))
                continue
            }
            if let word = found.failure {
                // The same bytes would fail in the same way.
                figures.failed += 1
                let failure = (word, found.detail ?? word.explanation)
                try catalog.transaction { try fail(id, failure, on: catalog) }
                events.append(rendered(id, found.key, found.title, pictures: 0, failure, now: now))
            } else {
                figures.unchanged += 1
            }
        }
        if figures.failed > 0, let progress = ledger?.committed() { events.append(progress) }
        close(items.count - tasks.count) { $0.add(figures) }
        return (tasks, events)
    }

    /// Names the pictures of a batch and writes their rows: files first.
    func record(_ results: [RenderResult], on catalog: Connection, now: Int64) -> [RunEvent] {
        let before = ledger?.figures
        do {
            if isDurable { try output.flushData() }
            for picture in results.flatMap(\.pictures) { try output.publish(picture.file) }
            if isDurable { try output.flushFolders() }
            try catalog.setSynchronous(isDurable ? .full : .normal)
            var superseded: Set<String> = []
            var figures = RenderFigures()
            var events: [RunEvent] = []
            try catalog.transaction {
                for result in results {
                    guard !result.isLeft else {
                        figures.left += 1
                        superseded.formUnion(result.pictures.map(\.file.path))
                        events.append(left(result.task, now: now))
                        continue
                    }
                    superseded.formUnion(try write(result, on: catalog, now: now))
                    figures.count(result)
                    let task = result.task
                    if let reason = reasonForNone(result) { events.append(pictureless(task, reason, now: now)) }
                    events.append(
                        rendered(
                            task.item, task.key, task.title, pictures: result.pictures.count, result.failure, now: now))
                }
            }
            // Best effort: a file that cannot be removed is harmless.
            for path in superseded { try? PictureRows.removeUnclaimed(path, of: name, in: output, on: catalog) }
            if figures.failed > 0, let progress = ledger?.committed() { events.append(progress) }
            close(results.count) { $0.add(figures) }
            return events
        } catch {
            if let before { ledger?.restore(before) }
            // Without rows they are made again; equal bytes get the same names.
            for picture in results.flatMap(\.pictures) { picture.file.discard(in: output) }
            let trouble = secrets.hide(String(describing: error))
            close(results.count) { figures in
                figures.left += results.count
                figures.trouble = figures.trouble ?? trouble
            }
            return []
        }
    }

    /// Writes the rows of one item.
    ///
    /// - Returns: the paths of the pictures that it had before.
    private func write(_ result: RenderResult, on catalog: Connection, now: Int64) throws -> [String] {
        let id = result.task.item
        let before = try PictureRows.paths(ofItem: id, on: catalog)
        // Replaced or removed meanwhile: another task is due for what is there.
        guard try RenderingRows.sha256(ofItem: id, on: catalog) == result.task.sha256 else {
            return result.pictures.map(\.file.path)
        }
        try PictureRows.replace(
            ofItem: id, with: result.pictures.lazy.map { ($0.rendered, $0.file) }, on: catalog)
        let failure = result.failure
        if failure == nil { try RenderingRows.forgetFailure(ofItem: id, on: catalog) }
        try RenderingRows.enter(
            item: id, sha256: result.task.sha256, settings, failure: failure?.word,
            detail: result.detail.map(secrets.hide), on: catalog, now: now)
        if let failure { try fail(id, failure, on: catalog) }
        return before
    }

    /// Makes an item a failed one. Its file stays; in a run its transfer's row says why it failed all the same.
    private func fail(_ id: Int64, _ failure: (word: FailureWord, detail: String), on catalog: Connection) throws {
        try RenderingRows.fail(item: id, failure.word, on: catalog)
        guard let run, let ledger,
            let outcome = try RenderingRows.outcome(ofItem: id, inRun: run, on: catalog),
            try ledger.uncount(outcome, ofItem: id, on: catalog)
        else { return }
        try RenderingRows.failTransfer(
            ofItem: id, inRun: run, failure.word,
            detail: secrets.hide(RenderingRows.failureRemark + failure.detail), on: catalog)
        try ledger.writeFigures(on: catalog)
    }

    private func left(_ task: RenderTask, now: Int64) -> RunEvent {
        .itemRendered(
            ItemRendered(
                run: run, job: name, at: now, item: task.item, key: task.key, title: task.title, pictures: 0,
                detail: "left for another run"))
    }

    /// Why a file has no picture although nothing failed, the first time that a file has none for this reason.
    private func reasonForNone(_ result: RenderResult) -> String? {
        guard result.pictures.isEmpty, result.failure == nil, let reason = result.detail else { return nil }
        return state.withLock { $0.reasonsReported.insert(reason).inserted } ? reason : nil
    }

    private func pictureless(_ task: RenderTask, _ reason: String, now: Int64) -> RunEvent {
        let message = "\(task.path.text) is stored without a picture: \(reason); this is said once"
        return .warning(RunWarning(job: name, at: now, message: secrets.hide(message)))
    }

    private func rendered(
        _ item: Int64, _ key: String, _ title: String, pictures: Int,
        _ failure: (word: FailureWord, detail: String)?, now: Int64
    ) -> RunEvent {
        .itemRendered(
            ItemRendered(
                run: run, job: name, at: now, item: item, key: key, title: title, pictures: pictures,
                failure: failure?.word,
                detail: failure.map { secrets.hide($0.detail) }))
    }
}

extension RenderFigures {
    mutating func add(_ other: RenderFigures) {
        rendered += other.rendered
        pictures += other.pictures
        unchanged += other.unchanged
        failed += other.failed
        left += other.left
        trouble = trouble ?? other.trouble
    }

    fileprivate mutating func count(_ result: RenderResult) {
        pictures += result.pictures.count
        if result.failure != nil {
            failed += 1
        } else if result.pictures.isEmpty {
            unchanged += 1
        } else {
            rendered += 1
        }
    }
}
