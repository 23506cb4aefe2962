/// What a catalog, its output directory and their runs must be: written after the contract, in the plainest way, and
/// knowing nothing of how the program does it.
struct Model: Sendable {
    /// An entry of the list.
    struct Entry: Sendable {
        /// Tells entries apart whose other values are equal.
        let number: Int
        var resource: Int
        var title: String
        var collection: Int
        var expectedContent: String?
    }

    /// The job file.
    struct Job: Sendable {
        var template = ModelTemplate.all[0]
        var directory = "out"
        var refresh = "changed"
        var limit: Int?
        var deduplicates = false
        var hasSidecars = false
    }

    /// A row of the table `item`.
    struct Item: Sendable {
        let key: String
        var collection: Int
        var url: String
        var title: String
        var expectedContent: String?
        var stem: String
        var template: String
        var path: String?
        var `extension`: String?
        var size: Int?
        var digest: String?
        var storedURL: String?
        var etag: String?
        var date: String?
        /// The day on which it is fresh no more.
        var expires: Int?
        var state = "pending"
        var failure: String?
        /// Whether `--failed` takes it.
        var isUnsettled = true
        /// The day from which a permanent failure is asked again.
        var askedAgain: Int?
        /// With what the server answered then.
        var failedStatus: Int?
        /// By the program's clock, which the model takes from the rows.
        var storedAt: Int64?
        var viewedAt: Int64?
        /// The metadata file beside its own.
        var sidecar: Sidecar?

        var lastUse: Int64 { max(storedAt ?? 0, viewedAt ?? 0) }
    }

    /// A row of the table `transfer`.
    struct Transfer: Hashable, Sendable, CustomStringConvertible {
        var outcome: String
        var failure: String?
        var attempts = 0
        var status: Int?

        var description: String {
            "\(outcome) \(failure ?? "-") \(attempts) \(status.map(String.init) ?? "-")"
        }
    }

    /// What a run must come to.
    struct Expectation: Sendable {
        var transfers: [String: Transfer] = [:]
        /// What a plan says of each item.
        var actions: [String: String] = [:]
        var requests: [ModelSite.Request] = []
        var bodyBytes = 0
        var savedBytes = 0
        var freedFiles = 0
        var freedBytes = 0

        var outcome: String {
            transfers.values.contains { $0.outcome == "failed" || $0.outcome == "cancelled" } ? "partial" : "complete"
        }
    }

    /// In the order in which they became known.
    var items: [Item] = []
    /// What is in the output directory, the program's own folder left out.
    var files: [String: [UInt8]] = [:]
    /// Which names are of one file.
    var inodes: [String: Int] = [:]
    var day = 0
    var isJobKnown = false

    /// The file of an item, where it is there with its size.
    func stored(_ item: Item) -> [UInt8]? {
        guard let path = item.path, let size = item.size, item.digest != nil, let file = files[path],
            file.count == size
        else { return nil }
        return file
    }

    /// Whether an item has the file that its row tells.
    func isIntact(_ item: Item) -> Bool {
        stored(item).map(modelDigest) == item.digest && item.digest != nil
    }

    // MARK: Names

    private func isTaken(_ stem: String) -> Bool {
        items.contains { $0.stem.lowercased() == stem.lowercased() }
    }

    /// The first free one of a name's numbers after `number`.
    private func free(_ stem: String, after number: inout Int) -> String {
        while true {
            number += 1
            let candidate = ModelTemplate.numbered(stem, number)
            if !isTaken(candidate) { return candidate }
        }
    }

    /// A name for an item, or the same with the first number that no other has; whoever has it by another template makes
    /// way in a run of the whole list.
    private mutating func claim(_ stem: String, for index: Int?, _ job: Job, isWhole: Bool) -> String {
        var candidate = stem
        var number = 1
        while let owner = items.firstIndex(where: { $0.stem.lowercased() == candidate.lowercased() }), owner != index {
            if isWhole, items[owner].template != job.template.text {
                var number = 1
                let template = items[owner].template
                while true {
                    let next = free(items[owner].stem, after: &number)
                    if move(owner, to: next, template: template) { break }
                }
                return candidate
            }
            number += 1
            candidate = ModelTemplate.numbered(stem, number)
        }
        return candidate
    }

