import Model

/// Reads the rows of a CSV file (RFC 4180) whose header says which columns are what.
struct CSVReader {
    /// The columns that mean something, by the names that a header has for them.
    private var columns: [Column: Int] = [:]
    /// The others, which are metadata.
    private var others: [(index: Int, name: String)] = []
    private let separator: UInt8
    private var bytes: ByteStream

    enum Column: String, CaseIterable {
        case url, title, path, size, sha256
    }

    /// Reads the header.
    ///
    /// - Throws: ``ElementFault`` when it has no column `url`.
    init(_ bytes: ByteStream) throws {
        var bytes = bytes
        try Self.skipLineBreaks(&bytes)
        let header = try bytes.beginning(ListElements.longest).prefix { $0 != 0x0A }
        separator = Self.separator(of: header)
        self.bytes = bytes
        let names = try row() ?? []
        for (index, name) in names.enumerated() {
            if let column = Column(rawValue: name.lowercased()), columns[column] == nil {
                columns[column] = index
            } else if OtherMembers.isName(name), others.count < OtherMembers.most {
                others.append((index, name))
            }
        }
        guard columns[.url] != nil else { throw ElementFault("its header has no column 'url'") }
    }

    /// Whether a line is a header that has the column `url`.
    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        let line = Array(line)
        var isRead = false
        let reader = try? CSVReader(
            ByteStream {
                defer { isRead = true }
                return isRead ? nil : line
            })
        return reader != nil
    }

    /// The next row as an element; nil at the end.
    mutating func next() throws -> ListElement? {
        guard let row = try row() else { return nil }
        func value(_ column: Column) -> String? {
            guard let index = columns[column], index < row.count, !row[index].isEmpty else { return nil }
            return row[index]
        }
        guard let url = value(.url) else { throw ElementFault("it has nothing in the column 'url'") }
        var element = ListElement(url: url)
        element.title = value(.title)
        element.path = value(.path)
        element.sha256 = value(.sha256)
        if let size = value(.size) {
            guard let number = Int64(size) else { throw ElementFault(ElementFault.size, url: url) }
            element.size = number
        }
        for (index, name) in others where index < row.count && !row[index].isEmpty {
            element.metadata[name] = .text(OtherMembers.cut(row[index]))
        }
        return element
    }

    /// The fields of the next row that is not blank, without the white space around them.
    private mutating func row() throws -> [String]? {
        try Self.skipLineBreaks(&bytes)
        while try bytes.peek() != nil {
            let row = try fields()
            if row != [""] { return row }
        }
        return nil
    }

    private static func skipLineBreaks(_ bytes: inout ByteStream) throws {
        while let byte = try bytes.peek(), byte == 0x0A || byte == 0x0D { _ = try bytes.next() }
    }

    private mutating func fields() throws -> [String] {
        var fields: [[UInt8]] = [[]]
        var count = 0
        var isQuoted = false
        while let byte = try bytes.next() {
            count += 1
            guard count <= ListElements.longest else {
                _ = try bytes.line(limit: 0)
                throw ElementFault(
                    "its row is over \(ListElements.longest) bytes; perhaps a quote is missing", losesOthers: true)
            }
            if isQuoted {
                if byte != UInt8(ascii: "\"") {
                    fields[fields.count - 1].append(byte)
                } else if try bytes.peek() == UInt8(ascii: "\"") {
                    fields[fields.count - 1].append(byte)
                    _ = try bytes.next()
                } else {
                    isQuoted = false
                }
            } else if byte == UInt8(ascii: "\""), fields[fields.count - 1].allSatisfy(isWhiteSpace) {
                fields[fields.count - 1] = []
                isQuoted = true
            } else if byte == separator {
                fields.append([])
            } else if byte == 0x0A {
                break
            } else {
                fields[fields.count - 1].append(byte)
            }
        }
        if isQuoted { throw ElementFault("a quote of its row is not closed", losesOthers: true) }
        return try fields.map { field in
            guard let text = String(validating: trimmed(field[...]), as: UTF8.self) else {
                throw ElementFault("it is not UTF-8")
            }
            return text
        }
    }

    /// Spreadsheets write semicolons where the comma is for decimals, and tabs.
    private static func separator(of header: ArraySlice<UInt8>) -> UInt8 {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        let text = { (bytes: ArraySlice<UInt8>) in String(decoding: trimmed(bytes), as: UTF8.self).lowercased() }
        return separators.first { separator in
            header.split(separator: separator).contains { ["url", "\"url\""].contains(text($0)) }
        } ?? separators[0]
    }
}
