import Glibc
import TestSupport
import Testing

/// What the renderer asks the system for once it has given up its powers, as strace(1) sees it.
@Suite("End to end: the renderer's sandbox", .wholeProgramLimit)
struct SandboxTests {
    /// Makes pictures of files of every kind under strace. Gives the lines of each renderer from the one on by which it
    /// gives up its last power: the filter of system calls.
    ///
    /// Its second prctl(2), by which it hides its memory from other processes of the user, is left out: without it strace
    /// sees no path, but as root.
    private func trace() throws -> [[Substring]] {
        let names = ["baseline.jpg", "alpha.png", "plain.svg", "plain.heic", "plain.pdf", "pictures.zip"]
        let place = try PicturePlace(try PicturePlace.samples(names))
        let program = place.workplace.directory.path("traced")
        let traces = place.workplace.directory.path("traces")
        try place.workplace.directory.makeFolder("traces")
        try place.workplace.directory.write(
            """
            #!/bin/sh
            exec strace -f -qq -s 4096 -e trace=%file,%network,%process,prctl,seccomp \
                -e inject=prctl:retval=0:when=2 -o '\(traces)'/$$ \
                '\(Workplace.Program.renderer.path)'

            """, to: "traced")
        chmod(program, 0o700)
        try requireTracing(in: place.workplace)

        let result = try place.run("job.yaml", environment: ["RUNNER_MEDIA": program])
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(try place.catalog().number("SELECT count(DISTINCT item_id) FROM picture") == names.count)
        return try place.workplace.directory.names(in: "traces").map { name in
            let text = String(decoding: try #require(place.workplace.read("traces/\(name)")), as: UTF8.self)
            let lines = text.split(separator: "\n")
            let skipped = try #require(lines.first { $0.contains("(INJECTED)") })
            #expect(
                skipped.contains("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE)"), "another call was left out: \(skipped)")
            return Array(lines[try #require(lines.firstIndex { $0.contains(" seccomp(SECCOMP_SET_MODE_FILTER") })...])
        }
    }

    /// Without the right to trace, nothing could be seen, and all would seem well.
    private func requireTracing(in workplace: Workplace) throws {
        let result = try RunningProgram(
            ["/bin/sh", "-c", "exec strace -qq -e trace=none /bin/true"], environment: workplace.environment,
            directory: workplace.directory.path
        ).wait()
        try #require(
            result.ending == .exit(0),
            "strace does not work here, which scripts/install-packages test installs and ptrace(2) must be allowed for: \(result.errors)"
        )
    }

    @Test("after its start a renderer opens no socket, starts no program, and opens no path but fonts and libraries")
    func systemCalls() throws {
        let readable = [
            "/etc/fonts/", "/etc/ld.so.cache", "/lib/", "/lib64/", "/usr/lib/", "/usr/local/lib/",
            "/usr/local/share/fonts", "/usr/share/fontconfig/", "/usr/share/fonts", "/usr/share/poppler/",
            "/var/cache/fontconfig",
        ]
        let traces = try trace()
        #expect(!traces.isEmpty)
        var requests = 0
        var opened = 0
        for call in traces.flatMap(SystemCall.all) {
            switch call.name {
            case "recvmsg":
                // A request comes with a file.
                if call.text.contains("SCM_RIGHTS") { requests += 1 }
            case "recvfrom", "sendto":
                #expect(call.text.hasPrefix("(0, "), "not the pair of sockets that it was started with: \(call)")
            case "open", "openat":
                guard call.hasSucceeded else { continue }
                opened += 1
                let path = try #require(call.path, "\(call)")
                #expect(readable.contains { path.hasPrefix($0) }, "\(call)")
                #expect(call.text.contains("O_RDONLY"), "\(call)")
            case "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "execve", "execveat", "fork",
                "vfork", "kill", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "creat":
                Issue.record("\(call)")
            default:
                break
            }
        }
        #expect(requests == 6)
        // Fonts at the least: the trace saw what was opened.
        #expect(opened > 0)
    }

    @Test(
        "no other process is touched, no file changed and no memory had beyond the limits, on older kernels as well",
        arguments: [Int.max, 2, 1])
    func attempts(newestLandlock: Int) throws {
        let workplace = try Workplace()
        let file = try workplace.directory.write("hello\n", to: "readable/file")
        let other = try workplace.startOther()
        let result = try workplace.run(
            ["sandbox", "\(other.processID)", file, workplace.directory.path("readable"), "\(newestLandlock)"],
            with: .sandboxProof)
        #expect(other.end() == .signal(SIGKILL))
        let lines = result.output.split(separator: "\n")
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(lines.filter { !$0.hasPrefix("refused ") } == [])
        #expect(lines.last?.hasSuffix(" execve") == true)
        for name in ["prlimit of another process", "fcntl F_SETOWN", "shared memory", "open O_RDONLY O_TRUNC"] {
            #expect(lines.contains { $0.hasSuffix(" \(name)") }, "\(name) was not tried")
        }
        #expect(workplace.read("readable/file") == Array("hello\n".utf8))
        #expect(workplace.directory.names(in: "readable") == ["file"])
    }

    @Test("where the kernel can, Landlock alone keeps signals in", .enabled(if: kernelScopesSignals))
    func signals() throws {
        let workplace = try Workplace()
        let other = try workplace.startOther()
        defer { _ = other.end() }
        func output(_ newestLandlock: Int) throws -> String {
            try workplace.run(
                ["landlock", "\(other.processID)", "/", "/", "\(newestLandlock)"], with: .sandboxProof
            ).output
        }
        #expect(try output(5) == "possible kill\n")
        #expect(try output(.max) == "refused EPERM kill\n")
    }

    /// Linux 6.12 has the sixth version of Landlock.
    private static let kernelScopesSignals: Bool = {
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split { !$0.isNumber }.compactMap { Int($0) }
        return numbers.count >= 2 && (numbers[0], numbers[1]) >= (6, 12)
    }()
}

extension Workplace {
    /// Another process of the user, which does nothing.
    fileprivate func startOther() throws -> OtherProcess {
        OtherProcess(program: try RunningProgram(["/bin/sleep", "600"], environment: [:], directory: directory.path))
    }
}

private struct OtherProcess {
    let program: RunningProgram