    /// Gives an item and its file another name; false where somebody else's file has it.
    private mutating func move(_ index: Int, to stem: String, template: String) -> Bool {
        let item = items[index]
        if let old = item.path, files[old] != nil, item.stem != stem {
            let new = ModelTemplate.path(stem, item.extension ?? "bin")
            if new != old {
                guard files[new] == nil else { return false }
                files[new] = files.removeValue(forKey: old)
                inodes[new] = inodes.removeValue(forKey: old)
            }
            items[index].path = new
        } else if item.stem != stem {
            items[index].path = nil
        }
        items[index].stem = stem
        items[index].template = template
        return true
    }

    // MARK: A run

    /// The job names another directory than the one that rows tell of.
    mutating func changeDirectory() {
        for index in items.indices where items[index].path != nil && stored(items[index]) == nil {
            items[index].forget(path: true)
            if items[index].state == "stored" {
                items[index].state = items[index].failure == nil ? "pending" : "failed"
            }
        }
    }

    /// Runs the job.
    ///
    /// - Parameters:
    ///   - list: in its order, with keys.
    ///   - times: when files were stored in this run, by key; the clock is the program's.
    mutating func run(
        _ list: [(key: String, entry: Entry)], _ site: ModelSite, _ job: Job, _ selection: ModelSelection,
        root: String, isSelected: (String) -> Bool, times: [String: Int64]
    ) -> Expectation {
        isJobKnown = true
        var expected = Expectation()
        var selected: [Int] = []
        if selection.isFailedOnly {
            for index in items.indices where items[index].isUnsettled && items[index].state != "gone" {
                guard selection.limit.map({ selected.count < $0 }) ?? true, isSelected(items[index].key) else {
                    continue
                }
                selected.append(index)
            }
        } else {
            for (position, (key, entry)) in list.enumerated() {
                guard selection.limit.map({ selected.count < $0 }) ?? true, isSelected(key) else { continue }
                let place = list[..<position].count { $0.entry.collection == entry.collection } + 1
                selected.append(take(entry, key, place, site, job, root: root, isWhole: selection.isWhole))
            }
        }
        fetch(selected, site, job, selection, root: root, times: times, &expected)
        if job.hasSidecars { writeSidecars(of: selected) }
        if selection.isWhole, !list.isEmpty {
            for index in items.indices where !selected.contains(index) {
                if items[index].state != "evicted" { items[index].state = "gone" }
            }
        }
        return expected
    }

    /// Takes an entry of the list into the rows.
    private mutating func take(
        _ entry: Entry, _ key: String, _ position: Int, _ site: ModelSite, _ job: Job, root: String, isWhole: Bool
    ) -> Int {
        let path = site.resources[entry.resource].path
        let stem = job.template.stem(
            title: entry.title, collection: "c\(entry.collection)", position: position, urlPath: path)
        guard let index = items.firstIndex(where: { $0.key == key }) else {
            let stem = claim(stem, for: nil, job, isWhole: isWhole)
            items.append(
                Item(
                    key: key, collection: entry.collection, url: root + path, title: entry.title,
                    expectedContent: entry.expectedContent, stem: stem, template: job.template.text))
            return items.count - 1
        }
        if items[index].state == "gone" {
            items[index].state =
                stored(items[index]) != nil ? "stored" : items[index].failure == nil ? "pending" : "failed"
        }
        if items[index].url != root + path { items[index].askedAgain = nil }
        items[index].collection = entry.collection
        items[index].url = root + path
        items[index].title = entry.title
        items[index].expectedContent = entry.expectedContent
        if isWhole, items[index].template != job.template.text {
            var candidate = claim(stem, for: index, job, isWhole: isWhole)
            var number = 1
            while !move(index, to: candidate, template: job.template.text) { candidate = free(stem, after: &number) }
        }
        return index
    }

    private struct Work {
        let index: Int
        var followers: [Int] = []
    }

