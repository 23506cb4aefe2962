internal import Catalog
internal import Dispatch
internal import HTTP
internal import SQLite
internal import Server
internal import System

/// Connections that read the catalog, each on a queue of its own: SQLite blocks, and the server's thread must not.
final class CatalogReaders: Sendable {
    /// A query takes no longer, in microseconds.
    static let timeLimit: Int64 = 1_000_000

    /// Kilobytes of each connection.
    private static let pageCache = 512

    private final class Reader: Sendable {
        let queue: DispatchQueue
        // Confined to `queue`: it is used in blocks on it only.
        nonisolated(unsafe) var connection: Connection?

        init(_ number: Int) {
            queue = DispatchQueue(label: "page reader \(number)")
        }
    }

    private let path: String
    private let readers: [Reader]
    private let next = Locked(0)

    init(path: String, count: Int) {
        self.path = path
        readers = (0..<count).map(Reader.init)
    }

    /// Runs `body` with a connection, and hands on what it returns or throws.
    ///
    /// - Parameters:
    ///   - limit: microseconds; nil for what nobody waits for.
    ///   - isTransaction: whether all of it is of one state of the catalog; not where `body` has transactions of its own.
    func read<T: Sendable>(
        within limit: Int64? = timeLimit, isTransaction: Bool = true,
        _ body: @escaping @Sendable (Connection) throws -> T,
        then done: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let number = next.withLock { next in
            next = (next + 1) % readers.count
            return next
        }
        let reader = readers[number]
        let path = path
        reader.queue.async {
            done(
                Result {
                    let connection = try Self.connection(of: reader, path)
                    func work() throws -> T {
                        try isTransaction
                            ? connection.transaction(.deferred) { try body(connection) } : body(connection)
                    }
                    return try limit.map { try connection.limited(to: $0, work) } ?? work()
                })
        }
    }

    /// Opened when it is first needed, and again where another file has come to the path.
    private static func connection(of reader: Reader, _ path: String) throws -> Connection {
        if let connection = reader.connection, !connection.isMoved { return connection }
        reader.connection?.close()
        reader.connection = nil
        let connection = try CatalogLocation.openForReading(path)
        // There are many connections, and the system has the file's pages in its own cache.
        try connection.setCache(kilobytes: pageCache)
        reader.connection = connection
        return connection
    }
}
