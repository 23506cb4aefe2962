import Files
import Media

/// The bytes of a file, read in windows of 64 KiB.
final class FileWindow: ByteSource {
    private let file: ReadableFile
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longestRead, alignment: 16)
    private var window: Range<Int64> = 0..<0

    init(_ file: ReadableFile) {
        self.file = file
    }

    deinit {
        buffer.deallocate()
    }

    var size: Int64 { file.size }

    func withBytes<Result>(
        at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset < size else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let end = min(offset + Int64(count), size)
        if offset < window.lowerBound || end > window.upperBound {
            let length = try file.read(at: offset, into: buffer)
            window = offset..<offset + Int64(length)
        }
        let start = Int(offset - window.lowerBound)
        let available = Int(min(end, window.upperBound) - offset)
        return try body(UnsafeRawBufferPointer(rebasing: buffer[start..<start + max(0, available)]))
    }
}

extension SealedPart {
    /// Looks whether a body has all of its structure; what is in no memory is read, which blocks.
    func checkStructure(as type: MediaType, in output: OutputDirectory) throws(TransferFailure) {
        do {
            let isHeld = try withHeldBytes { _ = try type.checkStructure(of: MemoryBytes($0)) } != nil
            if !isHeld { try type.checkStructure(of: FileWindow(try output.readableFile(of: self))) }
        } catch let fault as MediaFault {
            throw TransferFailure(.corrupt, fault.description)
        } catch let error as FileError {
            throw TransferFailure(error)
        } catch {
            throw TransferFailure(.disk, String(describing: error))
        }
    }
}
