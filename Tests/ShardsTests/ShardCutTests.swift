import HTTP
import Jobs
import Model
import Run
import Testing

@testable import Shards

@Suite("How items are cut", .timeLimit(.minutes(1)))
struct ShardCutTests {
    @Test(
        "a host is in the shard that the contract gives it",
        arguments: [
            ("https", "example.org", 443, [0, 2, 2, 63, 90]), ("http", "example.org", 80, [0, 1, 1, 9, 629]),
            ("https", "img.example.org", 8_443, [0, 1, 1, 61, 680]), ("http", "2001:db8::1", 80, [0, 1, 1, 43, 896]),
            ("https", "xn--bcher-kva.example", 443, [0, 0, 0, 14, 153]),
            ("http", "127.0.0.1", 8_080, [0, 2, 2, 22, 782]),
        ])
    func vectors(scheme: String, host: String, port: Int, shards: [Int]) {
        let origin = HTTPOrigin(scheme: scheme, host: host, port: port)
        #expect([1, 3, 4, 64, 1_000].map { HostHash.shard(of: origin, among: $0) } == shards)
    }

    @Test(
        "a key is in the part that the contract gives it",
        arguments: [("a1/7", [0, 0]), ("b", [0, 5]), ("日本", [1, 3])])
    func parts(key: String, parts: [Int]) {
        #expect([2, 8].map { HostHash.part(of: key, among: $0) } == parts)
    }

    @Test("few hosts move when there is one shard more, and only to that")
    func stable() {
        let origins = (0..<2_000).map { HTTPOrigin(scheme: "https", host: "h\($0).example", port: 443) }
        var moved = 0
        for origin in origins {
            let (before, after) = (HostHash.shard(of: origin, among: 9), HostHash.shard(of: origin, among: 10))
            if before != after {
                #expect(after == 9)
                moved += 1
            }
        }
        #expect((120...280).contains(moved))
    }

    private func items(_ counts: [(host: String, items: Int)]) -> [CarvedItem] {
        var items: [CarvedItem] = []
        for (host, count) in counts {
            for number in 0..<count {
                items.append(
                    CarvedItem(
                        id: Int64(items.count + 1), origin: HTTPOrigin(scheme: "https", host: host, port: 443),
                        key: "\(host)/\(number)"))
            }
        }
        return items
    }

    @Test("every item is in one shard, and every host on one machine unless it is divided", arguments: [1, 3, 64])
    func whole(count: Int) {
        let items = items((0..<200).map { ("h\($0).example", 5) } + [("hot.example", 1_500)])
        let cut = ShardCut(items, times: [:], TransferPolicy(), count: count)
        #expect(cut.places.count == items.count)
        #expect(cut.shards.map(\.items) == (0..<count).map { shard in cut.places.count { $0 == shard } })
        var places: [HTTPOrigin: Set<Int>] = [:]
        for (item, place) in zip(items, cut.places) { places[item.origin, default: []].insert(place) }
        for (origin, places) in places where origin.host != "hot.example" { #expect(places.count == 1) }
        let hot = HTTPOrigin(scheme: "https", host: "hot.example", port: 443)
        let parts = [1: 1, 3: 3, 64: 8][count]
        #expect(places[hot]?.count == parts)
        #expect(Set(cut.shards.compactMap { $0.parts[hot] }) == (count == 1 ? [] : [parts ?? 0]))
    }

    @Test("a host that may be asked one thing at a time stays whole, however much there is of it")
    func undivided() {
        var policy = TransferPolicy()
        policy.perHost = 1
        let items = items([("hot.example", 1_000), ("a.example", 10), ("b.example", 10)])
        let cut = ShardCut(items, times: [:], policy, count: 4)
        #expect(Set(cut.places.prefix(1_000)).count == 1)
        #expect(cut.shards.allSatisfy { $0.parts.isEmpty })
        // A thousand times 250 ms.
        #expect(cut.slowest?.time == 250_000_000)
    }

    @Test("slow hosts count for more than many items of fast ones")
    func balanced() {
        let slow = (0..<4).map { ("slow\($0).example", 100) }
        let items = items(slow + [("fast.example", 1_000)])
        var times: [HTTPOrigin: Int64] = [:]
        for (host, _) in slow { times[HTTPOrigin(scheme: "https", host: host, port: 443)] = 1_000_000 }
        times[HTTPOrigin(scheme: "https", host: "fast.example", port: 443)] = 1_000
        var policy = TransferPolicy()
        policy.perHost = 1
        let cut = ShardCut(items, times: times, policy, count: 4)
        #expect(Set((0..<4).map { cut.places[$0 * 100] }).count == 4)
    }

    @Test("a few hosts of one size are as many on each machine")
    func level() {
        let cut = ShardCut(
            items((0..<12).map { ("h\($0).example", 50) }), times: [:], TransferPolicy(), count: 4)
        #expect(cut.shards.map(\.hosts) == [3, 3, 3, 3])
        #expect(cut.shards.map(\.items) == [150, 150, 150, 150])
    }

    @Test("as many shards as hours need")
    func hours() {
        let items = items([("a.example", 16_000)])
        // 16,000 transfers of 250 ms, 16 at a time: 250 s.
        #expect(ShardCut.count(of: items, times: [:], TransferPolicy(), within: 100_000_000) == 3)
        #expect(ShardCut.count(of: items, times: [:], TransferPolicy(), within: 250_000_000) == 1)
        #expect(ShardCut.count(of: [], times: [:], TransferPolicy(), within: 1) == 1)
    }

    @Test("counts and times of any size are cut")
    func extremes() {
        var policy = TransferPolicy()
        policy.rate = RequestRate("1/d")
        let items = items([("a.example", 10)])
        let cut = ShardCut(items, times: [items[0].origin: .max], policy, count: 2)
        #expect(cut.places.count == 10)
    }
}
