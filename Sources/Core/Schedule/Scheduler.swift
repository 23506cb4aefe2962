package import HTTP
package import Model
package import System

/// Decides which transfer begins when: a value that takes what happened and returns what to do, without I/O, clock or
/// randomness of its own.
///
/// Every transfer is known by a number: an item by its row's id, a request of a source by a negative one. Items wait in
/// lanes, one for each job, host, ``Precedence`` and collection. Admission takes jobs in turn, of a job what comes first by
/// its precedence, among equals its hosts in turn, and for a host its collections in turn, so that neither a slow host nor a
/// long list starves the others. What failed waits for its next try behind what was not tried.
///
/// Only a window of items is *ready*, with what is needed to ask for them in memory. The rest is *parked*, eight bytes
/// each, and loaded again when its lane runs low.
package struct Scheduler: Sendable {
    package typealias TransferID = Int64
    package typealias JobIndex = Int

    /// What one job may use.
    package struct Limits: Sendable {
        /// Items in flight, those on their way through redirects included.
        package var concurrency: Int
        /// Transfers to one origin at a time.
        package var perHost: Int
        /// Microseconds between requests to one host; 0 for no limit.
        package var interval: Int64
        /// Tries after the first.
        package var retries: Int
        /// Hosts that other machines ask at the same time, and how many do: each gets its part of `perHost` and of the rate.
        package var parts: [HTTPOrigin: Int] = [:]

        package init(concurrency: Int, perHost: Int, interval: Int64 = 0, retries: Int = 4) {
            self.concurrency = concurrency
            self.perHost = perHost
            self.interval = interval
            self.retries = retries
        }
    }

    /// A transfer that may begin.
    package struct Admission: Sendable, Equatable {
        package let id: TransferID
        package let job: JobIndex
        /// 1 for the first.
        package let attempt: Int
    }

    /// Parked items that the lane of a job wants loaded.
    package struct Load: Sendable, Equatable {
        package let job: JobIndex
        package let origin: HTTPOrigin
        package let collection: Int64
        package let precedence: Precedence
        package let ids: [TransferID]
    }

    /// How many items are ready, with their details in memory.
    package struct Window: Sendable {
        /// Of one lane.
        package var lane = 4_096
        /// In all; above it new ones are parked.
        package var total = 8_192
        /// A lane with fewer has parked ones loaded.
        package var low = 1_024
        /// What a lane with nothing ready may have loaded although the window is full.
        package var least = 16
        /// So many tries again wait behind what was not tried; more would hold too many transfers in memory, and go first.
        package var again = 256

        package init() {}

        /// What of the window is for a precedence: items that have a file leave room for those that have none, which may be
        /// listed later.
        func room(for precedence: Precedence) -> Int { precedence.rank < .stored ? total : total / 2 }
    }

    struct Job: Sendable {
        var limits: Limits
        var inFlight = 0
        var isPaused = false
        var isStopped = false
        /// Collections of which nothing begins.
        var pausedCollections: Set<Int64> = []
        /// Of the items that a person asked to have first, those that are parked or not listed yet.
        var prioritised: Set<TransferID> = []
        /// Before this time nothing begins that has a file.
        var storedOpens = Monotonic(microseconds: .min)
        /// Lanes by host.
        var queues: [Int: HostQueue] = [:]
        /// Hosts with ready items that may have room, by the precedence of the first of these; the lesser comes first.
        var rings: [(precedence: Precedence, hosts: FIFO<Int>)] = []
        /// Hosts with redirected items or requests of the source, which go first.
        var urgentRing = FIFO<Int>()
        var budget = RetryBudget()
    }

    struct Host {
        let origin: HTTPOrigin
        var inFlight = 0
        /// How many machines ask it.
        var parts = 1
        /// The longest interval of the jobs that use the host.
        var interval: Int64 = 0
        /// When it was asked last.
        var asked = Monotonic(microseconds: .min)
        /// No request before this time.
        var opens = Monotonic(microseconds: .min)
        var isTimed = false
        /// Until when it is asked nothing, and why, rather than to keep to a rate.
        var pause: (until: Monotonic, reason: Scheduler.PauseReason)?
        var limit = AdaptiveLimit()
        var breaker = CircuitBreaker()
    }

    struct Flight {
        let job: JobIndex
        /// Where it begins, and begins again when it is tried again.
        let home: Int
        /// Where it is asked next or just was: another one than `home` after a redirect.
        var host: Int
        let collection: Int64
        /// How it waits for another try.
        let rankAgain: Precedence.Rank
        var attempts = 0
        /// When the last request was begun.
        var begun = Monotonic(microseconds: .min)
        /// A hop belongs to the attempt that was redirected.
        var isHop = false
        /// Whether a hop that was to wait has given back its job's slot.
        var isDelayed = false
        /// Whether a request is under way, rather than waited for.
        var isInFlight = false
        /// Whether it is broken off, or was, to go on in the same attempt once its job or collection does.
        var isSuspended = false

        init(job: JobIndex, host: Int, collection: Int64 = 0, rankAgain: Precedence.Rank = .again) {
            self.job = job
            self.home = host
            self.host = host
            self.collection = collection
            self.rankAgain = rankAgain
        }

        /// Counts a request; the number of its attempt.
        mutating func begin(at now: Monotonic) -> Int {
            isInFlight = true
            begun = now
            if !isHop, !isSuspended { attempts += 1 }
            isHop = false
            isSuspended = false
            isDelayed = false
            return attempts
        }
    }

    struct QueueName: Hashable {
        let job: JobIndex
        let host: Int
    }

    enum Timer {
        case host(Int)
        case retry(TransferID)
        /// What waits for a time that its job has set.
        case job
    }

    var jobs: [Job] = []
    var hosts: [Host] = []
    var hostNumbers: [HTTPOrigin: Int] = [:]
    /// Transfers that were begun and are not over: in flight, between hops, or waiting for another try.
    var flights: [TransferID: Flight] = [:]
    var timers = TimerHeap<Timer>()
    var dropped: Set<TransferID> = []
    var readyCount = 0
    /// Parked items that were asked for and have not come.
    var loadingCount = 0
    /// Queues with a lane that runs low.
    var lowQueues: Set<QueueName> = []
    var nextJob = 0
    /// Hosts that have been paused, to be reported.
    var outages: [Outage] = []
    /// Hosts for which nothing waits any more until their pause is over.
    var givenUpHosts: Set<Int> = []
    /// Of the hosts that jobs throttled.
    var strains: [QueueName: ThrottleStatistics] = [:]
    var generator: any RandomNumberGenerator & Sendable
    let backoff: Backoff
    let breakerSettings: CircuitBreaker.Settings
    let window: Window

    package init(
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), backoff: Backoff = Backoff(),
        breaker: CircuitBreaker.Settings = CircuitBreaker.Settings(), window: Window = Window()
    ) {
        breakerSettings = breaker
        self.window = window
        self.generator = generator
        self.backoff = backoff
    }

    // MARK: What is to be done

    package mutating func addJob(_ limits: Limits) -> JobIndex {
        jobs.append(Job(limits: limits))
        return jobs.count - 1
    }

    /// Takes items of one precedence in list order.
    ///
    /// - Returns: how many of them are ready; the caller keeps the details of these and may forget the others'.
    package mutating func add(
        _ ids: ArraySlice<TransferID>, job: JobIndex, origin: HTTPOrigin, collection: Int64,
        precedence: Precedence = Precedence(.missing)
    ) -> Int {
        let host = number(of: origin, job: job)
        let emptyQueue = emptyQueue(job)
        let ready = jobs[job].queues[host, default: emptyQueue].add(
            ids, collection: collection, precedence, taken: readyCount)
        readyCount += ready
        noteLow(host, job)
        enqueue(host, job)
        return ready
    }

    /// Whether some item is to come that a person asked to have first.
    package func awaitsPrioritised(job: JobIndex) -> Bool { !jobs[job].prioritised.isEmpty }

    /// Whether a person asked to have the item before others of its host, before it came.
    package func isPrioritised(_ id: TransferID, job: JobIndex) -> Bool {
        jobs[job].prioritised.contains(id)
    }

    /// Takes an item that ``isPrioritised(_:job:)``; its details are kept by the caller.
    package mutating func addFirst(
        _ id: TransferID, job: JobIndex, origin: HTTPOrigin, collection: Int64, precedence: Precedence
    ) {
        jobs[job].prioritised.remove(id)
        let host = number(of: origin, job: job)
        let emptyQueue = emptyQueue(job)
        jobs[job].queues[host, default: emptyQueue].addFirst(id, collection: collection, precedence)
        readyCount += 1
        enqueue(host, job)
    }

    /// Takes a request of a source. It waits for the host like an item, ahead of items, and takes none of their slots.
    package mutating func addRequest(_ id: TransferID, job: JobIndex, origin: HTTPOrigin) {
        let host = number(of: origin, job: job)
        flights[id] = Flight(job: job, host: host)
        pushUrgent(id, host, job)
    }

    /// Parked items whose details are in memory again.
    ///
    /// - Parameter load: what was asked for; what of it is not among `ids` is over.
    /// - Returns: false when the job is stopped and takes none.
    package mutating func loaded(_ ids: [TransferID], of load: Load) -> Bool {
        let job = load.job
        let host = number(of: load.origin, job: job)
        loadingCount -= load.ids.count
        guard !jobs[job].isStopped else { return false }
        // The queue may have been dropped meanwhile.
        let emptyQueue = emptyQueue(job)
        var prioritised: Set<TransferID> = []
        swap(&prioritised, &jobs[job].prioritised)
        jobs[job].queues[host, default: emptyQueue].loaded(
            ids, collection: load.collection, load.precedence, prioritised: &prioritised)
        jobs[job].prioritised = prioritised
        readyCount += ids.count
        noteLow(host, job)
        enqueue(host, job)
        return true
    }

    /// What lanes that run low want from the catalog. Each lane asks for one portion at a time.
    package mutating func loads() -> [Load] {
        guard !lowQueues.isEmpty else { return [] }
        var result: [Load] = []
        for name in lowQueues {
            let taken = readyCount + loadingCount
            for portion in jobs[name.job].queues[name.host]?.takeLoads(taken: taken) ?? [] {
                loadingCount += portion.ids.count
                result.append(
                    Load(
                        job: name.job, origin: hosts[name.host].origin, collection: portion.collection,
                        precedence: portion.precedence, ids: portion.ids))
            }
            if jobs[name.job].queues[name.host]?.isLow != true { lowQueues.remove(name) }
        }
        return result
    }

    mutating func noteLow(_ host: Int, _ job: JobIndex) {
        if jobs[job].queues[host]?.isLow == true { lowQueues.insert(QueueName(job: job, host: host)) }
    }

    // MARK: What happened

    /// An attempt ended. Frees its slots and decides what becomes of the transfer.
    ///
    /// - Parameter sign: what the end says of the host that was asked.
    package mutating func finished(
        _ id: TransferID, _ result: AttemptResult, sign: HostSignal = .none, now: Monotonic
    ) -> RetryDecision {
        // Hot path: looked up once per item.
        guard let place = flights.index(forKey: id) else { return .over }
        let flight = flights.values[place]
        note(sign, of: flight, id, now: now)
        hosts[flight.host].inFlight -= 1
        flights.values[place].isInFlight = false
        let job = flight.job
        let isItem = id >= 0
        let isStopped = jobs[job].isStopped
        if case .redirected(let origin, let delay) = result, !isStopped {
            let host = number(of: origin, job: job)
            flights.values[place].host = host
            flights.values[place].isHop = true
            guard delay > 0 else {
                pushUrgent(id, host, job)
                return .hop
            }
            if isItem { jobs[job].inFlight -= 1 }
            flights.values[place].isDelayed = true
            timers.insert(.retry(id), due: now.advanced(byMicroseconds: delay))
            return .hop
        }
        if isItem { jobs[job].inFlight -= 1 }
        switch result {
        case .suspended where !isStopped:
            flights.values[place].isSuspended = true
            putBack(id, flight)
            return .suspended
        case .suspended:
            flights.remove(at: place)
            return .cancelled
        case .failed(let failure) where failure.isTransient:
            return retry(id, flight, at: place, after: failure, now: now)
        default:
            flights.remove(at: place)
            jobs[job].budget.earn()
            // Redirected, and stopped on the way.
            if case .redirected = result { return .cancelled }
            return .over
        }
    }

    private mutating func retry(
        _ id: TransferID, _ flight: Flight, at place: Dictionary<TransferID, Flight>.Index,
        after failure: TransferFailure, now: Monotonic
    ) -> RetryDecision {
        let job = flight.job
        if let retryAfter = failure.retryAfter {
            holdBack(
                QueueName(job: job, host: flight.host), until: now.advanced(byMicroseconds: retryAfter), .retryAfter,
                now)
        }
        guard flight.attempts <= jobs[job].limits.retries else {
            flights.remove(at: place)
            return .over
        }
        guard !jobs[job].isStopped else {
            flights.remove(at: place)
            return .cancelled
        }
        guard id < 0 || jobs[job].budget.spend() else {
            flights.remove(at: place)
            return .unaffordable
        }
        let due = now.advanced(byMicroseconds: backoff.delay(retry: flight.attempts, using: &generator))
        flights.values[place].host = flight.home
        timers.insert(.retry(id), due: due)
        return .retry(at: due)
    }
}
