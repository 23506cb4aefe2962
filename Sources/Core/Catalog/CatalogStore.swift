import Dispatch
import HTTP
package import SQLite

/// The one writer of a catalog: a connection and the queue that it is confined to.
///
/// SQLite blocks, so nothing of it runs on Swift's cooperative pool.
package final class CatalogStore: Sendable {
    package let path: String
    private let queue = DispatchQueue(label: "catalog")
    // Confined to `queue`: it is used in blocks on it only.
    nonisolated(unsafe) private let connection: Connection
    // Confined to `queue` like the connection.
    nonisolated(unsafe) private var isClosed = false

    /// Opens the catalog, making it where it is missing.
    package init(path: String) throws {
        self.path = path
        connection = try CatalogLocation.openForWriting(path)
    }

    /// Uses a catalog that is open already.
    package init(adopting connection: sending Connection) {
        path = connection.path
        self.connection = connection
    }

    /// Runs a block on the catalog's queue and waits for it without blocking the caller's thread.
    package func perform<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try body(self.connection) })
            }
        }
    }

    /// Runs a block on the catalog's queue, after those given before; not at all once the store is closed.
    package func enqueue(_ body: @escaping @Sendable (Connection) -> Void) {
        queue.async { self.run(body) }
    }

    /// Runs a block on the catalog's queue after so many microseconds, unless the store is closed by then.
    package func enqueue(after microseconds: Int, _ body: @escaping @Sendable (Connection) -> Void) {
        queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { self.run(body) }
    }

    private func run(_ body: (Connection) -> Void) {
        if !isClosed { body(connection) }
    }

    /// Closes the connection after what was given before; the store is of no use afterwards.
    package func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.isClosed = true
                // Closing would remove the log by its name, which may be that of a new catalog.
                if self.connection.isMoved { self.connection.keepNeighbours() }
                self.connection.close()
                continuation.resume()
            }
        }
    }
}