    private mutating func fetch(
        _ selected: [Int], _ site: ModelSite, _ job: Job, _ selection: ModelSelection, root: String,
        times: [String: Int64], _ expected: inout Expectation
    ) {
        var work: [Work] = []
        for index in selected {
            if let transfer = settle(index, job, selection) {
                expected.transfers[items[index].key] = transfer
                expected.actions[items[index].key] = transfer.outcome == "failed" ? "not-asked" : transfer.outcome
            } else if let leader = work.firstIndex(where: {
                items[$0.index].url == items[index].url
                    && items[$0.index].expectedContent == items[index].expectedContent
            }) {
                work[leader].followers.append(index)
                expected.actions[items[index].key] = "duplicate"
            } else {
                work.append(Work(index: index))
            }
        }
        var superseded: [String] = []
        var replies: [(work: Work, reply: Reply)] = []
        for work in work {
            let reply = ask(work.index, site, job, selection, root: root, &expected)
            replies.append((work, reply))
            end(work.index, reply, job, isLeader: true, times: times, &superseded, &expected)
        }
        for (work, reply) in replies {
            for follower in work.followers {
                var reply = reply
                reply.transfer.attempts = 0
                if reply.body != nil || reply.isUnchanged, let path = items[work.index].path {
                    reply.body = files[path]
                    reply.extension = items[work.index].extension
                }
                end(follower, reply, job, isLeader: false, times: times, &superseded, &expected)
            }
        }
        for path in superseded { remove(path) }
    }

    /// The outcome of an item of which nothing is asked; nil for any other.
    private mutating func settle(_ index: Int, _ job: Job, _ selection: ModelSelection) -> Transfer? {
        let file = stored(items[index])
        if items[index].state == "stored", file == nil {
            items[index].state = items[index].failure == nil ? "pending" : "failed"
        }
        // A file that is not there is claimed no more.
        if let path = items[index].path, files[path] == nil { items[index].path = nil }
        guard !selection.isRefreshing else { return nil }
        if items[index].state == "evicted", !selection.isFailedOnly {
            items[index].isUnsettled = false
            return Transfer(outcome: "evicted")
        }
        if file != nil, isFresh(items[index], job) {
            items[index].state = "stored"
            items[index].failure = nil
            items[index].isUnsettled = false
            return Transfer(outcome: "fresh")
        }
        if let time = items[index].askedAgain, time > day, !selection.isFailedOnly {
            return Transfer(
                outcome: "failed", failure: items[index].failure ?? "http", status: items[index].failedStatus)
        }
        return nil
    }

    private func isFresh(_ item: Item, _ job: Job) -> Bool {
        guard item.expectedContent == nil || item.expectedContent == item.digest else { return false }
        switch job.refresh {
        case "always": return false
        case "never": return item.storedURL == item.url
        default:
            if item.expectedContent != nil { return true }
            return item.storedURL == item.url && (item.expires ?? 0) > day
        }
    }

    private struct Reply {
        var transfer: Transfer
        var body: [UInt8]?
        var `extension`: String?
        var isUnchanged = false
        var isPermanent = false
        var etag: String?
        var date: String?
        var expires: Int?
    }

