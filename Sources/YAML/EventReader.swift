internal import CYAML

/// libyaml's parser over the text of a source: one event after the other, copied out of C.
struct EventReader: ~Copyable {
    enum Event {
        case documentStart, documentEnd, streamEnd
        case alias(String)
        case scalar(text: String, tag: String?, anchor: String?, isPlain: Bool)
        case sequenceStart(tag: String?, anchor: String?, isFlow: Bool)
        case mappingStart(tag: String?, anchor: String?, isFlow: Bool)
        case sequenceEnd, mappingEnd
    }

    /// A place as libyaml tells it, made 1-based.
    struct Position: Equatable {
        var line: Int
        var column: Int
    }

    /// What libyaml did not understand, in its own words.
    struct Problem: Error {
        let text: String
        let position: Position
        /// What it was reading, and where that began; nil where it says nothing of it.
        let context: String?
        let contextPosition: Position
    }

    /// Allocated, as libyaml keeps a pointer to the parser within the parser.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// A copy of the text, as libyaml keeps a pointer to it.
    private let input: UnsafeMutableBufferPointer<UInt8>
    /// What the columns of the first line count on top.
    private let firstColumn: Int

    init(_ source: YAMLSource) {
        let bytes = source.bytes[source.contentStart...]
        firstColumn = source.contentColumn
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        precondition(yaml_parser_initialize(parser) == 1, "out of memory")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event with its first place and the place behind it. After `streamEnd` or a problem there is none.
    mutating func next() throws(Problem) -> (event: Event, start: Position, end: Position) {
        while true {
            var raw = yaml_event_t()
            guard yaml_parser_parse(parser, &raw) == 1 else { throw problem }
            defer { yaml_event_delete(&raw) }
            if let event = Self.event(raw) {
                return (event, position(raw.start_mark), position(raw.end_mark))
            }
        }
    }

    /// The event without C memory; nil for the start of the stream.
    private static func event(_ raw: yaml_event_t) -> Event? {
        switch raw.type {
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_STREAM_END_EVENT: .streamEnd
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_END_EVENT: .mappingEnd
        case YAML_ALIAS_EVENT: .alias(string(raw.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            .scalar(
                text: String(
                    decoding: UnsafeBufferPointer(start: raw.data.scalar.value, count: raw.data.scalar.length),
                    as: UTF8.self),
                tag: string(raw.data.scalar.tag), anchor: string(raw.data.scalar.anchor),
                isPlain: raw.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            .sequenceStart(
                tag: string(raw.data.sequence_start.tag), anchor: string(raw.data.sequence_start.anchor),
                isFlow: raw.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
        case YAML_MAPPING_START_EVENT:
            .mappingStart(
                tag: string(raw.data.mapping_start.tag), anchor: string(raw.data.mapping_start.anchor),
                isFlow: raw.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
        default: nil
        }
    }

    private static func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private func position(_ mark: yaml_mark_t) -> Position {
        Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1 + (mark.line == 0 ? firstColumn : 0))
    }

    private var problem: Problem {
        Problem(
            text: parser.pointee.problem.map { String(cString: $0) } ?? "cannot be read",
            position: position(parser.pointee.problem_mark),
            context: parser.pointee.context.map { String(cString: $0) },
            contextPosition: position(parser.pointee.context_mark))
    }
}
