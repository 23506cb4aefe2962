import Files
import Glibc
import System
import TestSupport
import Testing

@Suite("The system's answers reach the reader", .timeLimit(.minutes(1)))
struct SystemTests {
    @Test("a full disk is known as such, and leaves no part", .enabled(if: canMount, "mounting is not permitted"))
    func fullDisk() async throws {
        let temporary = try TemporaryDirectory()
        #expect(wait(for: try start(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", temporary.path])) == 0)
        // Lazily: the hash worker may hold on to a discarded part for a moment.
        defer { _ = try? wait(for: start(["umount", "--lazy", temporary.path])) }
        do {
            let directory = try OutputDirectory(path: temporary.path("out"), create: true)
            // A short body reaches the disk only when it is stored.
            try temporary.write([UInt8](repeating: 1, count: 1_000_000), to: "filler")
            let short = PartFile(in: directory, name: "short", hasher: HashWorker())
            try short.append(all: pattern(60_000))
            let late = await #expect(throws: FileError.self) { try await short.stored(in: directory) }
            #expect(late?.isDiskFull == true)
            #expect(temporary.names(in: "out/.runner/parts") == [])
            #expect(unlink(temporary.path("filler")) == 0)

            let long = PartFile(in: directory, name: "long", hasher: HashWorker())
            let error = #expect(throws: FileError.self) { try long.append(all: pattern(2_000_000), pieces: 16_384) }
            #expect(error?.isDiskFull == true)
            #expect(
                error?.description
                    == "cannot write \(temporary.path("out/.runner/parts/long")): No space left on device")
            long.discard()
            #expect(temporary.names(in: "out/.runner/parts") == [])
        }
    }

    @Test("a long body has the digest that sha256sum finds", .enabled(if: isInstalled("sha256sum")))
    func sameAsSystem() async throws {
        let fixture = try Fixture(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        let part = fixture.part()
        let piece = pattern(16_384)
        for _ in 0..<2_000 { try part.append(all: piece) }
        let sealed = try await part.sealed()
        let path = try RelativePath(validating: "large")
        _ = try fixture.directory.publish(try fixture.directory.store(sealed), as: path, replacing: false)
        let output = fixture.temporary.path("sum")
        #expect(wait(for: try start(["sh", "-c", "sha256sum '\(fixture.directory.path)/large' > '\(output)'"])) == 0)
        let sum = String(decoding: try #require(fixture.temporary.read("sum")).prefix(64), as: UTF8.self)
        #expect(sealed.digest.hex == sum)
    }

    @Test("local file systems are no network file systems, nor is a path that does not exist yet")
    func local() {
        for path in ["/", "/proc", "/dev/shm", "/nonexistent/a/b", "relative/missing", ""] {
            #expect(networkFileSystem(at: path) == nil)
        }
    }

    @Test("the wall clock is the system's")
    func clock() {
        let before = Int64(time(nil))
        let now = wallClockMicroseconds() / 1_000_000
        #expect((before - 1...before + 2).contains(now))
    }
}

/// Mounting needs privileges that a developer's or a container's user seldom has.
private let canMount: Bool = {
    guard geteuid() == 0, isInstalled("mount"), let temporary = try? TemporaryDirectory(),
        let mount = try? start([
            "sh", "-c", "mount -t tmpfs tmpfs '\(temporary.path)' 2>&- && umount '\(temporary.path)'",
        ])
    else { return false }
    return wait(for: mount) == 0
}()
