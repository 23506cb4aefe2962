import Foundation
import Glibc
import MediaProtocol
import Testing

@testable import MediaClient

/// One renderer, the built program: what it makes, what it can't do, and how it ends.
@Suite("Renderers", .timeLimit(.minutes(5)))
struct RenderProcessTests {
    /// Beside the test's own program.
    private static var program: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path[..<(path.lastIndex(of: "/") ?? path.endIndex)] + "/runner-media"
    }

    private static let samples =
        #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/MediaTests/Samples"

    /// The file in memory that it reads nested ZIP files from, as the system names it.
    private static let scratch = "/memfd:scratch (deleted)"

    private func render(
        _ name: String, with process: RenderProcess, cpuSeconds: Int = 30
    ) throws -> (pictures: [RenderedPicture], faults: [RenderFault]) {
        let path = name.hasPrefix("/") ? name : "\(Self.samples)/\(name)"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var pictures: [RenderedPicture] = []
        var bytes: [UInt8] = []
        let faults = try process.render(
            file: file, RenderSettings(), cpuSeconds: cpuSeconds, begin: { pictures.append($0) },
            append: { bytes += $0 })
        #expect(bytes.count == pictures.reduce(0) { $0 + $1.size })
        return (pictures, faults)
    }

    @Test("one file after the other, also after one that is broken")
    func sequence() throws {
        let process = try RenderProcess(program: Self.program)
        #expect(process.version.hasPrefix("libvips "))
        #expect(try render("baseline.jpg", with: process).pictures.map(\.width) == [60])
        let broken = try render("treeloop.pdf", with: process)
        #expect(broken.pictures == [])
        #expect(broken.faults.map(\.kind) == [.corrupt])
        #expect(try render("README.md", with: process).faults.map(\.kind) == [.unsupported])
        #expect(try render("plain.pdf", with: process).pictures.map(\.kind) == [.page, .thumbnail])
        #expect(process.isAlive)
    }

    @Test("a PDF that takes for ever ends as a time-out, and the renderer with it")
    func endless() throws {
        let process = try RenderProcess(program: Self.program)
        let result = try render("endless.pdf", with: process, cpuSeconds: 1)
        #expect(result.pictures == [])
        #expect(result.faults.map(\.kind) == [.timeout])
        #expect(!process.isAlive)
    }

    @Test(
        "a renderer that is killed from outside says nothing of the file, one that crashes does",
        arguments: [
            (SIGKILL, false), (SIGTERM, false), (SIGSEGV, true), (SIGABRT, true),
        ])
    func killed(signal: Int32, isOwnDoing: Bool) throws {
        let process = try RenderProcess(program: Self.program)
        kill(process.processID, signal)
        let end = #expect(throws: RenderProcess.Ended.self) { try render("baseline.jpg", with: process) }
        #expect(end?.isOwnDoing == isOwnDoing)
        #expect(end?.isWorthAnotherTry == true)
        // A sanitizer takes the signal and ends with a status of its own.
        #if !SANITIZED
            #expect(end?.description.contains(String(cString: strsignal(signal))) == true)
        #endif
        #expect(!process.isAlive)
    }

    @Test("what the library says of one file is not said of the next")
    func oldWords() throws {
        let process = try RenderProcess(program: Self.program)
        // Its decoder complains of this one and makes a picture of it all the same.
        var picture = try Data(contentsOf: URL(fileURLWithPath: "\(Self.samples)/cmyk.jpg"))
        picture[17] ^= 0x41
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("runner-\(getpid())-odd.jpg")
        try picture.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try render(file.path, with: process).pictures.count == 1)
        let fault = try #require(try render("treeloop.pdf", with: process).faults.first)
        #expect(!fault.detail.contains("JPEG") && !fault.detail.contains("Jpeg"), "\(fault.detail)")
    }

    @Test("one that is interrupted returns at once")
    func interrupted() throws {
        let process = try RenderProcess(program: Self.program)
        process.interrupt()
        _ = try render("endless.pdf", with: process)
        #expect(process.wasInterrupted)
        #expect(!process.isAlive)
    }

    @Test("it has given up its powers before it takes a file")
    func sandbox() throws {
        let process = try RenderProcess(program: Self.program)
        let status = try text("/proc/\(process.processID)/status")
        #expect(status.contains("\nNoNewPrivs:\t1\n"))
        #expect(status.contains("\nSeccomp:\t2\n"))
        for kind in ["Inh", "Prm", "Eff", "Amb"] {
            #expect(status.contains("\nCap\(kind):\t0000000000000000\n"), "\(kind)")
        }
        // Who is not root can't drop what a program could get, and can't run one.
        if geteuid() == 0 { #expect(status.contains("\nCapBnd:\t0000000000000000\n")) }
        let limits = try text("/proc/\(process.processID)/limits")
        func limit(_ name: String) -> [Substring] {
            let line = limits.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return line.dropFirst(name.count).split(separator: " ")
        }
        #if !SANITIZED
            #expect(limit("Max data size").first == "419430400")
            #expect(limit("Max address space").first == "1073741824")
        #endif
        #expect(limit("Max open files").first == "64")
        #expect(limit("Max core file size").first == "0")
        #expect(limit("Max file size").first == "67108864")
        // Standard input is the pair of sockets; the other two lead nowhere, and the test's own files are not there.
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd")
        let leading = files.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.processID)/fd/\($0)")
        }
        #expect(leading.filter { $0 != "/dev/null" && !$0.hasPrefix("anon_inode:") && $0 != Self.scratch }.count == 1)
    }

    @Test("a program that is no renderer is told from one")
    func foreign() {
        #expect {
            try RenderProcess(program: "/bin/true")
        } throws: {
            "\($0)" == "/bin/true does not start: exit status 0"
        }
        #expect {
            try RenderProcess(program: "/nonexistent")
        } throws: {
            "\($0)" == "/nonexistent can't be started: No such file or directory"
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }
}
