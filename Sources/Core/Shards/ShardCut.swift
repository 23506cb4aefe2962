package import HTTP
package import Jobs
import Model
package import Run

/// How the items of a run are divided among machines.
///
/// A host goes to one shard as a whole, so that every limit and pause stays on one machine: the small ones by
/// ``HostHash``, those with more than a quarter of a shard's work to the shard with the least. One with more than half a
/// shard's work that may be asked several things at a time is split by key, and each part has its share of that.
package struct ShardCut: Sendable {
    /// What one machine is given.
    package struct Shard: Sendable {
        package fileprivate(set) var items = 0
        package fileprivate(set) var hosts = 0
        /// Hosts of which others have parts, too, and how many parts there are.
        package fileprivate(set) var parts: [HTTPOrigin: Int] = [:]
        /// Microseconds that it takes at least, by what transfers took before.
        package fileprivate(set) var time: Int64 = 0
        /// Microseconds of all its transfers, one after another.
        fileprivate var work: Int64 = 0
    }

    package private(set) var shards: [Shard]
    /// The shard of each item, in the order in which they were given.
    package private(set) var places: [Int]
    /// The host that takes longest at its limits, and how long, microseconds; nil without items.
    package private(set) var slowest: (origin: HTTPOrigin, time: Int64)?

    /// Of a transfer to a host that nothing is known of, microseconds.
    package static let usualTime: Int64 = 250_000

    private struct Host {
        var count: Int64 = 0
        var time: Int64
        var parts = 1
        /// The shard of each part.
        var shards: [Int] = []
        /// Of all items, one after another, microseconds.
        var work: Int64 { count.multiplied(by: time) }
    }

    /// - Parameters:
    ///   - times: microseconds that a transfer takes, by host.
    ///   - count: how many shards, at least 1.
    package init(_ items: [CarvedItem], times: [HTTPOrigin: Int64], _ policy: TransferPolicy, count: Int) {
        (places, slowest) = ([], nil)
        var hosts: [HTTPOrigin: Host] = [:]
        for item in items {
            hosts[item.origin, default: Host(time: times[item.origin] ?? Self.usualTime)].count += 1
        }
        shards = Array(repeating: Shard(), count: count)
        let total = hosts.values.reduce(Int64(0)) { $0.adding($1.work) }
        let half = max(1, total / Int64(2 * count))
        // By name where they have as much: the same list is cut the same way.
        var heavy = count > 1 ? hosts.filter { $0.value.work > half / 2 }.map(\.key) : []
        heavy.sort { one, other in
            let (first, second) = (hosts[one]?.work ?? 0, hosts[other]?.work ?? 0)
            return first == second ? one.description < other.description : first > second
        }
        let isHeavy = Set(heavy)
        for (origin, host) in hosts where !isHeavy.contains(origin) {
            let place = HostHash.shard(of: origin, among: count)
            hosts[origin]?.shards = [place]
            shards[place].work = shards[place].work.adding(host.work)
        }
        var pieces: [(origin: HTTPOrigin, work: Int64)] = []
        for origin in heavy {
            guard let host = hosts[origin] else { continue }
            let halves = host.work / half + (host.work % half == 0 ? 0 : 1)
            // A part asks at least one thing at a time.
            let parts = min(max(1, Int(min(Int64(count), halves))), policy.perHost, Int(clamping: host.count))
            hosts[origin]?.parts = parts
            pieces += Array(repeating: (origin, host.work / Int64(parts)), count: parts)
        }
        for piece in pieces.sorted(by: { $0.work > $1.work }) {
            let taken = hosts[piece.origin]?.shards ?? []
            var least: Int?
            for place in shards.indices where !taken.contains(place) {
                if least.map({ shards[place].work < shards[$0].work }) ?? true { least = place }
            }
            guard let place = least else { continue }
            hosts[piece.origin]?.shards.append(place)
            shards[place].work = shards[place].work.adding(piece.work)
        }
        places.reserveCapacity(items.count)
        for item in items {
            guard let host = hosts[item.origin] else { continue }
            let part = host.parts == 1 ? 0 : HostHash.part(of: item.key, among: host.parts)
            places.append(host.shards[part])
            shards[host.shards[part]].items += 1
        }
        estimate(hosts, policy)
    }

    /// How long shards take: as long as all their transfers at the job's concurrency, and as long as each host at its
    /// limits.
    private mutating func estimate(_ hosts: [HTTPOrigin: Host], _ policy: TransferPolicy) {
        for place in shards.indices { shards[place].time = shards[place].work / Int64(max(1, policy.concurrency)) }
        for (origin, host) in hosts {
            let atOnce = Int64(max(1, policy.perHost / host.parts))
            let share = host.count / Int64(host.parts)
            var time = share.multiplied(by: host.time) / atOnce
            if let rate = policy.rate {
                time = max(time, share.multiplied(by: rate.interval).multiplied(by: Int64(host.parts)))
            }
            if time > slowest?.time ?? -1 { slowest = (origin, time) }
            for place in host.shards {
                shards[place].hosts += 1
                shards[place].time = max(shards[place].time, time)
                if host.parts > 1 { shards[place].parts[origin] = host.parts }
            }
        }
    }

    /// How many shards it takes for each to have at most so much time, microseconds.
    package static func count(
        of items: [CarvedItem], times: [HTTPOrigin: Int64], _ policy: TransferPolicy, within time: Int64
    ) -> Int {
        let work = items.reduce(Int64(0)) { $0.adding(times[$1.origin] ?? Self.usualTime) }
        let whole = work / Int64(max(1, policy.concurrency))
        return Int(clamping: max(1, (whole / time) + (whole % time == 0 ? 0 : 1)))
    }
}

extension Int64 {
    /// At most what a number holds: times and rates come from catalogs and job files.
    fileprivate func multiplied(by other: Int64) -> Int64 {
        let (product, isTooMuch) = multipliedReportingOverflow(by: other)
        return isTooMuch ? .max : product
    }

    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
