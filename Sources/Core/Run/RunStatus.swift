import Jobs
package import Model

/// What a run is at.
package enum RunState: String, Sendable {
    case listing, running, paused, stopping, finished
}

/// One job of a model as of one moment, or what of it has changed since a version.
package struct RunChanges: Sendable {
    /// An item that has left the network, and what it came to, once that is in the catalog.
    package struct Ended: Sendable {
        package let id: Int64
        package let outcome: TransferOutcome?
    }

    /// The model's version that this brings a reader to.
    package let version: Int
    package let job: RunModel.Job
    package let state: RunState
    /// Whether state and limits, counts, or hosts have changed.
    package let hasControl: Bool
    package let hasCounts: Bool
    package let hasHosts: Bool
    package let collections: [CollectionList.Entry]
    /// All that is in flight, where some of it has changed.
    package let files: [LiveFile]
    package let hasFiles: Bool
    package let ended: [Ended]

    package var isEmpty: Bool {
        !hasControl && !hasCounts && !hasHosts && collections.isEmpty && !hasFiles && ended.isEmpty
    }
}

/// An item in flight.
package struct LiveFile: Sendable {
    package let file: FileSlots.File
    /// The key of its collection.
    package let collection: String?
}

/// A job of a model with what is measured of it.
package struct LiveView: Sendable {
    package let changes: RunChanges
    /// Bytes received, those of items in flight included.
    package let bytes: Int64
    /// Bytes and items a second, of late; nil before there is anything to measure.
    package let byteRate: Double?
    package let itemRate: Double?
    /// nil where it is unknown.
    package let secondsLeft: Double?
}

extension RunModel.Job {
    var state: RunState {
        if isFinished { return .finished }
        if isStopping { return .stopping }
        if isPaused { return .paused }
        return progress?.isListComplete == true ? .running : .listing
    }

    /// Items that have ended.
    package var done: Int { progress?.figures.items ?? 0 }
    package var listed: Int { max(progress?.listed ?? 0, done) }
}

extension RunModel {
    /// Everything that is known of a job now.
    func snapshot(of job: Int) -> RunChanges {
        changes(of: job, since: -1, ended: [])
    }

    /// What has changed of a job since a version; nil where that is too long ago.
    func changes(of job: Int, since version: Int) -> RunChanges? {
        guard version <= self.version, let entries = jobs[job].ended.since(version) else { return nil }
        // Of an item that left and ended the end counts; one that is in flight again has not left, though it may have ended
        // since that was published.
        let present = Set(files.places.compactMap { $0?.id })
        var outcomes: [Int64: TransferOutcome] = [:]
        for entry in entries { if let outcome = entry.outcome { outcomes[entry.id] = outcome } }
        var seen: Set<Int64> = []
        let ended = entries.reversed().compactMap { entry -> RunChanges.Ended? in
            guard entry.outcome != nil || !present.contains(entry.id), seen.insert(entry.id).inserted else {
                return nil
            }
            return RunChanges.Ended(id: entry.id, outcome: outcomes[entry.id])
        }
        return changes(of: job, since: version, ended: ended.reversed())
    }

    private func changes(of place: Int, since version: Int, ended: [RunChanges.Ended]) -> RunChanges {
        let job = jobs[place]
        let files = job.isFinished ? [] : files.places.compactMap { $0 }.filter { $0.job == job.name }
        let hasFiles = !ended.isEmpty || files.contains { $0.version > version }
        return RunChanges(
            version: self.version, job: job, state: job.state, hasControl: job.controlVersion > version,
            hasCounts: job.countsVersion > version, hasHosts: job.hostsVersion > version,
            collections: collections.entries.filter { $0.job == place && $0.version > version },
            files: hasFiles
                ? files.map { LiveFile(file: $0, collection: collections.key(of: $0.collection)) } : [],
            hasFiles: hasFiles, ended: ended)
    }

    /// Seconds until a job is done: once its list is complete, by the bytes that are left where all lengths are known,
    /// else by the items of the last seconds. nil where it is unknown.
    func secondsLeft(of place: Int, itemRate: Double?, byteRate: Double?) -> Double? {
        let job = jobs[place]
        guard job.state == .running, job.listed > job.done, let progress = job.progress else { return nil }
        if let total = progress.wanted.known {
            guard let byteRate, byteRate > 0 else { return nil }
            let inFlight = files.places.reduce(0) { $1?.job == job.name ? Self.sum($0, $1?.received ?? 0) : $0 }
            return Double(max(0, total - Self.sum(progress.ended.bytes, inFlight))) / byteRate
        }
        guard let itemRate, itemRate > 0 else { return nil }
        return Double(job.listed - job.done) / itemRate
    }

    /// Bytes that a job has received, those of its items in flight included.
    func bytes(of place: Int) -> Int64 {
        let job = jobs[place]
        let inFlight = files.places.reduce(0) { $1?.job == job.name ? Self.sum($0, $1?.received ?? 0) : $0 }
        return Self.sum(job.progress?.figures.wireBytes ?? 0, inFlight)
    }
}
