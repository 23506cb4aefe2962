/// Reads any bytes as a list of each name, as scripts/fuzz compiles it together with the module's sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzList(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for name in ["l", "l.json", "l.jsonl", "l.csv", "l.txt"] {
        var rest = bytes[...]
        // Small chunks: every boundary falls somewhere.
        let stream = ByteStream {
            defer { rest = rest.dropFirst(7) }
            return rest.isEmpty ? nil : Array(rest.prefix(7))
        }
        guard var elements = try? ListElements(stream, name: name) else { continue }
        var remaining = 2 * count + 2
        while remaining > 0 {
            remaining -= 1
            do {
                guard try elements.next() != nil else { break }
            } catch {
                continue
            }
        }
        // Every element takes a byte at least.
        precondition(remaining > 0, "the list does not end")
    }
    return 0
}
