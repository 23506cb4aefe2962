import Catalog
import Glibc
import SQLite
import Server
import System
import Web

/// `runner web`: the page, until a signal.
struct WebCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }

    func run() async -> ExitCode {
        guard let address = ListenAddress(options.listen ?? "127.0.0.1:0") else {
            return context.refuse(
                "--listen needs an address and a port, as 127.0.0.1:8080 or [::1]:8080", usage: Command.web.usage)
        }
        for operand in options.operands where access(operand, R_OK) != 0 {
            console.tell("\(operand): error: can't be read: \(String(cString: strerror(errno)))")
            return .invalidJob
        }
        let service: WebService
        do {
            var settings = WebSettings(
                address: address, database: try catalog(), registry: context.registry, program: ownPath())
            settings.hosts = options.hosts
            settings.files = options.operands.map(Self.withoutDots)
            settings.environment = context.environment
            settings.version = runnerVersion
            service = try WebService(settings)
        } catch {
            console.complain("\(error)")
            return .failed
        }
        if service.isOpenToOthers {
            console.tell(
                "warning: other machines can reach \(service.address), and what is sent is not encrypted: whoever sees the link or "
                    + "a request may do all that the page may; an SSH tunnel or a proxy with TLS is safer")
        }
        let (stops, stop) = AsyncStream<Void>.makeStream()
        let signals = SignalWatch(stop: { _ in stop.finish() }, abort: {})
        let code = console.deliver { try console.output.write(service.link + "\n") }
        if code == .success {
            let browser = options.opensBrowser ? BrowserStart(service.link, context.environment) : nil
            if options.opensBrowser, browser == nil {
                console.tell("no browser could be started; open the link by hand")
            }
            for await _ in stops {}
            browser?.forget()
        }
        // It waits for the server's thread.
        await offPool { service.stop() }
        signals.cancel()
        return signals.received.map(ExitCode.signal) ?? code
    }

    /// The catalog's path; it is made where it is missing, so that there is one to look at and to keep marks in.
    private func catalog() throws -> String {
        let path = try CatalogLocation.path(flag: options.database, environment: context.environment)
        let isThere = access(path, F_OK) == 0
        try (isThere ? CatalogLocation.openForReading(path) : CatalogLocation.openForWriting(path)).close()
        return path
    }

    /// A path without the `.` that a person writes for a folder.
    private static func withoutDots(_ path: String) -> String {
        let parts = FilePath.absolute(path).split(separator: "/").filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }

    /// This program's file, whatever it was called by.
    private func ownPath() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A browser that is started with a link.
///
/// The link's token is not on its command line, which other users may see: that names a private file, which leads there.
private struct BrowserStart {
    private let file: String

    /// Nil where there is no browser to be started.
    init?(_ link: String, _ environment: [String: String]) {
        let folder = environment["XDG_RUNTIME_DIR"] ?? environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(folder)/runner-web-XXXXXX.html".utf8CString)
        // For its owner only.
        let descriptor = mkstemps(&template, 5)
        guard descriptor >= 0 else { return nil }
        file = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let text = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(link)\">\n"
        let written = write(descriptor, text, text.utf8.count)
        close(descriptor)
        let browser = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        let arguments = ["sh", "-c", "\"$0\" \"$1\" >/dev/null 2>&1 &", browser, file]
        var words = arguments.map { strdup($0) } + [nil]
        var entries = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + entries { free(text) } }
        var process = pid_t()
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let isThere = folders.contains { access("\($0)/\(browser)", X_OK) == 0 }
        guard written == text.utf8.count, isThere || browser.contains("/"),
            posix_spawn(&process, "/bin/sh", nil, nil, &words, &entries) == 0
        else {
            unlink(file)
            return nil
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    func forget() {
        unlink(file)
    }
}
