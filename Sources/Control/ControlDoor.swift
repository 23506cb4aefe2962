import Dispatch
import HTTP
package import Run
import Server
import System

/// Gives each run of the process its control socket.
package final class ControlDoor: RunDoor {
    private let environment: [String: String]
    /// Sockets are opened and closed here.
    private let queue = DispatchQueue(label: "control")
    private let services = Locked<[Int64: RunService]>([:])

    package init(environment: [String: String]) {
        self.environment = environment
    }

    package func open(_ run: RunHandle) {
        queue.async { [self] in
            do throws(ServerError) {
                let service = try RunService(run, folders: folders(of: run))
                services.withLock { $0[run.id] = service }
            } catch {
                run.warn("the run has no control socket, and goes on without: \(error)")
            }
        }
    }

    package func close(_ run: RunHandle) async {
        let service = await withCheckedContinuation { continuation in
            queue.async { [services] in
                continuation.resume(returning: services.withLock { $0.removeValue(forKey: run.id) })
            }
        }
        await service?.end()
    }

    private func folders(of run: RunHandle) -> [String] {
        SocketPlaces.folders(environment: environment, database: run.database)
    }
}

/// The socket of one run, and what is behind it.
final class RunService: Sendable {
    private let server: HTTPServer
    private let streams: RunStreams

    /// - Throws: why the last of the folders can't have the socket.
    init(_ run: RunHandle, folders: [String]) throws(ServerError) {
        let name = SocketPlaces.name(ofRun: run.id)
        var found: Result<Listener, ServerError>?
        for folder in folders {
            SocketPlaces.removeDead(in: [folder])
            // Another catalog's run of the same number may have the name in a folder that all runs of the user share.
            do throws(ServerError) {
                found = .success(try Listener(folder: folder, name: name))
                break
            } catch {
                found = .failure(error)
            }
        }
        let streams = RunStreams(run)
        let endpoints = RunEndpoints(run, streams)
        guard let found else { preconditionFailure("there is always a folder beside the catalog") }
        server = try HTTPServer(try found.get()) { endpoints.answer($0, $1) }
        self.streams = streams
    }

    /// Sends what is left, and that the run has finished, and closes the socket.
    func end() async {
        await withCheckedContinuation { continuation in
            streams.finish { continuation.resume() }
        }
        // It waits for the server's thread.
        await offPool { [server] in server.stop() }
    }
}
