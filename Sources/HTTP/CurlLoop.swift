internal import CCurl
import System

/// The transfers of one loop and the libcurl handles they run on. Confined to the loop's thread.
///
/// Every call into libcurl's multi interface is made here. What libcurl calls back meanwhile only records;
/// exchanges hear of an end after the call has returned.
final class CurlLoop {
    /// Whether an address may be connected to under `AddressPolicy.globalOnly`.
    let isReachable: @Sendable ([UInt8]) -> Bool

    private(set) var inFlight = 0
    private var multi: MultiHandle?
    private var transfers: [CurlSlot] = []
    private var free: [Int32] = []
    private var isInsideCurl = false
    private var deferredCancels: [HTTPTicket] = []
    /// Transfers that could not be begun; they finish after `begin` has returned its ticket.
    private var refused: [(exchange: any HTTPExchange, failure: HTTPFailure)] = []
    private var connectionCapacity = 16
    /// Servers that have spoken HTTP/2 over TLS: worth waiting for a connection in the making.
    private var multiplexingOrigins: Set<HTTPOrigin> = []

    // Time and sockets; see TransferEngine+Polling.swift.
    let poller: Poller
    var sockets = SocketTable()
    var holds: [BandwidthHold] = []
    /// When libcurl wants to be called; nil for not.
    var timer: Monotonic?
    private var nextStallCheck: Monotonic?
    private var stallInterval = CurlLoop.longestStallInterval

    private static let longestStallInterval: Int64 = 1_000_000

    init(isReachable: @escaping @Sendable ([UInt8]) -> Bool) throws(HTTPFailure) {
        self.isReachable = isReachable
        poller = try Poller()
        let multi = try MultiHandle()
        self.multi = consume multi
        try self.multi?.setCallbacks(socket: engineSocketChanged, timer: engineTimerChanged, context: context)
        try self.multi?.setConnectionCapacity(connectionCapacity)
    }

    /// This engine as a context for libcurl. Unretained: `shutdown` frees the handles that have it.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    // MARK: Beginning and ending

    func begin(_ request: HTTPRequest, _ exchange: any HTTPExchange) -> HTTPTicket {
        precondition(!isInsideCurl, "a transfer cannot be begun from within begin or receive of an exchange")
        inFlight += 1
        do throws(HTTPFailure) {
            let transfer = try vacantTransfer()
            do throws(HTTPFailure) {
                try start(transfer, request, exchange)
                return HTTPTicket(slot: transfer.slot, generation: transfer.generation)
            } catch {
                vacate(transfer)
                throw error
            }
        } catch {
            refused.append((exchange, error))
            return HTTPTicket(slot: -1, generation: 0)
        }
    }

    func cancel(_ ticket: HTTPTicket) {
        if isInsideCurl {
            deferredCancels.append(ticket)
        } else if let transfer = running(ticket) {
            breakOff(transfer, HTTPFailure(.cancelled, "cancelled"), now: .now())
        }
    }

    /// Ends what has ended since the last call, and what has stalled.
    ///
    /// Returns whether anything did: then the driver may have more to begin.
    func settle(now: Monotonic) -> Bool {
        var hasEnded = !refused.isEmpty || !deferredCancels.isEmpty
        for ticket in take(&deferredCancels) { cancel(ticket) }
        finishRefused(now: now)
        while let (handle, code) = multi?.nextFinished() {
            guard let context = EasyHandle.context(of: handle) else { continue }
            // The handle is in the multi handle, so its transfer is in `transfers`.
            finish(Unmanaged<CurlSlot>.fromOpaque(context).takeUnretainedValue(), code, now: now)
            hasEnded = true
        }
        if let check = nextStallCheck, check <= now {
            hasEnded = breakOffStalled(now: now) || hasEnded
            nextStallCheck = inFlight > 0 ? now.advanced(byMicroseconds: stallInterval) : nil
        }
        return hasEnded
    }

    /// Whether exchanges have to be notified before the loop may rest.
    var hasUnsettled: Bool { !refused.isEmpty || !deferredCancels.isEmpty }

    /// Ends everything as cancelled and frees the handles in libcurl's order: transfers, then the multi handle.
    func shutdown() {
        while inFlight > 0 {
            finishRefused(now: .now())
            for transfer in transfers where transfer.exchange != nil {
                breakOff(transfer, HTTPFailure(.cancelled, "the loop was stopped"), now: .now())
            }
        }
        transfers.removeAll()
        free.removeAll()
        multi = nil
    }

    // MARK: Running libcurl

    func runTimerIfDue(now: Monotonic) {
        guard let timer, timer <= now, !mustDeferTimer(now: now) else { return }
        self.timer = nil
        insideCurl { multi?.actOnTimeout() }
    }

    func act(on socket: Int32, _ readiness: Int32) {
        insideCurl { multi?.act(on: socket, readiness) }
    }

