/// What a request for part of a file gets (RFC 9110, sections 13 and 14).
enum ByteRange: Equatable {
    /// No range, or one that need not be honoured, as several at once.
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    init(_ header: String?, of size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let halves = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.trimmingSpaces() }
        guard halves.count == 2, let first = Bound(halves[0]), let last = Bound(halves[1]) else { return }
        switch (first, last) {
        case (.none, .none): return
        case (.none, .at(let count)):
            self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (.at(let start), .none):
            self = start < size ? .part(start..<size) : .unsatisfiable
        case (.at(let start), .at(let end)):
            guard start <= end else { return }
            self = start < size ? .part(start..<min(end, size - 1) + 1) : .unsatisfiable
        }
    }

    private enum Bound {
        case none
        case at(Int64)

        /// Nil for what is no number. A number beyond all files is as good as the largest.
        init?(_ text: Substring) {
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            self = text.isEmpty ? .none : .at(Int64(text) ?? .max)
        }
    }
}

extension Response {
    /// This response as a request with conditions and ranges gets it.
    func resolved(for method: Method, _ headers: Headers) -> Response {
        guard method.isSafe, status == 200 else { return self }
        var response = self
        if let entityTag {
            response.headers.append(("ETag", "\"\(entityTag)\""))
            if headers.all("if-none-match").contains(where: { matches($0, entityTag) }) {
                abandon()
                response.status = 304
                response.body = .data([])
                return response
            }
        }
        guard case .file(let file) = body else { return response }
        response.headers.append(("Accept-Ranges", "bytes"))
        if let condition = headers["if-range"], condition != entityTag.map({ "\"\($0)\"" }) { return response }
        switch ByteRange(headers["range"], of: file.size) {
        case .whole: break
        case .part(let range):
            response.status = 206
            response.range = range
            response.headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"))
        case .unsatisfiable:
            response = Problem(416, "No such range", "the file has \(file.size) bytes").response
            response.headers.append(("Content-Range", "bytes */\(file.size)"))
        }
        return response
    }

    /// Weak comparison, which If-None-Match asks for.
    private func matches(_ list: String, _ tag: String) -> Bool {
        let strong = "\"\(tag)\""
        return list.split(separator: ",").contains { part in
            let one = String(part.trimmingSpaces())
            return one == "*" || one == strong || one == "W/" + strong
        }
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var rest = self[...]
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
