internal import CPage
internal import HTTP
internal import Server

/// The files of the page, which are in the program.
struct PageFiles: Sendable {
    struct File: Sendable {
        let type: String
        /// Of the file as it is, in hexadecimal digits.
        let sha256: String
        /// Where its bytes coded as gzip are.
        fileprivate let place: Range<Int>
    }

    private let files: [Substring: File]

    init() {
        var files: [Substring: File] = [:]
        let bytes = Self.bytes
        let end = Array("\n\n".utf8)
        // The lines end where the first coded file begins.
        var index = bytes.startIndex
        while index < bytes.endIndex, !bytes[index...].starts(with: end) { index += 1 }
        var start = index + end.count
        for line in String(decoding: bytes[..<index], as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t")
            guard fields.count == 5, let size = Int(fields[3]) else { continue }
            files[fields[0]] = File(type: String(fields[1]), sha256: String(fields[2]), place: start..<start + size)
            start += size
        }
        self.files = files
    }

    /// Constant, for the length of the process.
    private static var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: cpage_bytes(), count: Int(cpage_size()))
    }

    /// The file at a path below the page's folder; nil where there is none.
    func response(_ path: some StringProtocol, _ request: Request) -> Response? {
        guard let file = files[Substring(path)] else { return nil }
        let coded = Self.bytes[file.place]
        var headers = [("Content-Type", file.type), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
        if accepts("gzip", request.headers.all("accept-encoding")) {
            headers.append(("Content-Encoding", "gzip"))
            return Response(headers: headers, body: .data(Array(coded)), entityTag: file.sha256 + "-gzip")
        }
        return decodedGzip(coded).map { Response(headers: headers, body: .data($0), entityTag: file.sha256) }
    }

    /// Whether a client takes a coding (RFC 9110, section 12.5.3).
    private func accepts(_ coding: String, _ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { part in
            let parts = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard parts.first == coding else { return false }
            let isRefused = parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
            return !isRefused
        }
    }
}
