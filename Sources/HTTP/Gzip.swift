internal import CCoding

/// `bytes` as one gzip member (RFC 1952), as small as zlib makes it; nil where there is no memory for it.
package func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for a gzip header.
    guard ccoding_deflate_init(&stream, Z_BEST_COMPRESSION, 15 + 16) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var taken = 0
        while true {
            // What zlib takes at a time is counted in 32 bits.
            let count = min(input.count - taken, 1 << 30)
            stream.next_in = input.baseAddress.map { $0 + taken }
            stream.avail_in = UInt32(count)
            taken += count
            let flush = taken == input.count ? Z_FINISH : Z_NO_FLUSH
            repeat {
                let written = chunk.withUnsafeMutableBufferPointer { chunk -> Int? in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    guard deflate(&stream, flush) != Z_STREAM_ERROR else { return nil }
                    return chunk.count - Int(stream.avail_out)
                }
                guard let written else { return nil }
                result.append(contentsOf: chunk[..<written])
            } while stream.avail_out == 0
            if flush == Z_FINISH { return result }
        }
    }
}
