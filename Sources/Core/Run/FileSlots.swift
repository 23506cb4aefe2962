package import Model

/// The items in flight, each in a place of its own that it keeps, so that rows don't jump. A value.
package struct FileSlots: Sendable {
    package struct File: Sendable {
        package let id: Int64
        package let key: String
        package let job: String
        package let collection: Int64
        package let title: String
        package var host: String
        package var stage: ItemActivity.Stage
        package var attempt: Int
        package var received: Int64
        package var total: Int64?
        /// Bytes a second, of about the last second; nil before anything could be measured.
        package var rate: Double?
        /// The model's when the file changed last.
        package var version = 0
        fileprivate var time: Int64

        package var expected: Int64? { ItemActivity.expected(total, stage) }
        package var percent: Int64? { ItemActivity.percent(received, of: expected) }
    }

    /// nil: a place that waits for the next item.
    package private(set) var places: [File?] = []
    package private(set) var count = 0

    /// When the last place was in use last.
    private var lastUse: Int64 = 0

    /// How much the newest sample counts for in a file's rate.
    private static let weight = 0.3
    /// Microseconds for which empty places at the end are kept: most are taken again at once.
    private static let patience: Int64 = 1_000_000

    package init() {}

    /// Takes what is in flight, in the order of ids.
    ///
    /// - Parameters:
    ///   - time: microseconds of a monotonic clock.
    ///   - version: the model's from now on.
    /// - Returns: what is in flight no more.
    @discardableResult
    package mutating func apply(_ items: [ItemActivity], at time: Int64, version: Int = 0) -> [File] {
        var byID: [Int64: ItemActivity] = [:]
        for item in items { byID[item.id] = item }
        var gone: [File] = []
        for place in places.indices {
            guard let file = places[place] else { continue }
            places[place] = byID.removeValue(forKey: file.id).map { updated(file, $0, time, version) }
            if places[place] == nil { gone.append(file) }
        }
        var place = 0
        for item in items where byID[item.id] != nil {
            while place < places.count, places[place] != nil { place += 1 }
            if place == places.count { places.append(nil) }
            places[place] = added(item, time, version)
        }
        count = items.count
        if places.last?.map({ _ in true }) == true { lastUse = time }
        if time - lastUse >= Self.patience {
            while let last = places.last, last == nil { places.removeLast() }
            lastUse = time
        }
        return gone
    }

    private func updated(_ old: File, _ item: ItemActivity, _ time: Int64, _ version: Int) -> File {
        var file = old
        let passed = time - old.time
        if item.received < old.received {
            // It began anew.
            file.rate = nil
        } else if passed > 0, item.stage == .receiving {
            let now = Double(item.received - old.received) * 1e6 / Double(passed)
            file.rate = old.rate.map { $0 + (now - $0) * Self.weight } ?? now
        }
        if item.received != old.received || item.stage != old.stage || item.total != old.total
            || item.attempt != old.attempt || item.host != old.host
        {
            file.version = version
        }
        file.host = item.host
        file.stage = item.stage
        file.attempt = item.attempt
        file.received = item.received
        file.total = item.total
        file.time = time
        return file
    }

    private func added(_ item: ItemActivity, _ time: Int64, _ version: Int) -> File {
        File(
            id: item.id, key: item.key, job: item.job, collection: item.collection, title: item.title, host: item.host,
            stage: item.stage, attempt: item.attempt, received: item.received, total: item.total, rate: nil,
            version: version, time: time)
    }

    /// Bytes of the items in flight that are there.
    var received: Int64 { places.reduce(0) { $0 + ($1?.received ?? 0) } }

    /// Bytes that the items in flight have yet to bring; nil when the length of one is unknown.
    var remaining: Int64? {
        var sum: Int64 = 0
        for case let file? in places {
            guard let total = file.total else { return nil }
            let (next, isTooMuch) = sum.addingReportingOverflow(max(0, total) - min(file.received, max(0, total)))
            if isTooMuch { return .max }
            sum = next
        }
        return sum
    }
}
