import Glibc
import Server
import TestSupport
import Testing

@Suite("Sockets of a server", .timeLimit(.minutes(1)))
struct SocketTests {
    private func server(in folder: String, name: String = "7.sock") throws -> HTTPServer {
        try HTTPServer(try Listener(folder: folder, name: name), handler: sayHello)
    }

    private func mode(_ path: String) -> mode_t {
        var information = stat()
        return lstat(path, &information) == 0 ? information.st_mode & 0o777 : 0
    }

    @Test("a Unix socket answers, in a folder and under a mode that keep others out")
    func unixSocket() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("control")
        let server = try server(in: folder)
        let connection = RawConnection(
            owning: try #require(try SocketFolder(folder, creating: false).connect(to: "7.sock")))
        #expect(try connection.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello /x")
        #expect(mode(folder) == 0o700 && mode(folder + "/7.sock") == 0o600)
        server.stop()
        #expect(try SocketFolder(folder, creating: false).names == [])
    }

    @Test("a path longer than a socket's address is no matter")
    func longPath() throws {
        let directory = try TemporaryDirectory()
        let deep = (1...12).map { _ in "twenty-characters-xx" }.joined(separator: "/")
        let file = try directory.write("", to: deep + "/x")
        let folder = file.dropLast(2) + "/control"
        let server = try server(in: String(folder))
        let sockets = try SocketFolder(String(folder), creating: false)
        #expect(sockets.names == ["7.sock"])
        let connection = RawConnection(owning: try #require(sockets.connect(to: "7.sock")))
        #expect(try connection.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        server.stop()
    }

    @Test("what a dead process left is replaced, a living socket is not")
    func stale() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("control")
        do {
            // A socket that is bound, and closed without being removed.
            let first = try SocketFolder(folder, creating: true)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder)/7.sock".utf8)) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(bound == 0)
            close(descriptor)
            #expect(first.names == ["7.sock"] && first.connect(to: "7.sock") == nil)
        }
        let living = try server(in: folder)
        let sockets = try SocketFolder(folder, creating: false)
        #expect(!sockets.removeIfDead("7.sock"))
        #expect(throws: ServerError.self) { try server(in: folder) }
        #expect(sockets.names == ["7.sock"])
        let descriptor = sockets.connect(to: "7.sock")
        #expect(descriptor != nil)
        descriptor.map { _ = close($0) }
        living.stop()
    }

    @Test("a folder in which others may write is refused")
    func openFolder() throws {
        let directory = try TemporaryDirectory()
        let folder = try directory.write("", to: "open/x").dropLast(2)
        chmod(String(folder), 0o777)
        #expect(throws: ServerError.self) { try server(in: String(folder)) }
    }

    @Test("addresses are numbers, with a port or a free one")
    func addresses() throws {
        #expect(ListenAddress("127.0.0.1:80")?.description == "127.0.0.1:80")
        #expect(ListenAddress("localhost:80")?.description == "127.0.0.1:80")
        #expect(ListenAddress("[::1]:80")?.description == "[::1]:80")
        #expect(ListenAddress("127.0.0.1")?.port == 0)
        #expect(ListenAddress("[::1]")?.isLoopback == true)
        #expect(ListenAddress("0.0.0.0:80")?.isLoopback == false)
        for text in [
            "", ":80", "::1", "[::1", "example.org:80", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "1:2:3",
        ] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
    }

    @Test("a port that is taken is said")
    func taken() throws {
        let first = try testServer()
        let error = #expect(throws: ServerError.self) {
            try Listener(try #require(ListenAddress(first.listener.name)))
        }
        #expect(error?.description.contains(first.listener.name) == true)
    }
}
