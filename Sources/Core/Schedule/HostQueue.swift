import Model
import System

/// What one job wants from one host: for each precedence a lane for each collection, taken in turn, and what goes before and
/// behind.
struct HostQueue: Sendable {
    /// An item whose turn it is.
    struct Next: Sendable {
        let id: Int64
        let collection: Int64
        /// How it waits for another try, should this one fail.
        let rankAgain: Precedence.Rank
        /// Whether it was counted as ready, as a try again is not.
        let isFresh: Bool
        /// Where it waited before a person asked for it first; nil for one that has begun before.
        var home: Precedence?
        /// Whether it was broken off for a pause.
        var isBrokenOff = false
    }

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

    /// Items of one precedence: the collections take turns.
    private struct Level: Sendable {
        let precedence: Precedence
        var lanes: [Int64: Lane] = [:]
        var ring = FIFO<Int64>()
        /// Lanes that have parked items, run low and are not being loaded.
        var lowLanes: Set<Int64> = []
    }

    private let window: Scheduler.Window
    /// Redirected items and requests of the source.
    var urgent = FIFO<Int64>()
    /// In which of its job's rings the host is; nil for none.
    var ringed: Precedence?
    /// Items that a person asked to have first, the next one last.
    private var front: [Next] = []
    /// The lesser precedence first.
    private var levels: [Level] = []
    /// Items that have failed in this run and may be tried again: those that go before what is stored, and the others.
    private var again = FIFO<Next>()
    private var storedAgain = FIFO<Next>()
    /// Collections of which nothing is taken, and what they have that waits elsewhere than in lanes.
    private var paused: Set<Int64> = []
    private var held: [Next] = []
    /// Items in lanes and `front` that count against the scheduler's window.
    private(set) var readyCount = 0

    init(_ window: Scheduler.Window) {
        self.window = window
    }

    /// The precedence of the next item; nil where none is ready.
    var best: Precedence? {
        if !front.isEmpty { return Precedence(.chosen) }
        // Each holds its transfer in memory.
        if again.count + storedAgain.count > window.again { return Precedence(.missing) }
        let level = levels.first { !$0.ring.isEmpty }?.precedence
        var rank: Precedence.Rank?
        if !again.isEmpty { rank = .again } else if !storedAgain.isEmpty { rank = .storedAgain }
        guard let level, let rank else { return level ?? rank.map { Precedence($0) } }
        return min(level, Precedence(rank))
    }

    /// Whether some lane runs low and has parked items.
    var isLow: Bool { levels.contains { !$0.lowLanes.isEmpty } }

    var isEmpty: Bool {
        front.isEmpty && levels.isEmpty && urgent.isEmpty && again.isEmpty && storedAgain.isEmpty && held.isEmpty
    }

    /// Whether an item waits that was not tried in this run.
    var hasUntried: Bool {
        if !front.isEmpty { return true }
        guard !paused.isEmpty else { return !levels.isEmpty }
        return levels.contains { $0.lanes.keys.contains { !paused.contains($0) } }
    }

    /// Items that wait, those that are being loaded not counted.
    var waitingCount: Int {
        levels.reduce(front.count + again.count + storedAgain.count + held.count) { sum, level in
            level.lanes.values.reduce(sum) { $0 + $1.ready.count + $1.parked.count }
        }
    }

    // MARK: Items that come

    /// - Parameter taken: items of all queues that count against the window.
    mutating func add(_ ids: ArraySlice<Int64>, collection: Int64, _ precedence: Precedence, taken: Int) -> Int {
        let level = index(of: precedence)
        var lane = levels[level].lanes[collection] ?? Lane()
        // Parked items come first: nothing overtakes them.
        let isOpen = lane.parked.isEmpty && !lane.isLoading
        let room = max(0, min(window.room(for: precedence) - taken, window.lane - lane.ready.count))
        let count = isOpen ? min(ids.count, room) : 0
        if count > 0, lane.ready.isEmpty { enterRing(collection, level) }
        lane.ready.append(contentsOf: ids.prefix(count))
        lane.parked.append(contentsOf: ids.dropFirst(count))
        put(lane, collection, level)
        readyCount += count
        return count
    }

    /// Takes an item before all others.
    mutating func addFirst(_ id: Int64, collection: Int64, _ precedence: Precedence) {
        putFirst(
            Next(id: id, collection: collection, rankAgain: precedence.rankAgain, isFresh: true, home: precedence))
        readyCount += 1
    }

