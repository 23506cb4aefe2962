import Files
import HTTP
import MediaProtocol
import SQLite

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
            let found = try catalog.first(
                """
                SELECT key, title, path, media_type, item.sha256, size, rendering.failure, rendering.detail,
                    \(PictureRows.isCurrent), collection_id
                FROM item LEFT JOIN rendering ON item_id = id WHERE id = ? AND state = 'stored'
                """, settings.fingerprint, settings.shape, id
            ) { row in
                (
                    key: try row[0] as String, title: try row[1] as String, path: try row[2] as String?,
                    type: try row[3] as String?, sha256: try row[4] as String?, size: try row[5] as Int64?,
                    failure: try row[6] as String?, detail: try row[7] as String?, isCurrent: try row[8] as Bool?,
                    collection: try row[9] as Int64
                )
            }
            guard let found, let path = found.path.flatMap({ try? RelativePath(validating: $0) }),
                let sha256 = found.sha256, let size = found.size
            else {
                figures.unchanged += 1
                continue
            }
            guard found.isCurrent == true, !isForced else {
                tasks.append(
                    RenderTask(
                        job: self, item: id, key: found.key, collectionID: found.collection, title: found.title,
                        path: path, mediaType: found.type, size: size, sha256: sha256))
                continue
            }
            if let word = found.failure.flatMap(FailureWord.init(rawValue:)) {
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
            // What can't be removed is in nobody's way.
            for path in superseded { try? PictureRows.removeUnclaimed(path, of: name, in: output, on: catalog) }
            if figures.failed > 0, let progress = ledger?.committed() { events.append(progress) }
            close(results.count) { $0.add(figures) }
            return events
        } catch {
            if let before { ledger?.figures = before }
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
        let before = try catalog.rows("SELECT path FROM picture WHERE item_id = ?", id) { try $0[0] as String }
        let sha256: String? = try catalog.value("SELECT sha256 FROM item WHERE id = ? AND sha256 IS NOT NULL", id)
        // Replaced or removed meanwhile: another task is due for what is there.
        guard sha256 == result.task.sha256 else { return result.pictures.map(\.file.path) }
        try catalog.run("DELETE FROM picture WHERE item_id = ?", id)
        for picture in result.pictures {
            let rendered = picture.rendered
            try catalog.run(
                """
                INSERT OR REPLACE INTO picture (item_id, position, name, kind, path, width, height, size, sha256)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, id, rendered.position, rendered.name, rendered.kind.rawValue, picture.file.path,
                rendered.width, rendered.height, picture.file.size, picture.file.digest.hex)
        }
        let failure = result.failure
        if failure == nil { try forgetFailure(id, on: catalog) }
        try catalog.run(
            """
            INSERT OR REPLACE INTO rendering (item_id, sha256, settings, rendered_at, failure, detail)
            VALUES (?, ?, ?, ?, ?, ?)
            """, id, result.task.sha256, settings.fingerprint, now, failure?.word.rawValue,
            result.detail.map(secrets.hide))
        if let failure { try fail(id, failure, on: catalog) }
        return before
    }

    /// Makes an item a failed one. Its file stays; in a run its transfer's row says why it failed all the same.
    private func fail(_ id: Int64, _ failure: (word: FailureWord, detail: String), on catalog: Connection) throws {
        try catalog.run(
            "UPDATE item SET failure = ?, is_unsettled = 1 WHERE id = ?", failure.word.rawValue, id)
        guard let run, let ledger else { return }
        let outcome: String? = try catalog.value(
            "SELECT outcome FROM transfer WHERE run_id = ? AND item_id = ?", run, id)
        guard let outcome = outcome.flatMap(TransferOutcome.init(rawValue:)),
            try ledger.uncount(outcome, ofItem: id, on: catalog)
        else { return }
        try catalog.run(
            "UPDATE transfer SET outcome = 'failed', failure = ?, detail = ? WHERE run_id = ? AND item_id = ?",
            failure.word.rawValue, secrets.hide(Self.remark + failure.detail), run, id)
        try ledger.writeFigures(on: catalog)
    }

    /// Takes away what ``fail(_:_:on:)`` wrote of an item whose pictures could not be made before and now are. What its
    /// latest transfer failed by stays.
    private func forgetFailure(_ id: Int64, on catalog: Connection) throws {
        try catalog.run(
            """
            UPDATE item SET failure = NULL, is_unsettled = 0
            WHERE id = ? AND failure = (SELECT rendering.failure FROM rendering WHERE item_id = item.id)
                AND coalesce((
                    SELECT transfer.outcome IN ('failed', 'cancelled')
                        AND coalesce(transfer.detail, '') NOT LIKE '\(Self.remark)%'
                    FROM run CROSS JOIN transfer ON run_id = run.id AND item_id = item.id
                    WHERE run.job = item.job ORDER BY run.id DESC LIMIT 1), 0) = 0
            """, id)
    }

    /// What the detail of a transfer begins with whose file is good and whose pictures are not.
    private static let remark = "rendering failed: "

    private func left(_ task: RenderTask, now: Int64) -> RunEvent {
        .itemRendered(
            ItemRendered(
                run: run, job: name, at: now, item: task.item, key: task.key, title: task.title, pictures: 0,
                detail: "left for another run"))
    }

    /// Why a file has no picture although nothing failed, the first time that a file has none for this reason.
    private func reasonForNone(_ result: RenderResult) -> String? {
        guard result.pictures.isEmpty, result.failure == nil, let reason = result.detail else { return nil }
        return state.withLock { $0.reasonsTold.insert(reason).inserted } ? reason : nil
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

extension RunLedger {
    /// Takes an item that had a good outcome for a failed one; false when it had none.
    func uncount(_ outcome: TransferOutcome, ofItem id: Int64, on catalog: Connection) throws -> Bool {
        switch outcome {
        case .downloaded: figures.downloaded -= 1
        case .unchanged: figures.unchanged -= 1
        case .fresh: figures.fresh -= 1
        case .evicted, .failed, .cancelled: return false
        }
        figures.failed += 1
        let collection: Int64? = try catalog.value("SELECT collection_id FROM item WHERE id = ?", id)
        if let collection { countFailure(ofCollection: collection) }
        return true
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
