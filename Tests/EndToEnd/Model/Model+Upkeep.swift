/// What commands other than runs do.
extension Model {
    /// What `verify` finds, as it prints it: the kind of fault and the key.
    mutating func verify(isRepairing: Bool) -> [String] {
        var lines: [String] = []
        for index in items.indices {
            let item = items[index]
            guard item.state == "stored" || item.state == "gone", let path = item.path, let size = item.size,
                !isIntact(item)
            else { continue }
            let file = files[path]
            let word = file.map { $0.count < size ? "truncated" : "changed" } ?? "missing"
            lines.append("\(word)\t\(item.key)")
            guard isRepairing else { continue }
            items[index].forget(path: file == nil)
            items[index].failure = nil
            items[index].askedAgain = nil
            if item.state == "stored" { items[index].state = "pending" }
        }
        return lines + verifySidecars(isRepairing: isRepairing)
    }

    /// What is taken away to keep within a limit.
    struct Eviction {
        var keys: [String] = []
        var changed: [String] = []
        var freed = 0
    }

    /// Takes away what was used least recently, until no more than so many bytes are kept.
    mutating func evict(over maximum: Int) -> Eviction {
        var eviction = Eviction()
        struct File {
            var items: [Int]
            var size: Int
            var lastUse: Int64
        }
        var groups: [File] = []
        var byInode: [Int: Int] = [:]
        for (index, item) in items.enumerated() where item.state == "stored" || item.state == "gone" {
            guard let path = item.path, let size = item.size, let file = files[path] else { continue }
            if let inode = inodes[path], let group = byInode[inode] {
                groups[group].items.append(index)
                groups[group].lastUse = max(groups[group].lastUse, item.lastUse)
                continue
            }
            if let inode = inodes[path] { byInode[inode] = groups.count }
            groups.append(File(items: [index], size: file.count == size ? size : 0, lastUse: item.lastUse))
        }
        groups.sort { ($0.lastUse, $0.items[0]) < ($1.lastUse, $1.items[0]) }
        var bytes = groups.reduce(0) { $0 + ($1.size > maximum ? 0 : $1.size) }
        for group in groups.filter({ $0.size > maximum }) + groups.filter({ $0.size <= maximum }) {
            guard group.size > maximum || bytes > maximum else { break }
            if group.size <= maximum { bytes -= group.size }
            let intact = group.items.filter { isIntact(items[$0]) }
            eviction.changed += group.items.filter { !intact.contains($0) }.map { items[$0].key }
            eviction.keys += intact.map { items[$0].key }
            eviction.changed += intact.filter { isSidecarChanged(items[$0]) }.map { items[$0].key }
            let inode = intact.first.flatMap { items[$0].path }.flatMap { inodes[$0] }
            for index in intact {
                if let path = items[index].path { remove(path) }
                removeSidecar(of: index)
                items[index].evict()
            }
            if !intact.isEmpty, !inodes.values.contains(where: { $0 == inode }) { eviction.freed += group.size }
        }
        return eviction
    }

    /// Deletes what the job stored, or one collection of it.
    mutating func reset(_ collection: Int?) {
        for index in items.indices where collection == nil || items[index].collection == collection {
            if let path = items[index].path { remove(path) }
            removeSidecar(of: index)
        }
        items.removeAll { collection == nil || $0.collection == collection }
        if collection == nil { isJobKnown = false }
    }
}

extension Model.Item {
    fileprivate mutating func evict() {
        state = "evicted"
        (path, storedURL, etag, date, expires, failure, askedAgain) = (nil, nil, nil, nil, nil, nil, nil)
        isUnsettled = false
    }
}
