import Catalog
import Files
import HTTP
import System
import TestSupport
import Testing

@testable import Jobs
@testable import Model
@testable import Schedule
@testable import Storage

/// Durations, sizes, rates and small values.
@Suite("Units and small values", .timeLimit(.minutes(1)))
struct UnitTests {
    @Test(
        "durations in microseconds",
        arguments: [
            ("250ms", 250_000), ("10s", 10_000_000), ("5m", 300_000_000), ("5min", 300_000_000), ("1h", 3_600_000_000),
            ("1d", 86_400_000_000), ("1.5s", 1_500_000), ("0s", 0), ("10 s", 10_000_000), ("10", nil), ("s", nil),
            ("-1s", nil),
            ("1e3s", nil), ("1.2.3s", nil), ("10S", nil), ("", nil), ("99999999999999d", nil), ("1 0s", nil),
            ("10w", nil),
            (String(repeating: "9", count: 400) + "s", nil), ("٣s", nil),
        ] as [(String, Int64?)])
    func durations(_ text: String, _ microseconds: Int64?) {
        #expect(TimeSpan(text)?.microseconds == microseconds)
    }

    @Test(
        "sizes in bytes",
        arguments: [
            ("512", 512), ("0", 0), ("10kB", 10_000), ("10KB", 10_000), ("10KiB", 10_240), ("5MB", 5_000_000),
            ("1GiB", 1_073_741_824),
            ("1.5MiB", 1_572_864), ("1TB", 1_000_000_000_000), ("7B", 7), ("10 MB", 10_000_000), ("10mb", nil),
            ("-1", nil),
            ("", nil), ("1e9", nil), ("99999999TiB", nil),
        ] as [(String, Int64?)])
    func sizes(_ text: String, _ bytes: Int64?) {
        #expect(ByteCount(text)?.bytes == bytes)
    }

    @Test(
        "rates as the time between requests",
        arguments: [
            ("20/s", 50_000), ("3600/h", 1_000_000), ("600/m", 100_000), ("1/d", 86_400_000_000), ("0.5/s", 2_000_000),
            ("0/s", nil),
            ("-1/s", nil), ("20", nil), ("20/", nil), ("/s", nil), ("20/w", nil), ("nan/s", nil), ("inf/s", nil),
            ("20MB/s", nil),
        ] as [(String, Int64?)])
    func rates(_ text: String, _ interval: Int64?) {
        #expect(RequestRate(text)?.interval == interval)
    }

    @Test(
        "bandwidths in bytes a second",
        arguments: [("10MB/s", 10_000_000), ("512KiB/s", 524_288), ("0/s", nil), ("10MB", nil), ("10MB/m", nil)]
            as [(String, Int64?)])
    func bandwidths(_ text: String, _ bytes: Int64?) {
        #expect(ByteRate(text)?.bytesPerSecond == bytes)
    }

