/// Writes the parts of a message: numbers of eight bytes, the lowest first, and texts after their lengths.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ data: [UInt8]) {
        write(Int64(data.count))
        bytes += data
    }

    mutating func write(_ text: String) {
        write(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads the parts of a message. The other side is not to be trusted.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func number() throws(ChannelError) -> Int64 {
        guard rest.count >= 8 else { throw .malformed }
        defer { rest = rest.dropFirst(8) }
        return Int64(truncatingIfNeeded: rest.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    mutating func number(in range: ClosedRange<Int>) throws(ChannelError) -> Int {
        guard let number = Int(exactly: try number()), range.contains(number) else { throw .malformed }
        return number
    }

    /// Bytes after their number.
    mutating func data(atMost limit: Int) throws(ChannelError) -> [UInt8] {
        let count = try number(in: 0...limit)
        guard count <= rest.count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func text() throws(ChannelError) -> String {
        let length = try number()
        guard let count = Int(exactly: length), (0...rest.count).contains(count) else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    /// Nothing may follow what was read.
    func finish() throws(ChannelError) {
        guard rest.isEmpty else { throw .malformed }
    }

    mutating func word<Word: RawRepresentable>(_ type: Word.Type) throws(ChannelError) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: try text()) else { throw .malformed }
        return word
    }
}

extension RenderRequest {
    var encoded: [UInt8] {
        var message = MessageWriter()
        message.write(Int64(settings.thumbnail.size))
        message.write(settings.thumbnail.format.rawValue)
        message.write(Int64(settings.thumbnail.quality))
        message.write(Int64(settings.pdf.first))
        message.write(Int64(settings.pdf.last ?? 0))
        message.write(Int64(settings.pdf.dpi))
        message.write(settings.pdf.format.rawValue)
        message.write(settings.entries.rawValue)
        message.write(settings.maximumPixels)
        message.write(Int64(cpuSeconds))
        return message.bytes
    }

    init(encoded: [UInt8]) throws(ChannelError) {
        var message = MessageReader(encoded)
        var settings = RenderSettings()
        settings.thumbnail.size = try message.number(in: 1...16_384)
        settings.thumbnail.format = try message.word(RenderSettings.Format.self)
        settings.thumbnail.quality = try message.number(in: 1...100)
        settings.pdf.first = try message.number(in: 1...Int(Int32.max))
        let last = try message.number(in: 0...Int(Int32.max))
        settings.pdf.last = last == 0 ? nil : last
        settings.pdf.dpi = try message.number(in: 1...2_400)
        settings.pdf.format = try message.word(RenderSettings.Format.self)
        settings.entries = try message.word(RenderSettings.Entries.self)
        settings.maximumPixels = Int64(try message.number(in: 1...Int.max))
        self.init(settings: settings, cpuSeconds: try message.number(in: 1...86_400))
        try message.finish()
    }
}

extension RenderReply {
    private enum Tag: String {
        case ready, unable, picture, fault, done
    }

    /// Without the bytes of a picture.
    var encoded: [UInt8] {
        var message = MessageWriter()
        switch self {
        case .ready(let version):
            message.write(Tag.ready.rawValue)
            message.write(version)
        case .unable(let reason):
            message.write(Tag.unable.rawValue)
            message.write(reason)
        case .picture(let picture):
            message.write(Tag.picture.rawValue)
            message.write(picture.kind.rawValue)
            message.write(Int64(picture.position))
            message.write(picture.name == nil ? 0 : 1)
            message.write(picture.name ?? "")
            message.write(picture.fileExtension)
            message.write(Int64(picture.width))
            message.write(Int64(picture.height))
            message.write(Int64(picture.size))
            message.write(picture.preview ?? [])
        case .fault(let fault):
            message.write(Tag.fault.rawValue)
            message.write(fault.kind.rawValue)
            message.write(fault.detail)
        case .done:
            message.write(Tag.done.rawValue)
        }
        return message.bytes
    }

    init(encoded: [UInt8]) throws(ChannelError) {
        var message = MessageReader(encoded)
        switch try message.word(Tag.self) {
        case .ready: self = .ready(version: try message.text())
        case .unable: self = .unable(reason: try message.text())
        case .picture:
            let kind = try message.word(RenderedPicture.Kind.self)
            let position = try message.number(in: 1...Int(Int32.max))
            let isNamed = try message.number(in: 0...1) == 1
            let name = try message.text()
            let fileExtension = try message.text()
            // It becomes part of a path.
            guard (1...8).contains(fileExtension.utf8.count),
                fileExtension.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            else { throw .malformed }
            var picture = RenderedPicture(
                kind: kind, position: position, name: isNamed ? name : nil, fileExtension: fileExtension,
                width: try message.number(in: 1...Int(Int32.max)),
                height: try message.number(in: 1...Int(Int32.max)),
                size: try message.number(in: 1...MediaChannel.longestPicture))
            let preview = try message.data(atMost: PreviewHash.longest)
            if !preview.isEmpty { picture.preview = preview }
            self = .picture(picture)
        case .fault:
            let kind = try message.word(RenderFault.Kind.self)
            self = .fault(RenderFault(kind, try message.text()))
        case .done: self = .done
        }
        try message.finish()
    }
}