    var processID: Int32 { program.processID }

    /// Ends it, unless something else has; tells what has.
    func end() -> RunningProgram.Ending? {
        kill(program.processID, SIGKILL)
        return try? program.wait().ending
    }
}

/// A system call, as strace writes it: `28685 openat(AT_FDCWD, "/etc/fonts", O_RDONLY) = 3`.
private struct SystemCall: CustomStringConvertible {
    let name: Substring
    /// From the opening parenthesis on.
    let text: String

    /// Nil for a line that is no call, but the end of a process or a signal.
    private init?(_ line: String) {
        guard let parenthesis = line.firstIndex(of: "("), line.first?.isLetter == true else { return nil }
        name = line[..<parenthesis]
        text = String(line[parenthesis...])
    }

    /// The calls of some lines. One that another thread's interrupts has two: `28685 openat(AT_FDCWD, <unfinished ...>`
    /// and `28685 <... openat resumed>"/etc/fonts", O_RDONLY) = 3`.
    static func all(in lines: [Substring]) -> [SystemCall] {
        var begun: [Substring: Substring] = [:]
        return lines.compactMap { line in
            let thread = line.prefix { $0 != " " }
            let call = line.dropFirst(thread.count).drop { $0 == " " }
            if let end = call.firstRange(of: " <unfinished ...>") {
                begun[thread] = call[..<end.lowerBound]
                return nil
            }
            if call.hasPrefix("<... "), let end = call.firstRange(of: " resumed>") {
                return SystemCall("\(begun.removeValue(forKey: thread) ?? "")\(call[end.upperBound...])")
            }
            return SystemCall(String(call))
        }
    }

    var hasSucceeded: Bool { !text.contains(" = -1 E") }

    /// The first argument that is a path.
    var path: Substring? {
        let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? parts[1] : nil
    }

    var description: String { "\(name)\(text)" }
}
