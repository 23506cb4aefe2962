import Files

/// Where the bytes of a digest are stored already, for jobs that store equal bytes once.
struct StoredBytes {
    /// Items that the catalog has as stored, by the hash of their digests.
    private var items = HashIndex()
    /// Files that got their names since the last commit.
    private var recent: [SHA256Digest: RelativePath] = [:]

    /// Remembers an item whose row tells of its file.
    mutating func add(_ digest: SHA256Digest, of item: Int64) {
        items.insert(item, hash: digest.hashValue)
    }

    /// Remembers a file that has no row yet.
    mutating func add(_ digest: SHA256Digest, at path: RelativePath) {
        recent[digest] = path
    }

    /// Forgets the files without rows: they have them.
    mutating func commit() {
        recent.removeAll(keepingCapacity: true)
    }

    /// A file with the digest that has no row yet.
    func path(of digest: SHA256Digest) -> RelativePath? { recent[digest] }

    /// Items that may have the digest.
    func candidates(_ digest: SHA256Digest) -> [Int64] {
        items.candidates(digest.hashValue)
    }
}
