internal import CMicrohttpd
internal import Dispatch
internal import Glibc
internal import HTTP

/// A small HTTP/1.1 server on a thread of its own, for one user's programs and browsers.
///
/// libmicrohttpd parses; what it lets pass is checked here (`RequestHead`): unknown methods, repeated fields,
/// Transfer-Encoding, odd targets and long bodies never reach the handler.
package final class HTTPServer: Sendable {
    /// Called on the server's thread, where it must not wait; the responder may be answered there or from any other.
    package typealias Handler = @Sendable (Request, Responder) -> Void

    package let listener: Listener
    private let core: ServerCore
    private let daemon: Locked<OpaquePointer?>

    /// Starts to serve; takes the listener over.
    ///
    /// - Throws: `ServerError` where the system gives no thread or no descriptors.
    package init(
        _ listener: Listener, limits: ServerLimits = ServerLimits(), handler: @escaping Handler
    ) throws(ServerError) {
        core = ServerCore(limits: limits, isUnixSocket: listener.isUnixSocket, handler: handler)
        var server = cmicrohttpd_server()
        server.handle = handleRequest
        server.see_target = seeTarget
        server.complete = completeRequest
        server.notify = noteConnection
        // The daemon is stopped before this object, which holds `core`, goes.
        server.context = Unmanaged.passUnretained(core).toOpaque()
        server.listening_socket = listener.descriptor
        server.maximum_connections = UInt32(clamping: limits.connections)
        server.idle_time = UInt32(clamping: limits.keepAlive / 1_000_000 + 1)
        guard let started = cmicrohttpd_start(&server) else {
            throw ServerError("cannot serve \(listener.name): \(String(cString: strerror(errno)))")
        }
        // libmicrohttpd closes the descriptor.
        listener.handOver()
        self.listener = listener
        daemon = Locked(started)
    }

    deinit {
        stop(draining: 0)
    }

    /// Stops listening, ends streams and answers whoever waits, gives them `draining` microseconds to be sent, and closes
    /// all connections. Blocks until then: never on Swift's cooperative pool, never on the server's own thread.
    package func stop(draining: Int64 = 1_000_000) {
        let running = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        guard let running else { return }
        listener.removeName()
        let socket = MHD_quiesce_daemon(running)
        core.stop(draining: draining)
        MHD_stop_daemon(running)
        if socket >= 0 { close(socket) }
    }
}

/// Why a server or its socket cannot be had.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
