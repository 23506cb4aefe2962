import HTTP
import TestSupport
import Testing

/// Bodies that a server codes although nobody asked for it.
@Suite("Content codings", .timeLimit(.minutes(1)))
struct CodingTests {
    private static let text = "hello hello hello\n"
    /// The text in each coding.
    private static let gzip = ReplyTests.gzipped
    private static let zlib: [UInt8] = [
        0x78, 0xda, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x90, 0x5c, 0x00, 0x40, 0xb5, 0x06, 0x87,
    ]
    private static let rawDeflate = Array(zlib.dropFirst(2).dropLast(4))
    private static let brotli: [UInt8] = [
        0x8b, 0x08, 0x80, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x68, 0x65, 0x6c,
        0x6c, 0x6f, 0x0a, 0x03,
    ]
    private static let zstandard: [UInt8] = [
        0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x12, 0x6d, 0x00, 0x00, 0x38, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x0a, 0x01,
        0x00, 0x31, 0x4a, 0x11, 0xa3, 0xaa, 0x74, 0xce,
    ]
    /// First gzip, then br.
    private static let brotliOfGzip: [UInt8] =
        [0x0b, 0x0e, 0x80] + gzip + [0x03]

    struct Case: CustomTestStringConvertible, Sendable {
        let coding: String
        let body: [UInt8]
        var note = ""
        var testDescription: String { coding + note }
    }

    static let codings = [
        Case(coding: "gzip", body: gzip), Case(coding: "X-GZIP", body: gzip), Case(coding: "deflate", body: zlib),
        Case(coding: "deflate", body: rawDeflate, note: " without its header"), Case(coding: "br", body: brotli),
        Case(coding: "zstd", body: zstandard), Case(coding: "gzip, br", body: brotliOfGzip),
    ]

    private func fetch(_ coding: String, _ body: [UInt8]) throws -> Fetch.State {
        let server = try FaultyServer { _ in .ok(body, headers: [("Content-Encoding", coding)]) }
        return try TestClient().fetch(server.url())
    }

    @Test("a coded body is decoded, and counted as it came", arguments: codings)
    func decoded(_ example: Case) throws {
        let state = try fetch(example.coding, example.body)
        #expect(state.failure == nil)
        #expect(state.text == Self.text)
        #expect(state.result.wireBytes == Int64(example.body.count))
        #expect(state.result.bodyBytes == Int64(Self.text.utf8.count))
    }

    @Test("a coded body that ends before its stream does is no body, wherever it ends", arguments: codings)
    func cut(_ example: Case) throws {
        for length in 0..<example.body.count {
            let failure = try fetch(example.coding, Array(example.body.prefix(length))).failure
            #expect(failure?.kind == .encoding, "\(length) bytes: \(failure?.detail ?? "no failure")")
        }
    }

    @Test("what follows the end of a coded stream is not passed over", arguments: codings)
    func trailing(_ example: Case) throws {
        #expect(try fetch(example.coding, example.body + Array("<!-- -->".utf8)).failure?.kind == .encoding)
    }

    @Test(
        "a check that does not agree is a fault",
        arguments: codings.filter { ["gzip", "zstd"].contains($0.coding) || $0.body == zlib })
    func damaged(_ example: Case) throws {
        var body = example.body
        // The check is in the last bytes; of gzip a length of four bytes follows it.
        body[body.count - (example.coding == "gzip" ? 5 : 1)] ^= 1
        #expect(try fetch(example.coding, body).failure?.kind == .encoding)
    }

    @Test("a gzip body of several members is all of them")
    func members() throws {
        #expect(try fetch("gzip", Self.gzip + Self.gzip).text == Self.text + Self.text)
    }

    @Test(
        "a coding that is unknown, or one of a long chain, is refused",
        arguments: ["compress", "sdch", "gzip, gzip, gzip, gzip, gzip, gzip"])
    func refused(_ coding: String) throws {
        #expect(try fetch(coding, Self.gzip).failure?.kind == .encoding)
    }

    @Test("words for no coding are none", arguments: ["identity", "", "Identity, "])
    func identity(_ coding: String) throws {
        #expect(try fetch(coding, Array(Self.text.utf8)).text == Self.text)
    }

    @Test("a transfer coding that nobody asked for is refused, since its end would not be seen")
    func transferCoding() throws {
        let server = try FaultyServer { _ in
            .steps([
                .send(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n".utf8) + Self.gzip.prefix(20)), .close,
            ])
        }
        #expect(try TestClient().fetch(server.url()).failure?.kind == .encoding)
    }
}
