internal import CCoding

/// How much is decoded at a time.
private let pieceSize = 64 * 1024

/// gzip (RFC 1952) and deflate (RFC 9110, 8.4.1.2), whose zlib format some servers leave out.
final class InflateCoding: BodyCoding {
    enum Format { case gzip, deflate }

    let name: String
    private let format: Format
    /// libz keeps a pointer to it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    /// Whether the format is decided: of deflate the first byte tells which one it is.
    private var hasBegun = false
    private(set) var isAtEnd = false

    init(_ format: Format) throws(CodingFault) {
        name = format == .gzip ? "gzip" : "deflate"
        self.format = format
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    func take(
        _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws(CodingFault) -> Bool
    ) throws(CodingFault) -> Bool {
        guard let first = bytes.first else { return true }
        if !hasBegun { try begin(first) }
        // libz reads through it only.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        while true {
            if isAtEnd {
                if stream.pointee.avail_in == 0 { return true }
                // A gzip file may have several members (RFC 1952, 2.2).
                guard format == .gzip, inflateReset(stream) == Z_OK else { throw trailing }
                isAtEnd = false
            }
            stream.pointee.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(piece.count)
            let code = inflate(stream, Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                throw code == Z_MEM_ERROR ? .noMemory : CodingFault("the body is not \(name)")
            }
            let count = piece.count - Int(stream.pointee.avail_out)
            if count > 0, try !sink(UnsafeRawBufferPointer(rebasing: piece[..<count])) { return false }
            if code == Z_STREAM_END {
                isAtEnd = true
            } else if stream.pointee.avail_in == 0, count < piece.count {
                return true
            }
        }
    }

    private func begin(_ first: UInt8) throws(CodingFault) {
        // The method of zlib's first byte is 8 and its window at most 7 (RFC 1950, 2.2); no encoder begins so without it.
        let isZlib = first & 0x0F == 8 && first >> 4 <= 7
        let windowBits: Int32 = format == .gzip ? 31 : isZlib ? 15 : -15
        guard ccoding_inflate_init(stream, windowBits) == Z_OK else { throw .noMemory }
        hasBegun = true
    }

    private var trailing: CodingFault { CodingFault("the body goes on after the end of its \(name) stream") }
}

/// br (RFC 7932).
final class BrotliCoding: BodyCoding {
    let name = "br"
    private let state: OpaquePointer
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    private(set) var isAtEnd = false

    init() throws(CodingFault) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            piece.deallocate()
            throw .noMemory
        }
        self.state = state
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
        piece.deallocate()
    }

    func take(
        _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws(CodingFault) -> Bool
    ) throws(CodingFault) -> Bool {
        var rest = bytes.count
        var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        while true {
            if isAtEnd {
                if rest == 0 { return true }
                throw CodingFault("the body goes on after the end of its br stream")
            }
            var room = piece.count
            var place = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let result = BrotliDecoderDecompressStream(state, &rest, &next, &room, &place, nil)
            if result == BROTLI_DECODER_RESULT_ERROR { throw CodingFault("the body is not br") }
            let count = piece.count - room
            if count > 0, try !sink(UnsafeRawBufferPointer(rebasing: piece[..<count])) { return false }
            if result == BROTLI_DECODER_RESULT_SUCCESS { isAtEnd = true }
            if result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT { return true }
        }
    }
}

/// zstd (RFC 8878), with the window that RFC 9659 allows.
final class ZstandardCoding: BodyCoding {
    let name = "zstd"
    private let stream: OpaquePointer
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    private(set) var isAtEnd = false

    init() throws(CodingFault) {
        guard let stream = ZSTD_createDStream() else {
            piece.deallocate()
            throw .noMemory
        }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 23)
    }

    deinit {
        ZSTD_freeDStream(stream)
        piece.deallocate()
    }

    func take(
        _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws(CodingFault) -> Bool
    ) throws(CodingFault) -> Bool {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while true {
            // After a frame another one may follow (RFC 8878, 3.1).
            if input.pos == input.size, isAtEnd { return true }
            var output = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
            let code = ZSTD_decompressStream(stream, &output, &input)
            if ZSTD_isError(code) != 0 {
                throw CodingFault("the body is not zstd: \(String(cString: ZSTD_getErrorName(code)))")
            }
            isAtEnd = code == 0
            if output.pos > 0, try !sink(UnsafeRawBufferPointer(rebasing: piece[..<output.pos])) { return false }
            if input.pos == input.size, output.pos < output.size { return true }
        }
    }
}
