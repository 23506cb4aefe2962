/// How long and how much a server bears; times in microseconds.
package struct ServerLimits: Sendable {
    /// From a connection's beginning until its first request has reached the handler.
    package var requestTime: Int64 = 10_000_000
    /// From a response's end until the connection's next request has reached the handler.
    package var keepAlive: Int64 = 30_000_000
    /// Between the heartbeats of a stream on which nothing else is sent.
    package var heartbeat: Int64 = 15_000_000
    /// Until a client that takes nothing of its stream is let go.
    package var patience: Int64 = 60_000_000
    /// Connections at a time; further ones wait to be accepted.
    package var connections = 128

    package init() {}

    /// Between two looks at the clock while there are connections.
    var tick: Int64 { min(1_000_000, min(requestTime, keepAlive, heartbeat, patience) / 4) }
}
