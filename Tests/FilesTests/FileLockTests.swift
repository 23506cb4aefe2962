import Files
import Glibc
import System
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

    @Test("whoever finds a lock taken finds written who has it, at any time")
    func neverUnknown() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path("lock")
        let others = Monitor((looks: 0, unknown: 0, isOver: false))
        spawnThread {
            while !others.withLock({ $0.isOver }) {
                var isUnknown = false
                if case .held(nil)? = try? FileLock.acquire(path) { isUnknown = true }
                others.withLock { $0 = ($0.looks + 1, $0.unknown + (isUnknown ? 1 : 0), $0.isOver) }
            }
            others.withLock { $0.looks = -1 }
        }
        let folder = open(temporary.path("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        var rounds = 0
        while rounds < 300 || others.withLock({ $0.looks }) < 300 {
            // As after the death of a process, whose name is no longer there. Behind the folder's lock, lest it be between
            // the other's finding the lock taken and its reading by whom.
            flock(folder, LOCK_EX)
            truncate(path, 0)
            flock(folder, LOCK_UN)
            guard case .acquired(let lock) = try FileLock.acquire(path) else { continue }
            lock.release()
            rounds += 1
        }
        others.withLock { $0.isOver = true }
        _ = others.wait { $0.looks == -1 ? true : nil }
        #expect(others.withLock { $0.unknown } == 0)
    }

    @Test("a look at a lock never keeps anybody from taking it")
    func look() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path("lock")
        let looker = Monitor((looks: 0, isOver: false))
        spawnThread {
            while !looker.withLock({ $0.isOver }) {
                _ = try? FileLock.state(of: path)
                looker.withLock { $0.looks += 1 }
            }
            looker.withLock { $0.looks = -1 }
        }
        var refused = 0
        while looker.withLock({ $0.looks }) < 5_000 {
            guard case .acquired(let lock) = try FileLock.acquire(path) else {
                refused += 1
                continue
            }
            lock.release()
        }
        looker.withLock { $0.isOver = true }
        _ = looker.wait { $0.looks == -1 ? true : nil }
        #expect(refused == 0)
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
