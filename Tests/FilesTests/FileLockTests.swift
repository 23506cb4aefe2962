import Files
import Glibc
import TestSupport
import Testing

@Suite("One run at a time holds a lock", .timeLimit(.minutes(1)))
struct FileLockTests {
    @Test("the second who asks is told who holds it, until it is released")
    func held() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path("lock")
        let before = wallClockMicroseconds()
        guard case .acquired(let lock) = try FileLock.acquire(path) else {
            Issue.record("a free lock was refused")
            return
        }
        guard case .held(let holder?) = try FileLock.acquire(path) else {
            Issue.record("a lock was given twice")
            return
        }
        #expect(holder.pid == getpid())
        #expect((before...wallClockMicroseconds()).contains(holder.since))
        #expect(!holder.host.isEmpty)
        lock.release()
        guard case .acquired = try FileLock.acquire(path) else {
            Issue.record("a released lock was refused")
            return
        }
        #expect(temporary.names() == ["lock"])
    }

    @Test("a lock that is let go of is free")
    func letGo() throws {
        let temporary = try TemporaryDirectory()
        for _ in 0..<3 {
            guard case .acquired = try FileLock.acquire(temporary.path("lock")) else {
                Issue.record("a lock outlived its owner")
                return
            }
        }
    }

    @Test("another process holds it for as long as it lives", .enabled(if: isInstalled("flock")))
    func otherProcess() throws {
        let fixture = try Fixture()
        let (ready, stop) = (fixture.temporary.path("ready"), fixture.temporary.path("stop"))
        #expect(mkfifo(ready, 0o600) == 0 && mkfifo(stop, 0o600) == 0)
        // Open for both directions, a pipe waits for nobody.
        let pipes = [open(ready, O_RDWR | O_CLOEXEC), open(stop, O_RDWR | O_CLOEXEC)]
        defer { for pipe in pipes { close(pipe) } }
        guard case .acquired(let first) = try fixture.directory.lock() else {
            Issue.record("a free lock was refused")
            return
        }
        first.release()
        let process = try start([
            "flock", fixture.directory.path + "/.runner/lock", "sh", "-c", "echo > '\(ready)'; read line < '\(stop)'",
        ])
        var event = pollfd(fd: pipes[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&event, 1, 20_000) == 1)
        if case .acquired = try fixture.directory.lock() { Issue.record("a lock was given twice") }
        #expect(write(pipes[1], "\n", 1) == 1)
        wait(for: process)
        guard case .acquired = try fixture.directory.lock() else {
            Issue.record("a lock outlived its process")
            return
        }
    }

    @Test("a holder that has not written who it is, is nobody yet", arguments: ["", "12", "garbage\n", "1 2 host"])
    func unknownHolder(text: String) throws {
        let temporary = try TemporaryDirectory()
        guard case .acquired(let lock) = try FileLock.acquire(temporary.path("lock")) else {
            Issue.record("a free lock was refused")
            return
        }
        defer { lock.release() }
        let file = open(temporary.path("lock"), O_WRONLY | O_TRUNC)
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        close(file)
        guard case .held(nil) = try FileLock.acquire(temporary.path("lock")) else {
            Issue.record("a holder was made up")
            return
        }
    }

    @Test("a lock that cannot be made says where")
    func impossible() throws {
        let error = #expect(throws: FileError.self) { try FileLock.acquire("/nonexistent/lock") }
        #expect(error?.description == "cannot lock /nonexistent/lock: No such file or directory")
    }
}
