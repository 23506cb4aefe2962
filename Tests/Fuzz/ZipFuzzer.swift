import Glibc

/// Opens any bytes as a ZIP file and reads every entry, as scripts/fuzz compiles it together with the module's sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard ftruncate(file, 0) == 0, pwrite(file, start, count, 0) == count else { return 0 }
    var limits = ArchiveLimits()
    limits.entryBytes = 1 << 20
    limits.totalBytes = 4 << 20
    guard let archive = try? ZipArchive(descriptor: file, limits: limits) else { return 0 }
    var total: Int64 = 0
    for entry in archive.entries {
        do {
            try archive.begin(entry)
            var size: Int64 = 0
            while let bytes = try archive.next() { size += Int64(bytes.count) }
            precondition(size == entry.size, "an entry was read that has another size")
            total += size
        } catch {
            continue
        }
    }
    precondition(total <= limits.totalBytes, "more was read than allowed")
    return 0
}

/// One file for all inputs, without a name.
private let file: CInt = {
    var path = Array("/tmp/runner-fuzz-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    unlink(path)
    return file
}()
