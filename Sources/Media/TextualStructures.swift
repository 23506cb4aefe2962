/// The end of an SVG document: its root element is closed.
enum SVGStructure {
    static func check(_ source: some ByteSource) throws {
        let end = try source.endOfContent()
        let start = max(0, end - 4_096)
        var rest = try source.withBytes(at: start, count: Int(end - start)) { bytes in
            String(decoding: bytes, as: UTF8.self).lowercased()[...]
        }
        // Comments and instructions may follow the element.
        while rest.hasSuffix(">"), let opening = rest.lastIndex(of: rest.hasSuffix("-->") ? "<!--" : "<") {
            let tag = rest[opening...]
            if tag.hasPrefix("<!--") || tag.hasPrefix("<?") {
                rest = rest[..<opening].trimmingEnd()
                continue
            }
            let name = tag.dropFirst(tag.hasPrefix("</") ? 2 : 1).prefix { !" \t\r\n/>".contains($0) }
            // The name may have a prefix.
            if name == "svg" || name.hasSuffix(":svg"), tag.hasPrefix("</") || tag.hasSuffix("/>") { return }
            break
        }
        throw MediaFault("the SVG ends before its root element does")
    }
}

extension Substring {
    fileprivate func lastIndex(of word: String) -> Index? {
        guard let first = word.first else { return nil }
        return indices.last { self[$0] == first && self[$0...].hasPrefix(word) }
    }

    fileprivate func trimmingEnd() -> Substring {
        var rest = self
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}

/// The end of a PDF document (ISO 32000-1, 7.5.5; Annex H, implementation note 18: within the last 1,024 bytes).
enum PDFStructure {
    static func check(_ source: some ByteSource) throws {
        let end = try source.endOfContent()
        let start = max(0, end - 1_024)
        // Where the mark itself is cut or left out viewers go by what precedes it.
        for mark in ["%%EOF" as StaticString, "startxref"] {
            if try source.lastPlace(of: mark, from: start, to: end) != nil { return }
        }
        throw MediaFault("the PDF ends before its end mark")
    }
}

/// The end of a ZIP file: its directory is there (APPNOTE.TXT 4.3.16).
enum ZIPStructure {
    static func check(_ source: some ByteSource) throws {
        // The end record has 22 bytes, and a comment of up to 65,535 behind it, in which there may be more of its marks.
        let start = max(0, source.size - 65_557)
        let tail = try source.bytes(from: start)
        for place in tail.indices.dropLast(21).reversed() where tail[place] == 0x50 {
            let record = tail[place...]
            if record.starts(with: [0x50, 0x4B, 5, 6]), try isEndRecord(record, at: start, source) { return }
        }
        throw MediaFault("the ZIP ends before its directory")
    }

    /// Whether a record, whose bytes count from `start` on, leads to a directory. What precedes the archive, as a
    /// program that unpacks it, shifts all.
    private static func isEndRecord(
        _ record: ArraySlice<UInt8>, at start: Int64, _ source: some ByteSource
    ) throws -> Bool {
        func number(at offset: Int, count: Int) -> Int64 {
            record.dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
        let place = start + Int64(record.startIndex)
        let (entries, length, offset) = (number(at: 10, count: 2), number(at: 12, count: 4), number(at: 16, count: 4))
        if entries == 0xFFFF || length == 0xFFFF_FFFF || offset == 0xFFFF_FFFF {
            // The numbers are in the record of ZIP64, found by its locator.
            return try source.has("PK\u{6}\u{7}", at: place - 20)
        }
        guard entries > 0 else { return true }
        return try source.has("PK\u{1}\u{2}", at: place - length)
    }
}
