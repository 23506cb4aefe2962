internal import Dispatch
internal import HTTP
package import Server
package import SourceKit

/// What the page is started with.
package struct WebSettings: Sendable {
    /// Where to listen.
    package var address: ListenAddress
    /// Further names under which it may be reached: `--host`.
    package var hosts: [String] = []
    /// Job files and folders of them, which may be run from the page.
    package var files: [String] = []
    /// The catalog's file; it is there.
    package var database: String
    package var environment: [String: String] = [:]
    package var registry: SourceRegistry
    /// This program, to start runs with.
    package var program: String
    /// Microseconds that a request waits for a list to be sorted.
    package var sortPatience: Int64 = 900_000
    /// Of this program, for reports.
    package var version = ""
    package var limits = ServerLimits()

    package init(address: ListenAddress, database: String, registry: SourceRegistry, program: String) {
        self.address = address
        self.database = database
        self.registry = registry
        self.program = program
    }
}

/// The page: its files, its data, and what may be done from it.
///
/// It holds no state of its own: what it shows is in the catalog and in the runs that are at work.
package final class WebService: Sendable {
    private let server: HTTPServer
    private let handler: WebHandler

    /// Listens and serves from now on.
    ///
    /// - Throws: `ServerError` where the address is taken.
    package init(_ settings: WebSettings) throws(ServerError) {
        let listener = try Listener(settings.address)
        let access = Access(
            address: listener.name, port: listener.port, names: settings.hosts, token: Access.randomToken(),
            session: SessionFile.session(beside: settings.database))
        let handler = WebHandler(settings, access)
        self.handler = handler
        server = try HTTPServer(listener, limits: settings.limits) { handler.handle($0, $1) }
    }

    /// The link that signs a browser in.
    package var link: String {
        "http://\(server.listener.name)/?token=\(handler.access.token)"
    }

    package var token: String { handler.access.token }

    /// Whether other machines can connect.
    package var isOpenToOthers: Bool { !server.listener.isLocal }

    package var address: String { server.listener.name }

    /// Ends all streams and stops. Blocks, at most about a second; never on Swift's cooperative pool.
    package func stop() {
        server.stop()
    }
}