    /// When stalls are to be looked for, nil while nothing is in flight.
    var stallDeadline: Monotonic? { inFlight > 0 ? nextStallCheck : nil }

    private func insideCurl(_ body: () -> Void) {
        isInsideCurl = true
        body()
        isInsideCurl = false
    }

    // MARK: Transfers

    private func start(_ transfer: CurlSlot, _ request: HTTPRequest, _ exchange: any HTTPExchange) throws(HTTPFailure) {
        let settings = request.profile.configuration
        let proxy = request.profile.proxyRules.proxy(for: request.url)
        transfer.usesProxy = proxy != nil
        transfer.guardsAddresses =
            request.addresses == .globalOnly && !request.profile.hasRoute(for: request.url)
        transfer.hold = hold(for: settings.bandwidth)
        try transfer.prepare(
            request, proxy: proxy, waitsForConnection: speaksHTTP2(request))
        transfer.request = request
        transfer.exchange = exchange
        transfer.startedAt = .now()
        if inFlight > connectionCapacity {
            connectionCapacity = inFlight * 2
            try multi?.setConnectionCapacity(connectionCapacity)
        }
        try multi?.add(transfer.handle)
        if transfer.hold >= 0 { holds[Int(transfer.hold)].users += 1 }
        watchStalls(settings.stallTimeout, now: transfer.startedAt)
    }

    private func speaksHTTP2(_ request: HTTPRequest) -> Bool {
        switch request.version {
        case .http1: false
        case .http2: request.url.scheme == "https" || keepsPriorKnowledgeConnections
        case .automatic:
            request.url.scheme == "https" && !multiplexingOrigins.isEmpty
                && multiplexingOrigins.contains(request.url.origin)
        }
    }

    private func finish(_ transfer: CurlSlot, _ code: CURLcode?, now: Monotonic) {
        let result = transfer.result(code, now: now)
        if result.version == "2", let url = transfer.request?.url, url.scheme == "https" {
            multiplexingOrigins.insert(url.origin)
        }
        let exchange = transfer.exchange
        insideCurl { multi?.remove(transfer.handle) }
        if transfer.hold >= 0 { holds[Int(transfer.hold)].users -= 1 }
        vacate(transfer)
        inFlight -= 1
        exchange?.finish(result)
    }

    private func breakOff(_ transfer: CurlSlot, _ failure: HTTPFailure, now: Monotonic) {
        transfer.verdict = transfer.verdict ?? failure
        finish(transfer, nil, now: now)
    }

    private func finishRefused(now: Monotonic) {
        for (exchange, failure) in take(&refused) {
            inFlight -= 1
            exchange.finish(HTTPResult(startedAt: now, finishedAt: now, failure: failure))
        }
    }

    private func running(_ ticket: HTTPTicket) -> CurlSlot? {
        guard ticket.slot >= 0, Int(ticket.slot) < transfers.count else { return nil }
        let transfer = transfers[Int(ticket.slot)]
        return transfer.generation == ticket.generation && transfer.exchange != nil ? transfer : nil
    }

    private func vacantTransfer() throws(HTTPFailure) -> CurlSlot {
        if let slot = free.popLast() { return transfers[Int(slot)] }
        let transfer = try CurlSlot(slot: Int32(transfers.count), engine: self)
        transfers.append(transfer)
        return transfer
    }

    private func vacate(_ transfer: CurlSlot) {
        transfer.reset()
        free.append(transfer.slot)
    }

    // MARK: Stalls

    private func watchStalls(_ timeout: Int64, now: Monotonic) {
        guard timeout > 0 else { return }
        if inFlight == 1 { stallInterval = Self.longestStallInterval }
        stallInterval = max(1_000, min(stallInterval, timeout / 4))
        let check = now.advanced(byMicroseconds: stallInterval)
        if nextStallCheck.map({ $0 > check }) ?? true { nextStallCheck = check }
    }

    private func breakOffStalled(now: Monotonic) -> Bool {
        let stalled = transfers.filter { transfer in
            guard transfer.wasSent, let request = transfer.request else { return false }
            return transfer.stallClock.hasStalled(
                at: openTime(hold: transfer.hold, now: now), bytes: transfer.receivedBytes,
                limit: request.profile.configuration.stallTimeout)
        }
        for transfer in stalled where transfer.exchange != nil {
            let limit = describeDuration(transfer.request?.profile.configuration.stallTimeout ?? 0)
            let detail = "fewer than \(StallClock.leastBytes) bytes came within \(limit)"
            breakOff(transfer, HTTPFailure(.stalled, detail), now: now)
        }
        return !stalled.isEmpty
    }
}

/// Empties the array and returns what was in it.
private func take<Element>(_ array: inout [Element]) -> [Element] {
    defer { array.removeAll() }
    return array
}
