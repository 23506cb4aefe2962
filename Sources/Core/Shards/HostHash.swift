import Files
package import HTTP

/// Which shard a host, or a part of one, belongs to: the same on every machine, in every version.
package enum HostHash {
    /// A host's shard among so many: the jump consistent hash of the first eight bytes, big-endian, of the SHA-256 of
    /// `scheme://host:port`. The port is always included, an IPv6 address in brackets.
    package static func shard(of origin: HTTPOrigin, among count: Int) -> Int {
        let name = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        return jump(hash("\(origin.scheme)://\(name):\(origin.port)"), count)
    }

    /// The part of a host's items that a key belongs to, likewise.
    package static func part(of key: String, among count: Int) -> Int {
        jump(hash(key), count)
    }

    private static func hash(_ text: String) -> UInt64 {
        var sha256 = SHA256()
        Array(text.utf8).withUnsafeBytes { sha256.update($0) }
        return sha256.finalize().bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (arXiv:1406.2294): of `count` buckets one,
    /// such that few keys move when there are more.
    static func jump(_ key: UInt64, _ count: Int) -> Int {
        var (key, bucket, next) = (key, -1, 0)
        while next < count {
            bucket = next
            key = key &* 2_862_933_555_777_941_757 &+ 1
            next = Int(min(Double(bucket + 1) * (Double(1 << 31) / Double((key >> 33) + 1)), Double(1 << 52)))
        }
        return bucket
    }
}
