/// Metadata beside files.
extension Model {
    /// A row of the table `sidecar`.
    struct Sidecar: Hashable, Sendable {
        var path: String
        var size: Int
        var digest: String
    }

    /// What a metadata file says of its item and its file.
    struct Metadata {
        private var lines: [String]

        /// nil for what is none, as one that somebody has edited.
        init?(_ bytes: [UInt8]) {
            guard bytes.suffix(3) == [0x0A, 0x7D, 0x0A],
                let json = try? JSONValue(String(decoding: bytes, as: UTF8.self)), let key = json["key"]?.text,
                let url = json["url"]?.text, let title = json["title"]?.text, let size = json["size"]?.number,
                let digest = json["sha256"]?.text, let collection = json["collection"]?["key"]?.text
            else { return nil }
            lines = [key, url, title, String(collection.prefix(2)), String(Int(size)), digest]
        }

        /// nil for an item without a file.
        init?(_ item: Item) {
            guard item.state == "stored" || item.state == "gone", item.path != nil, let size = item.size,
                let digest = item.digest
            else { return nil }
            lines = [item.key, item.url, item.title, "c\(item.collection)", String(size), digest]
        }

        /// Stand for those of the file in the model: how it is written is the program's.
        var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
    }

    /// The metadata file of an item by its row, where it is as it was written.
    private func unchanged(_ item: Item) -> Sidecar? {
        item.sidecar.flatMap { sidecar in
            files[sidecar.path].map(modelDigest) == sidecar.digest ? sidecar : nil
        }
    }

    func isSidecarChanged(_ item: Item) -> Bool {
        item.sidecar.map { files[$0.path] != nil } == true && unchanged(item) == nil
    }

    /// The metadata goes with its file; what was edited stays.
    mutating func removeSidecar(of index: Int) {
        if let sidecar = unchanged(items[index]) { remove(sidecar.path) }
        items[index].sidecar = nil
    }

    /// A run writes the metadata of its items.
    mutating func writeSidecars(of selected: [Int]) {
        var refused: [Int] = []
        for index in selected {
            guard let metadata = Metadata(items[index]), let path = items[index].path.map({ "\($0).json" }) else {
                continue
            }
            let recorded = items[index].sidecar
            let isIntact = unchanged(items[index]) != nil
            let written = Sidecar(path: path, size: metadata.bytes.count, digest: modelDigest(metadata.bytes))
            if recorded == written, files[path]?.count == written.size { continue }
            let owner = items.indices.first { items[$0].sidecar?.path == path && unchanged(items[$0]) != nil }
            guard files[path] == nil || owner != nil || files[path] == metadata.bytes else {
                // What was edited where it is stays its item's.
                if recorded?.path != path { refused.append(index) }
                continue
            }
            if let recorded, recorded.path != path, isIntact, owner != index { remove(recorded.path) }
            if let owner, owner != index { items[owner].sidecar = nil }
            files[path] = metadata.bytes
            inodes[path] = (inodes.values.max() ?? 0) + 1
            items[index].sidecar = written
        }
        for index in refused { removeSidecar(of: index) }
    }

    /// What `verify` finds of metadata.
    mutating func verifySidecars(isRepairing: Bool) -> [String] {
        var lines: [String] = []
        for index in items.indices {
            guard let sidecar = items[index].sidecar, unchanged(items[index]) == nil else { continue }
            let file = files[sidecar.path]
            let word = file.map { $0.count < sidecar.size ? "truncated" : "changed" } ?? "missing"
            lines.append("\(word)\t\(items[index].key)")
            guard isRepairing else { continue }
            items[index].sidecar = file.map { Sidecar(path: sidecar.path, size: $0.count, digest: modelDigest($0)) }
        }
        return lines
    }
}