    @Test(
        "times as people read them",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"),
            (951_782_400_000_000, "2000-02-29 00:00:00 UTC"),
            (951_868_800_000_000, "2000-03-01 00:00:00 UTC"), (1_445_412_480_999_999, "2015-10-21 07:28:00 UTC"),
            (4_107_542_399_000_000, "2100-02-28 23:59:59 UTC"), (4_107_542_400_000_000, "2100-03-01 00:00:00 UTC"),
            (1_735_689_599_000_000, "2024-12-31 23:59:59 UTC"),
        ] as [(Int64, String)])
    func times(_ microseconds: Int64, _ text: String) {
        #expect(utcText(microseconds) == text)
    }

    @Test("shares and counts of allowed failures")
    func allowances() {
        #expect(FailureAllowance.count(2).allows(2, of: 2))
        #expect(!FailureAllowance.count(2).allows(3, of: 1_000))
        #expect(FailureAllowance.share(2).allows(2, of: 100))
        #expect(!FailureAllowance.share(2).allows(3, of: 100))
        #expect(FailureAllowance.share(0).allows(0, of: 0))
        #expect(!FailureAllowance.share(0).allows(1, of: 1))
    }

    @Test("a selection as the catalog writes it")
    func selections() {
        var selection = Selection()
        #expect(selection.text() == nil)
        selection.isFailedOnly = true
        selection.isRefreshing = true
        selection.only = ["a\"*", "b"]
        selection.limit = 5
        #expect(selection.text() == #"{"failed":true,"refresh":true,"only":["a\"*","b"],"limit":5}"#)
    }

    // MARK: Containers

    @Test("timers come in order of their time, and can be taken out")
    func timers() {
        var heap = TimerHeap<Int>()
        var generator = SplitMix(1)
        let dues = (0..<500).map { _ in Int64.random(in: 0...100, using: &generator) }
        for (index, due) in dues.enumerated() { heap.insert(index, due: Monotonic(microseconds: due)) }
        let removed = heap.removeAll { $0 % 3 == 0 }
        #expect(removed.count == 167)
        #expect(heap.popDue(Monotonic(microseconds: -1)) == nil)
        var last: Int64 = -1
        var count = 0
        while let next = heap.next {
            #expect(next.microseconds >= last)
            last = next.microseconds
            let value = heap.popDue(next)
            #expect(value.map { dues[$0] == last && $0 % 3 != 0 } == true)
            count += 1
        }
        #expect(count == 333)
    }

    @Test("a set of ids is a set of ids")
    func idSet() {
        var set = IDSet()
        var model: Set<Int64> = []
        var generator = SplitMix(2)
        for _ in 0..<5_000 {
            let id = Int64.random(in: 1...1_000, using: &generator)
            if Bool.random(using: &generator) {
                #expect(set.insert(id) == model.insert(id).inserted)
            } else {
                #expect(set.remove(id) == (model.remove(id) != nil))
            }
        }
        #expect(set.count == model.count)
        #expect((-70...1_100).allSatisfy { set.contains($0) == model.contains($0) })
        #expect(set.highest <= 1_000)
    }

    @Test("every URL that was put in is found among few candidates")
    func urlIndex() {
        var index = HashIndex()
        func hash(_ id: Int64) -> Int { Int(truncatingIfNeeded: UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) }
        for id in 1...20_000 as ClosedRange<Int64> { index.insert(id, hash: hash(id)) }
        #expect((1...20_000 as ClosedRange<Int64>).allSatisfy { index.candidates(hash($0)).contains($0) })
        let strays = (20_001...30_000 as ClosedRange<Int64>).count { !index.candidates(hash($0)).isEmpty }
        #expect(strays < 10)
        index.insert(1 << 40, hash: 7)
        #expect(!index.candidates(7).contains(1 << 40))
    }

    @Test("equal digests of a long list are found at once, the latest item first")
    func equalDigests() {
        var stored = StoredBytes()
        let digest = SHA256().finalize()
        var other = SHA256()
        [UInt8(1)].withUnsafeBytes { other.update($0) }
        let single = other.finalize()
        // Gone through one by one they would be forty thousand million comparisons.
        for id in 1...200_000 as ClosedRange<Int64> { stored.add(digest, of: id) }
        stored.add(single, of: 200_001)
        #expect(Array(stored.candidates(digest).prefix(3)) == [200_000, 199_999, 199_998])
        #expect(Array(stored.candidates(single)) == [200_001])
    }

    @Test("a queue gives back what it was given, in order")
    func fifo() {
        var queue = FIFO<Int>()
        for number in 0..<1_000 { queue.append(number) }
        #expect((0..<500).allSatisfy { _ in queue.popFirst() != nil })
        queue.append(contentsOf: 1_000..<1_010)
        #expect(queue.first == 500)
        #expect(queue.popFirst(3) == [500, 501, 502])
        queue.removeAll { $0 % 2 == 0 }
        #expect(queue.popFirst() == 503)
        #expect(queue.popFirst() == 505)
        #expect(queue.count == 252)
        #expect(queue.removeAll().last == 1_009)
        #expect(queue.isEmpty)
    }
}