    mutating func loaded(
        _ ids: [Int64], collection: Int64, _ precedence: Precedence, prioritised: inout Set<Int64>
    ) {
        let level = index(of: precedence)
        var lane = levels[level].lanes[collection] ?? Lane()
        lane.isLoading = false
        var ordinary = ids
        if !prioritised.isEmpty {
            ordinary = ids.filter { !prioritised.contains($0) }
            // The last pushed is taken first, so that the list's order holds among them.
            for id in ids.reversed() where prioritised.remove(id) != nil {
                putFirst(
                    Next(
                        id: id, collection: collection, rankAgain: precedence.rankAgain, isFresh: true,
                        home: precedence))
            }
        }
        if lane.ready.isEmpty, !ordinary.isEmpty { enterRing(collection, level) }
        lane.ready.append(contentsOf: ordinary)
        put(lane, collection, level)
        readyCount += ids.count
        removeIfEmpty(level)
    }

    /// Takes an item that has failed and whose time to be tried again has come.
    mutating func push(again id: Int64, collection: Int64, _ rank: Precedence.Rank) {
        push(again: Next(id: id, collection: collection, rankAgain: rank, isFresh: false))
    }

    private mutating func push(again item: Next) {
        if paused.contains(item.collection) {
            held.append(item)
        } else if item.rankAgain == .again {
            again.append(item)
        } else {
            storedAgain.append(item)
        }
    }

    /// Takes back an item that was broken off: it comes next.
    mutating func putBack(_ id: Int64, collection: Int64, _ rank: Precedence.Rank) {
        putFirst(Next(id: id, collection: collection, rankAgain: rank, isFresh: false, isBrokenOff: true))
    }

    private mutating func putFirst(_ item: Next) {
        if paused.contains(item.collection) { held.append(item) } else { front.append(item) }
    }

    private mutating func enterRing(_ collection: Int64, _ level: Int) {
        if !paused.contains(collection) { levels[level].ring.append(collection) }
    }

    /// Nothing of exactly these collections is taken any more.
    mutating func setPaused(_ collections: Set<Int64>) {
        let released = paused.subtracting(collections)
        paused = collections
        for level in levels.indices {
            levels[level].ring.removeAll { collections.contains($0) }
            for collection in released where levels[level].lanes[collection]?.ready.isEmpty == false {
                levels[level].ring.append(collection)
            }
        }
        let waiting = held + front
        held = []
        front = []
        // Those that were first and had to wait come first again.
        for item in waiting { if item.home == nil, !item.isBrokenOff { push(again: item) } else { putFirst(item) } }
        for item in again.removeAll() + storedAgain.removeAll() { push(again: item) }
    }

    private mutating func put(_ lane: Lane, _ collection: Int64, _ level: Int) {
        if lane.ready.isEmpty, lane.parked.isEmpty, !lane.isLoading {
            levels[level].lanes[collection] = nil
        } else {
            levels[level].lanes[collection] = lane
        }
        if lane.isLow(window) { levels[level].lowLanes.insert(collection) }
    }

    /// The place of a precedence's level, which is made if it is not there.
    private mutating func index(of precedence: Precedence) -> Int {
        var low = 0
        var high = levels.count
        while low < high {
            let middle = (low + high) / 2
            if levels[middle].precedence < precedence { low = middle + 1 } else { high = middle }
        }
        if low == levels.count || levels[low].precedence != precedence {
            levels.insert(Level(precedence: precedence), at: low)
        }
        return low
    }

    private mutating func removeIfEmpty(_ level: Int) {
        if levels[level].lanes.isEmpty { levels.remove(at: level) }
    }

    /// Takes a portion of parked items from each lane that runs low, as far as there is room. A lane with nothing ready
    /// gets a few in any case, so that items of a paused host can't keep others out.
    ///
    /// - Parameter taken: items of all queues that count against the window.
    mutating func takeLoads(taken: Int) -> [(collection: Int64, precedence: Precedence, ids: [Int64])] {
        var taken = taken
        var result: [(Int64, Precedence, [Int64])] = []
        for level in levels.indices {
            let precedence = levels[level].precedence
            for collection in levels[level].lowLanes {
                guard var lane = levels[level].lanes[collection] else { continue }
                let room = window.room(for: precedence) - taken
                let count = min(window.lane / 2, max(room, lane.ready.isEmpty ? window.least : 0))
                guard count > 0 else { continue }
                lane.isLoading = true
                let ids = lane.parked.popFirst(count)
                taken += ids.count
                result.append((collection, precedence, ids))
                levels[level].lanes[collection] = lane
                levels[level].lowLanes.remove(collection)
            }
        }
        return result
    }

    // MARK: Whose turn it is

