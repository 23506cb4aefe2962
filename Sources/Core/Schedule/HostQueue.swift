/// What one job wants from one host: a lane for each collection, taken in turn, and what goes before all lanes.
struct HostQueue: Sendable {
    private struct Lane: Sendable {
        /// Details in memory.
        var ready = FIFO<Int64>()
        /// Ids only, in list order after the ready ones.
        var parked = FIFO<Int64>()
        var isLoading = false

        func isLow(_ window: Scheduler.Window) -> Bool {
            !isLoading && !parked.isEmpty && ready.count < window.low
        }
    }

    private let window: Scheduler.Window
    /// Redirected items and requests of the source.
    var urgent = FIFO<Int64>()
    /// Whether the host is in its job's ring.
    var isInRing = false
    /// Items that go before the lanes: tries again, and those a person asked to have first.
    private var front: [(id: Int64, collection: Int64, isFresh: Bool)] = []
    private var lanes: [Int64: Lane] = [:]
    private var ring = FIFO<Int64>()
    /// Lanes that have parked items, run low and are not being loaded.
    private var lowLanes: Set<Int64> = []
    /// Items in lanes and `front` that count against the scheduler's window.
    private(set) var readyCount = 0

    init(_ window: Scheduler.Window) {
        self.window = window
    }

    var hasReady: Bool { !front.isEmpty || !ring.isEmpty }

    /// Enters the job's ring, unless it is there or nothing is ready.
    ///
    /// - Returns: whether it is new there.
    mutating func enterRing() -> Bool {
        guard hasReady, !isInRing else { return false }
        isInRing = true
        return true
    }

    /// Whether some lane runs low and has parked items.
    var isLow: Bool { !lowLanes.isEmpty }

    var isEmpty: Bool { front.isEmpty && lanes.isEmpty && urgent.isEmpty }

    mutating func add(_ ids: ArraySlice<Int64>, collection: Int64, room: Int) -> Int {
        var lane = lanes[collection] ?? Lane()
        // Parked items come first: nothing overtakes them.
        let isOpen = lane.parked.isEmpty && !lane.isLoading
        let count = isOpen ? min(ids.count, room, max(0, window.lane - lane.ready.count)) : 0
        if count > 0, lane.ready.isEmpty { ring.append(collection) }
        lane.ready.append(contentsOf: ids.prefix(count))
        lane.parked.append(contentsOf: ids.dropFirst(count))
        lanes[collection] = lane
        if lane.isLow(window) { lowLanes.insert(collection) }
        readyCount += count
        return count
    }

    mutating func loaded(_ ids: [Int64], collection: Int64, prioritised: inout Set<Int64>) {
        var lane = lanes[collection] ?? Lane()
        lane.isLoading = false
        var ordinary = ids
        if !prioritised.isEmpty {
            ordinary = ids.filter { !prioritised.contains($0) }
            // The last pushed is taken first, so that the list's order holds among them.
            for id in ids.reversed() where prioritised.remove(id) != nil { front.append((id, collection, true)) }
        }
        if lane.ready.isEmpty, !ordinary.isEmpty { ring.append(collection) }
        lane.ready.append(contentsOf: ordinary)
        lanes[collection] = lane
        if lane.isLow(window) { lowLanes.insert(collection) }
        readyCount += ids.count
    }

    /// Takes a portion of parked items from each lane that runs low, as far as there is room. A lane with nothing ready
    /// gets a few in any case, so that items of a host that is held back can't keep others out.
    mutating func takeLoads(room: Int) -> [(lane: Int64, ids: [Int64])] {
        var room = room
        var result: [(lane: Int64, ids: [Int64])] = []
        for collection in lowLanes {
            guard var lane = lanes[collection] else { continue }
            let count = min(window.lane / 2, max(room, lane.ready.isEmpty ? window.least : 0))
            guard count > 0 else { continue }
            lane.isLoading = true
            let ids = lane.parked.popFirst(count)
            room -= ids.count
            result.append((collection, ids))
            lanes[collection] = lane
            lowLanes.remove(collection)
        }
        return result
    }

    /// The next item; `isFresh` when it was counted as ready, as a try again was not.
    mutating func popReady() -> (id: Int64, collection: Int64, isFresh: Bool)? {
        if let item = front.popLast() {
            if item.isFresh { readyCount -= 1 }
            return item
        }
        while let collection = ring.popFirst() {
            // Found once and changed in place: this is done for every item.
            guard let place = lanes.index(forKey: collection), let id = lanes.values[place].ready.popFirst() else {
                continue
            }
            readyCount -= 1
            let lane = lanes.values[place]
            if !lane.ready.isEmpty {
                ring.append(collection)
            } else if lane.parked.isEmpty, !lane.isLoading {
                lanes.remove(at: place)
            }
            if lane.isLow(window) { lowLanes.insert(collection) }
            return (id, collection, true)
        }
        return nil
    }

    /// The next redirected item or request of the source; with `itemsOnly` no request.
    mutating func popUrgent(itemsOnly: Bool) -> Int64? {
        guard itemsOnly else { return urgent.popFirst() }
        var passedOver: [Int64] = []
        defer { if !passedOver.isEmpty { urgent.prepend(passedOver) } }
        while let id = urgent.popFirst() {
            if id >= 0 { return id }
            passedOver.append(id)
        }
        return nil
    }

    mutating func pushFront(_ id: Int64, collection: Int64) {
        front.append((id, collection, false))
    }

    mutating func prioritise(_ ids: Set<Int64>, _ prioritised: inout Set<Int64>) {
        for collection in Array(lanes.keys) {
            guard var lane = lanes[collection] else { continue }
            let ready = lane.ready.removeAll()
            lane.ready.append(contentsOf: ready.filter { !ids.contains($0) })
            // The last pushed is taken first, so that the list's order holds among them.
            for id in ready.reversed() where ids.contains(id) { front.append((id, collection, true)) }
            let parked = lane.parked.removeAll()
            let wanted = parked.filter(ids.contains)
            prioritised.formUnion(wanted)
            lane.parked.append(contentsOf: wanted)
            lane.parked.append(contentsOf: parked.filter { !ids.contains($0) })
            lanes[collection] = lane
            if lane.isLow(window) || (!wanted.isEmpty && !lane.isLoading) { lowLanes.insert(collection) }
        }
        ring.removeAll { lanes[$0]?.ready.isEmpty != false }
    }

    /// Everything that waits, in no particular order.
    mutating func removeAll() -> [Int64] {
        var result = front.map(\.id)
        for lane in lanes.values {
            var lane = lane
            result += lane.ready.removeAll() + lane.parked.removeAll()
        }
        self = HostQueue(window)
        return result
    }
}
