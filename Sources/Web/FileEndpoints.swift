internal import Catalog
internal import Files
internal import SQLite
internal import Server

extension WebHandler {
    /// A stored file, with the type of the catalog.
    static let file: Endpoint = { handler, call in
        try call.allow("v")
        let id = try call.id()
        let environment = handler.settings.environment
        handler.send(call) { try PageFile.item(id, environment: environment, from: $0) }
    }

    /// A picture that was made of a file: its thumbnail, or one of its pages or entries.
    static let picture: Endpoint = { handler, call in
        try call.allow("v", "kind", "position")
        let id = try call.id()
        let kind = call.text("kind") ?? "thumbnail"
        guard ["thumbnail", "page", "entry"].contains(kind) else {
            throw Problem(400, "Bad parameter", "kind is thumbnail, page or entry", field: "kind")
        }
        let position = call.text("position") == nil ? nil : Int64(try call.integer("position", 1, in: 0...1_000_000))
        let environment = handler.settings.environment
        handler.send(call) {
            try PageFile.picture(id, kind: kind, position: position, environment: environment, from: $0)
        }
    }

    private func send(_ call: Call, _ find: @escaping @Sendable (Connection) throws -> PageFile?) {
        readers.read { connection in
            guard let file = try find(connection) else {
                throw Problem(404, "No such file", "the item is not stored, or has no such picture")
            }
            return try Self.response(file, version: call.text("v"))
        } then: { result in
            switch result {
            case .success(let response): self.answer(call, response)
            case .failure(let error): self.refuse(call, error)
            }
        }
    }

    private static func response(_ file: PageFile, version: String?) throws -> Response {
        let opened: (descriptor: Int32, size: Int64)
        do {
            opened = try file.open()
        } catch {
            throw Problem(404, "No such file", "\(error)")
        }
        let body = FileBody(owning: opened.descriptor, size: opened.size)
        guard opened.size == file.size else {
            throw Problem(404, "File changed", "it was modified after it was stored; see runner verify")
        }
        // What the address names by its digest never changes.
        let isFixed = version.map { $0.count >= 16 && file.sha256.hasPrefix($0) } ?? false
        var headers = [
            ("Content-Type", mediaType(file.mediaType)),
            ("Cache-Control", isFixed ? "private, max-age=31536000, immutable" : "private, no-cache"),
            // A file is hostile: it runs nothing, and reaches nothing, also when it is opened by itself.
            ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ]
        if isActive(file.mediaType) {
            headers.append(("Content-Disposition", "attachment; \(fileName(file.path.last))"))
        }
        return Response(headers: headers, body: .file(body), entityTag: file.sha256)
    }

    /// Types that a browser may show as they are: of all others it would run something, or guess.
    private static func isActive(_ type: String) -> Bool {
        let passive = ["image/", "video/", "audio/"].contains { type.hasPrefix($0) } || type == "text/plain"
        return !passive || type.hasPrefix("image/svg")
    }

    /// The catalog has what a server said; a header has only what belongs there.
    private static func mediaType(_ type: String) -> String {
        let isPlain = type.utf8.allSatisfy { (0x20...0x7E).contains($0) } && type.contains("/")
        return isPlain ? type : "application/octet-stream"
    }

    /// RFC 6266: the name in UTF-8, percent-encoded.
    private static func fileName(_ name: String) -> String {
        let hex = Array("0123456789ABCDEF")
        let encoded = name.utf8.map { byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "._-".unicodeScalars.contains(scalar))
            return isPlain ? String(scalar) : "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
        }
        return "filename*=UTF-8''\(encoded.joined())"
    }
}
