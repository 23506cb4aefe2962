/// Checks the structure of any bytes as their type, as scripts/fuzz compiles it together with the module's sources: in
/// memory and through a window, which come to the same and read hardly more than there is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMedia(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let type = MediaType(sniffing: Array(bytes.prefix(MediaType.sniffLength))) else { return 0 }
    let inMemory = judged { try type.checkStructure(of: MemoryBytes(bytes)) }
    if case .success(let size?) = inMemory {
        precondition(size.width >= 0 && size.height >= 0, "a picture of a negative size")
    }
    var read = 0
    let window = ByteWindow(size: Int64(count)) { offset, buffer in
        let piece = bytes[Int(offset)..<min(count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: piece)
        read += piece.count
        return piece.count
    }
    precondition(judged { try type.checkStructure(of: window) } == inMemory, "the window shows something else")
    precondition(read <= 2 * count + 2 * 65_536, "\(read) bytes read of \(count)")
    return 0
}

private func judged(_ check: () throws -> PixelSize?) -> Result<PixelSize?, MediaFault> {
    do {
        return .success(try check())
    } catch let fault as MediaFault {
        return .failure(fault)
    } catch {
        fatalError("\(error)")
    }
}