    private func ask(
        _ index: Int, _ site: ModelSite, _ job: Job, _ selection: ModelSelection, root: String,
        _ expected: inout Expectation
    ) -> Reply {
        let item = items[index]
        let path = String(item.url.dropFirst(root.count))
        var request = ModelSite.Request(path: path)
        let isAgreed = item.expectedContent == nil || item.expectedContent == item.digest
        let file = stored(item)
        let isConditional =
            job.refresh == "changed" && !selection.isRefreshing && item.storedURL == item.url && file != nil && isAgreed
        if isConditional {
            request.etag = item.etag
            if item.etag == nil { request.date = item.date }
        }
        expected.requests.append(request)
        expected.actions[item.key] = isConditional ? "ask" : "fetch"
        let status = site.status(of: request)
        var reply = Reply(transfer: Transfer(outcome: "failed", failure: "http", attempts: 1, status: status))
        guard let resource = site.resource(path) else { return reply }
        switch status {
        case 304:
            reply.transfer = Transfer(outcome: "unchanged", attempts: 1, status: 304)
            reply.isUnchanged = true
            reply.etag = resource.etag ?? item.etag
            reply.date = resource.date ?? item.date
        case 200:
            let bytes = resource.body.bytes
            guard item.expectedContent == nil || item.expectedContent == modelDigest(bytes) else {
                reply.transfer.failure = "checksum"
                return reply
            }
            (reply.etag, reply.date) = (resource.etag, resource.date)
            reply.isUnchanged = file != nil && isIntact(item) && file == bytes
            reply.transfer = Transfer(
                outcome: reply.isUnchanged ? "unchanged" : "downloaded", attempts: 1, status: 200)
            if !reply.isUnchanged { reply.body = bytes }
            reply.extension = ModelTemplate.extension(of: resource)
            expected.bodyBytes += bytes.count
        default:
            reply.isPermanent = status == 404 || status == 410
        }
        if status == 200 || status == 304 { reply.expires = resource.life > 0 ? day + resource.life : nil }
        return reply
    }

    /// Writes what became of an item.
    private mutating func end(
        _ index: Int, _ reply: Reply, _ job: Job, isLeader: Bool, times: [String: Int64],
        _ superseded: inout [String], _ expected: inout Expectation
    ) {
        let key = items[index].key
        expected.transfers[key] = reply.transfer
        guard reply.transfer.outcome != "failed" else {
            if items[index].state != "stored" { items[index].state = "failed" }
            items[index].failure = reply.transfer.failure
            items[index].isUnsettled = true
            items[index].askedAgain = reply.isPermanent ? day + 1 : nil
            items[index].failedStatus = reply.transfer.status
            return
        }
        let old = stored(items[index])
        let hasFile = old != nil && (reply.body == nil || (!isLeader && old == reply.body))
        if let body = reply.body, !hasFile {
            let oldPath = items[index].path
            publish(body, as: index, extension: reply.extension ?? "bin", job, &expected)
            items[index].size = body.count
            items[index].digest = modelDigest(body)
            if let oldPath, oldPath != items[index].path { superseded.append(oldPath) }
        }
        items[index].storedURL = items[index].url
        items[index].etag = reply.etag
        items[index].date = reply.date
        items[index].expires = reply.expires
        items[index].state = "stored"
        items[index].failure = nil
        items[index].isUnsettled = false
        items[index].askedAgain = nil
        if reply.transfer.outcome == "downloaded" || items[index].storedAt == nil {
            items[index].storedAt = times[key]
        }
    }

    /// Gives a body its name: its own, or where somebody else's file has it the next number.
    private mutating func publish(
        _ body: [UInt8], as index: Int, extension: String, _ job: Job, _ expected: inout Expectation
    ) {
        let digest = modelDigest(body)
        let twin =
            !job.deduplicates
            ? nil
            : items.indices.first {
                items[$0].state == "stored" && items[$0].digest == digest && isIntact(items[$0])
            }
        let inode = twin.flatMap { items[$0].path }.flatMap { inodes[$0] }
        var stem = items[index].stem
        var number = 1
        while true {
            let path = ModelTemplate.path(stem, `extension`)
            let isOwn = items[index].path == path
            let isAdopted = !isOwn && files[path] == body && !items.contains { $0.path == path }
            if isOwn || isAdopted || files[path] == nil {
                if !isAdopted {
                    inodes[path] = inode ?? (inodes.values.max() ?? 0) + 1
                    if twin != nil { expected.savedBytes += body.count }
                }
                files[path] = body
                items[index].path = path
                items[index].extension = `extension`
                items[index].stem = stem
                return
            }
            stem = free(items[index].stem, after: &number)
        }
    }

    mutating func remove(_ path: String) {
        files[path] = nil
        inodes[path] = nil
    }
}

extension Model.Item {
    /// Forgets what was stored, so that it is fetched in full.
    mutating func forget(path isPathForgotten: Bool) {
        if isPathForgotten { path = nil }
        (size, digest, storedURL, etag, date, expires) = (nil, nil, nil, nil, nil, nil)
        isUnsettled = true
    }
}
