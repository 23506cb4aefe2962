package import Files
import System

/// Where the bytes of a digest are stored already, for jobs that store equal bytes once.
///
/// The items of one digest have places by their number beside it. Entries that share a hash are in one row of the table,
/// and forty thousand equal files would be a row of that length, gone through for each of them.
package struct StoredBytes {
    /// Items that the catalog has as stored, by the hashes of their digests and places.
    private var items = HashIndex()
    /// Files that got their names since the last commit.
    private var recent: [SHA256Digest: RelativePath] = [:]

    package init() {}

    /// Remembers an item whose row has its file.
    package mutating func add(_ digest: SHA256Digest, of item: Int64) {
        items.insert(item, hash: Self.place(count(digest), digest))
    }

    /// Remembers a file that has no row yet.
    package mutating func add(_ digest: SHA256Digest, at path: RelativePath) {
        recent[digest] = path
    }

    /// Forgets the files without rows: they have them.
    package mutating func commit() {
        recent.removeAll(keepingCapacity: true)
    }

    /// A file with the digest that has no row yet.
    package func path(of digest: SHA256Digest) -> RelativePath? { recent[digest] }

    /// Items that may have the digest, the latest first.
    package func candidates(_ digest: SHA256Digest) -> some Sequence<Int64> {
        (0..<count(digest)).reversed().lazy.flatMap { items.candidates(Self.place($0, digest)) }
    }

    /// How many places of the digest are taken: all before the first free one, which is found as in a sorted list.
    private func count(_ digest: SHA256Digest) -> Int {
        var step = 1
        while items.contains(Self.place(step - 1, digest)) { step *= 2 }
        var (low, high) = (step / 2, step - 1)
        while low < high {
            let middle = (low + high) / 2
            if items.contains(Self.place(middle, digest)) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func place(_ number: Int, _ digest: SHA256Digest) -> Int {
        guard number > 0 else { return digest.hashValue }
        var hasher = Hasher()
        hasher.combine(digest)
        hasher.combine(number)
        return hasher.finalize()
    }
}
