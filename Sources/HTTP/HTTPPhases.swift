/// Where the time of a transfer went, in microseconds, none negative.
package struct HTTPPhases: Hashable, Sendable {
    /// Looking the name up; 0 on a reused connection.
    package var dns: Int64
    /// Making the TCP connection; 0 on a reused one.
    package var connect: Int64
    /// Agreeing on TLS; 0 in clear and on a reused connection.
    package var tls: Int64
    /// From then to the first byte of the reply.
    package var wait: Int64
    /// From the first byte to the end.
    package var receive: Int64

    package init(dns: Int64 = 0, connect: Int64 = 0, tls: Int64 = 0, wait: Int64 = 0, receive: Int64 = 0) {
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.wait = wait
        self.receive = receive
    }

    /// The sum of the phases.
    package var total: Int64 { dns + connect + tls + wait + receive }

    /// Phase by phase, as for the hops of one fetch.
    package static func + (left: HTTPPhases, right: HTTPPhases) -> HTTPPhases {
        HTTPPhases(
            dns: left.dns + right.dns, connect: left.connect + right.connect, tls: left.tls + right.tls,
            wait: left.wait + right.wait, receive: left.receive + right.receive)
    }

    /// Splits `total` at the marks that were reached, each counted from the start and 0 when not reached.
    ///
    /// The phase that was open at the end takes what is left, so the sum is exactly `total`.
    init(marks: Marks, isReused: Bool, isSecure: Bool, total: Int64) {
        self.init()
        var spent: Int64 = 0
        func take(until mark: Int64) -> Int64 {
            let end = min(max(mark, spent), total)
            defer { spent = end }
            return end - spent
        }
        let isWaiting = isReused || (marks.connected > 0 && (!isSecure || marks.secured > 0))
        if !isReused {
            dns = take(until: marks.resolved > 0 ? marks.resolved : total)
            connect = take(until: marks.connected > 0 ? marks.connected : total)
            if isSecure { tls = take(until: marks.secured > 0 ? marks.secured : total) }
        }
        if isWaiting { wait = take(until: marks.firstByte > 0 ? marks.firstByte : total) }
        receive = take(until: total)
    }

    /// Microseconds from the start to the end of each step; 0 for a step that was not reached.
    struct Marks {
        var resolved: Int64 = 0
        var connected: Int64 = 0
        var secured: Int64 = 0
        var firstByte: Int64 = 0
    }
}
