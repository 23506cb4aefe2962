/// Checks the structure of any bytes as their type, as scripts/fuzz compiles it together with the module's sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMedia(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let type = MediaType(sniffing: Array(bytes.prefix(MediaType.sniffLength))) else { return 0 }
    let size = try? type.checkStructure(of: MemoryBytes(bytes))
    if let size { precondition(size.width >= 0 && size.height >= 0, "a picture of a negative size") }
    return 0
}
