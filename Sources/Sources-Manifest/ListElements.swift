/// The elements of a list in any of its forms, one at a time.
struct ListElements {
    /// Bytes of one element: a URL has at most 8 KiB, and an object little more.
    static let longest = 65_536

    private enum Reader {
        case array(JSONScanner)
        case lines(ByteStream)
        case csv(CSVReader)
        case text(ByteStream)
    }

    private var reader: Reader
    /// The elements, or lines, that were read so far.
    private var count = 0

    /// Where the last element is, for people, who count from 1: `line 3`, `row 2`, `element 5`.
    var place: String {
        switch reader {
        case .array: "element \(count)"
        case .csv: "row \(count)"
        case .lines, .text: "line \(count)"
        }
    }

    /// - Parameter name: the list's, whose suffix says what its bytes leave open.
    /// - Throws: ``ElementFault`` with why it is no list; what the stream throws.
    init(_ bytes: ByteStream, name: String) throws {
        var bytes = bytes
        if try bytes.beginning(3).elementsEqual([0xEF, 0xBB, 0xBF]) {
            for _ in 0..<3 { _ = try bytes.next() }
        }
        let format = try ListFormat(try bytes.beginning(Self.longest), name: name)
        reader =
            switch format {
            case .jsonArray: .array(JSONScanner(bytes))
            case .jsonLines: .lines(bytes)
            case .csv: .csv(try CSVReader(bytes))
            case .text: .text(bytes)
            }
    }

    /// The next element; nil at the end.
    ///
    /// - Throws: ``ElementFault`` for one that is broken, after which the next may be asked for; what the stream throws.
    mutating func next() throws -> ListElement? {
        switch reader {
        case .array(var scanner):
            defer { reader = .array(scanner) }
            count += 1
            return try scanner.next().map { json throws(ElementFault) in try ListElement(json: json) }
        case .csv(var rows):
            defer { reader = .csv(rows) }
            count += 1
            return try rows.next()
        case .lines(var bytes):
            defer { reader = .lines(bytes) }
            return try line(&bytes).map { line throws(ElementFault) in try ListElement(json: Array(line)) }
        case .text(var bytes):
            defer { reader = .text(bytes) }
            while let line = try line(&bytes) {
                if line.first == UInt8(ascii: "#") { continue }
                guard let url = Self.text(line) else { throw ElementFault("it is not UTF-8") }
                return ListElement(url: url)
            }
            return nil
        }
    }

    /// The text of a line; nil where it is not UTF-8. Most are ASCII, which costs less to make text of.
    private static func text(_ line: ArraySlice<UInt8>) -> String? {
        line.allSatisfy { $0 < 0x80 } ? String(decoding: line, as: UTF8.self) : String(validating: line, as: UTF8.self)
    }

    /// The next line that is not blank.
    private mutating func line(_ bytes: inout ByteStream) throws -> ArraySlice<UInt8>? {
        while let (text, isCut) = try bytes.line(limit: Self.longest) {
            count += 1
            if isCut { throw ElementFault("it is over \(Self.longest) bytes") }
            if !text.isEmpty { return text }
        }
        return nil
    }
}