    /// The next item.
    ///
    /// - Parameter isProbe: whether it is to tell how well the host is, which one that has failed before can't.
    mutating func popReady(isProbe: Bool) -> Next? {
        if let item = front.popLast() {
            if item.isFresh { readyCount -= 1 }
            return item
        }
        if isProbe, let level = levels.firstIndex(where: { $0.precedence.isUnblemished && !$0.ring.isEmpty }),
            let item = pop(level)
        {
            return item
        }
        guard let best else { return nil }
        switch best.rank {
        case .again: return again.popFirst()
        case .storedAgain: return storedAgain.popFirst()
        default: break
        }
        if again.count + storedAgain.count > window.again { return again.popFirst() ?? storedAgain.popFirst() }
        while let level = levels.firstIndex(where: { !$0.ring.isEmpty }) {
            if let item = pop(level) { return item }
        }
        return nil
    }

    private mutating func pop(_ level: Int) -> Next? {
        while let collection = levels[level].ring.popFirst() {
            // Found once and changed in place: this is done for every item.
            guard let place = levels[level].lanes.index(forKey: collection),
                let id = levels[level].lanes.values[place].ready.popFirst()
            else { continue }
            readyCount -= 1
            let rankAgain = levels[level].precedence.rankAgain
            let lane = levels[level].lanes.values[place]
            if lane.isLow(window) { levels[level].lowLanes.insert(collection) }
            if !lane.ready.isEmpty {
                levels[level].ring.append(collection)
            } else if lane.parked.isEmpty, !lane.isLoading {
                levels[level].lanes.remove(at: place)
                removeIfEmpty(level)
            }
            return Next(id: id, collection: collection, rankAgain: rankAgain, isFresh: true)
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

    /// Puts items before all others, in list order; those that were before go back to where they waited.
    ///
    /// - Parameter prioritised: loses those that are first now; parked ones are when they are loaded.
    mutating func prioritise(_ ids: Set<Int64>, _ prioritised: inout Set<Int64>) {
        unprioritise(except: ids, &prioritised)
        for level in levels.indices.reversed() {
            let precedence = levels[level].precedence
            let rankAgain = precedence.rankAgain
            for collection in Array(levels[level].lanes.keys) {
                guard var lane = levels[level].lanes[collection] else { continue }
                let ready = lane.ready.removeAll()
                lane.ready.append(contentsOf: ready.filter { !ids.contains($0) })
                // The last pushed is taken first, so that the list's order holds among them.
                for id in ready.reversed() where ids.contains(id) {
                    prioritised.remove(id)
                    putFirst(
                        Next(id: id, collection: collection, rankAgain: rankAgain, isFresh: true, home: precedence))
                }
                let parked = lane.parked.removeAll()
                let wanted = parked.filter(ids.contains)
                lane.parked.append(contentsOf: wanted)
                lane.parked.append(contentsOf: parked.filter { !ids.contains($0) })
                put(lane, collection, level)
                if !wanted.isEmpty, !lane.isLoading { levels[level].lowLanes.insert(collection) }
            }
            let lanes = levels[level].lanes
            levels[level].ring.removeAll { lanes[$0]?.ready.isEmpty != false }
            removeIfEmpty(level)
        }
        for item in again.removeAll() + storedAgain.removeAll() {
            if ids.contains(item.id) { putFirst(item) } else { push(again: item) }
        }
    }

    private mutating func unprioritise(except ids: Set<Int64>, _ prioritised: inout Set<Int64>) {
        let waiting = front + held
        front = []
        held = []
        var homes: [Precedence: [Int64: [Int64]]] = [:]
        for item in waiting {
            if item.isBrokenOff || ids.contains(item.id) {
                prioritised.remove(item.id)
                putFirst(item)
            } else if let home = item.home {
                homes[home, default: [:]][item.collection, default: []].append(item.id)
            } else {
                push(again: item)
            }
        }
        for (home, collections) in homes {
            for (collection, ids) in collections { putHome(ids.sorted(), collection, home) }
        }
    }

    /// Puts ready items back into their lane; ids rise with the list, but for rows of earlier lists.
    private mutating func putHome(_ ids: [Int64], _ collection: Int64, _ precedence: Precedence) {
        let level = index(of: precedence)
        var lane = levels[level].lanes[collection] ?? Lane()
        if lane.ready.isEmpty { enterRing(collection, level) }
        var rest = ids[...]
        for id in lane.ready.removeAll() {
            while let first = rest.first, first < id { lane.ready.append(rest.removeFirst()) }
            lane.ready.append(id)
        }
        lane.ready.append(contentsOf: rest)
        put(lane, collection, level)
    }

    /// Everything that waits, in no particular order. What is being loaded comes later.
    mutating func removeAll() -> [Int64] {
        var result = (front + held + again.removeAll() + storedAgain.removeAll()).map(\.id)
        for level in levels {
            for lane in level.lanes.values {
                var lane = lane
                result += lane.ready.removeAll() + lane.parked.removeAll()
            }
        }
        let (ringed, paused) = (ringed, paused)
        self = HostQueue(window)
        self.ringed = ringed
        self.paused = paused
        return result
    }
}
