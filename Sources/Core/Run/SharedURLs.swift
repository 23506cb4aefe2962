import Catalog
import HTTP
import Model
import SQLite
import System
import Transfer

/// Items of a run with one URL: one of them, the leader, is fetched for the others.
///
/// Confined to the catalog's queue, like the ledger.
final class SharedURLs {
    /// Items that take the outcome of another one, by that one's id.
    private var followers: [Int64: [ItemWork]] = [:]
    /// Items that a user cancelled: no other takes their outcomes.
    private var givenUp: Set<Int64> = []
    /// Leaders by the hashes of what is asked for.
    private var leaders = HashIndex()
    /// Items that are asked for in place of those of the index, whose files went meanwhile, by the same hashes.
    private var newLeaders: [Int: Int64] = [:]

    /// An item's URL as it is asked for.
    typealias AskedURL = (_ shown: String, _ item: Int64) -> WebURL?

    var isEmpty: Bool { followers.isEmpty }

    private func hash(of work: ItemWork) -> Int {
        var hasher = Hasher()
        hasher.combine(work.url.text)
        hasher.combine(work.expectedContent)
        return hasher.finalize()
    }

    /// The item that is fetched for this one as well; nil when it leads.
    ///
    /// - Parameter isOpen: whether an item has not ended.
    func leader(
        of work: ItemWork, on catalog: Connection, isOpen: (Int64) -> Bool, askedURL: AskedURL
    ) throws -> Int64? {
        let hash = hash(of: work)
        var isReplaced = false
        let candidates = (newLeaders[hash].map { [$0] } ?? []) + leaders.candidates(hash)
        for candidate in candidates where !givenUp.contains(candidate) {
            guard let found = try ItemRows.url(of: candidate, on: catalog),
                askedURL(found.url, candidate) == work.url
            else { continue }
            if !found.isEvicted || isOpen(candidate) { return candidate }
            // One whose file went meanwhile has nothing to give.
            isReplaced = true
            break
        }
        if isReplaced {
            newLeaders[hash] = work.id
            return nil
        }
        leaders.insert(work.id, hash: hash)
        return nil
    }

    func follow(_ leader: Int64, _ work: ItemWork) {
        followers[leader, default: []].append(work)
    }

    /// The followers of an item that has ended; it has none afterwards.
    func takeFollowers(of leader: Int64) -> [ItemWork] {
        followers.removeValue(forKey: leader) ?? []
    }

    /// The items that take the outcome of another one, by that one's id.
    var followersByLeader: [Int64: [Int64]] { followers.mapValues { $0.map(\.id) } }

    /// The items that are fetched in the name of these.
    func leaders(of ids: Set<Int64>) -> Set<Int64> {
        Set(followers.filter { $0.value.contains { ids.contains($0.id) } }.keys)
    }

    /// Takes from items that a user cancels the other places of their URLs: one of them is fetched for the others, in its
    /// own name.
    ///
    /// - Returns: what is to be fetched now.
    func takeSuccessors(of ids: Set<Int64>, isOpen: (Int64) -> Bool) -> [ItemWork] {
        givenUp.formUnion(ids)
        return ids.compactMap { id in
            let others = takeFollowers(of: id).filter { !ids.contains($0.id) && isOpen($0.id) }
            guard let successor = others.first else { return nil }
            leaders.insert(successor.id, hash: hash(of: successor))
            if others.count > 1 { followers[successor.id] = Array(others.dropFirst()) }
            return successor
        }
    }

    /// An item that a user cancelled is retried.
    func reopen(_ item: Int64) {
        givenUp.remove(item)
    }

    /// Of items that are tried again and have one URL, one is fetched for the others: one that is under way, else the one
    /// that led them before, if it is there.
    ///
    /// - Returns: what is to be fetched.
    func grouped(
        _ work: [ItemWork], on catalog: Connection, isOpen: (Int64) -> Bool, askedURL: AskedURL
    ) throws -> [ItemWork] {
        let following = Set(followers.values.lazy.joined().map(\.id))
        var fetched: [ItemWork] = []
        for group in Dictionary(grouping: work, by: { hash(of: $0) }).values {
            let members = Set(group.map(\.id))
            let candidates = leaders.candidates(hash(of: group[0])).filter {
                isOpen($0) && !givenUp.contains($0) && !following.contains($0)
            }
            let underWay = try candidates.first { id in
                guard !members.contains(id), let found = try ItemRows.url(of: id, on: catalog) else { return false }
                return askedURL(found.url, id) == group[0].url
            }
            if let underWay {
                followers[underWay, default: []] += group
                continue
            }
            let leader = group.first { candidates.contains($0.id) } ?? group[0]
            fetched.append(leader)
            let others = group.filter { $0.id != leader.id }
            if !others.isEmpty { followers[leader.id, default: []] += others }
        }
        return fetched.sorted { $0.id < $1.id }
    }
}
