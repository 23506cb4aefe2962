import Glibc

/// nginx on a free port of the loopback interface, with a folder of its own; for TLS, HTTP/2 and true speed.
///
/// It runs in the foreground as one process, which ends when the value goes, or by `stop()`.
package final class NginxServer: Sendable {
    package struct Options: Sendable {
        /// The folder whose files are served.
        package var root: String
        /// Serves TLS with this certificate, otherwise in clear.
        package var certificate: TestCertificate?
        /// Offers HTTP/2: by ALPN under TLS, as the only protocol in clear.
        package var hasHTTP2 = false
        /// More directives for the `server` block, such as location blocks.
        package var extra = ""

        package init(root: String) { self.root = root }
    }

    package let port: Int
    private let directory: TemporaryDirectory
    private let process: Subprocess
    private let scheme: String
    private let isStopped = Monitor(false)

    package init(_ options: Options) throws {
        directory = try TemporaryDirectory()
        scheme = options.certificate == nil ? "http" : "https"
        var attempt = 0
        while true {
            // Another program may take the port before nginx has it; then nginx ends, and another one is tried.
            let port = try Self.freePort()
            let file = try directory.write(Self.configuration(options, port: port, directory), to: "nginx.conf")
            let process = try Subprocess(
                [Self.program, "-p", directory.path, "-c", file, "-e", directory.path("error.log")],
                log: directory.path("output.log"))
            if Self.waitUntilAccepting(port, process) {
                self.port = port
                self.process = process
                return
            }
            attempt += 1
            if attempt == 5 {
                let log = directory.read("error.log") ?? []
                throw TestSupportError("nginx does not start: \(String(decoding: log, as: UTF8.self))")
            }
        }
    }

    deinit {
        stop()
    }

    /// Whether this machine has nginx.
    package static var isInstalled: Bool { access(program, X_OK) == 0 }

    /// The URL of a path, such as "/a.png".
    package func url(_ path: String = "/") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    /// The lines of the access log so far: protocol, status, bytes of the body, connection number, request target.
    package func accessLog() throws -> [String] {
        String(decoding: directory.read("access.log") ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends the process.
    package func stop() {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        if !wasStopped { process.terminate() }
    }

    private static let program = "/usr/sbin/nginx"

    private static func configuration(_ options: Options, port: Int, _ directory: TemporaryDirectory) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory.path);" }.joined(separator: "\n    ")
        let tls = options.certificate.map { certificate in
            "ssl_certificate \(certificate.certificate); ssl_certificate_key \(certificate.key);"
        }
        return """
            daemon off;
            master_process off;
            worker_rlimit_nofile 8192;
            pid \(directory.path("nginx.pid"));
            events { worker_connections 2048; }
            http {
                \(temporary)
                log_format short '$server_protocol $status $body_bytes_sent $connection $request_uri';
                access_log \(directory.path("access.log")) short;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000;
                types { text/html html; image/png png; image/jpeg jpg; application/json json; application/zip zip; }
                default_type application/octet-stream;
                server {
                    listen 127.0.0.1:\(port)\(tls == nil ? "" : " ssl")\(options.hasHTTP2 ? " http2" : "");
                    root \(options.root);
                    \(tls ?? "")
                    \(options.extra)
                }
            }

            """
    }

    private static func freePort() throws -> Int {
        let probe = try LoopbackSocket()
        return probe.port
    }

    private static func waitUntilAccepting(_ port: Int, _ process: Subprocess) -> Bool {
        // There is no event to wait for: nginx tells nobody that it listens. It takes some 10 ms.
        for _ in 0..<2_000 {
            if LoopbackSocket.canConnect(to: port) { return !process.hasEnded() }
            if process.hasEnded() { return false }
            poll(nil, 0, 5)
        }
        process.terminate()
        return false
    }
}
