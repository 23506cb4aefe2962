/// Builds nodes from events and keeps the limits: it stops while reading, so that depth costs no stack and a small
/// text that stands for a huge one is never unfolded.
struct Composer: ~Copyable {
    /// Thrown when reading cannot go on; the fault is in `result` by then.
    private struct Stop: Error {}

    /// A node and what it counts for when an alias repeats it.
    private struct Composed {
        let node: Node
        /// The values in it, itself included.
        var size = 1
        /// The lists and mappings within each other, itself included; 0 for a scalar.
        var height = 0

        mutating func add(_ child: Composed) {
            size += child.size
            height = max(height, child.height + 1)
        }
    }

    private enum Anchor {
        /// The anchored value is being read: an alias to it would be a value within itself.
        case open
        case complete(Composed)
    }

    private let source: YAMLSource
    private let limits: YAMLLimits
    private var reader: EventReader
    private var result = YAMLParser.Result()
    private var anchors: [String: Anchor] = [:]
    private var aliasCount = 0
    private var nodeCount = 0

    init(source: YAMLSource, limits: YAMLLimits) {
        self.source = source
        self.limits = limits
        reader = EventReader(source)
    }

    /// Reads the source to its end or to the first fault that leaves no sense in what follows.
    mutating func compose() -> YAMLParser.Result {
        do {
            var document: Node?
            while true {
                // A document counts once what follows it makes sense: text right behind it may belong to it.
                let event = try next().event
                if let document { result.documents.append(document) }
                guard case .documentStart = event else { break }
                anchors = [:]
                document = try node(depth: 0).node
                _ = try next()
            }
            result.isComplete = true
        } catch {
            // The fault is in the result.
        }
        return result
    }

    private mutating func next() throws(Stop) -> (event: EventReader.Event, mark: Mark, end: EventReader.Position) {
        do {
            let (event, start, end) = try reader.next()
            return (event, mark(from: start, to: end), end)
        } catch {
            result.diagnostics.report(SyntaxFault.diagnostic(for: error, in: source))
            throw Stop()
        }
    }

    /// The mark of what begins at `start` and has `end` behind it. Only the first line of several is underlined; its
    /// length costs a look at the line, once for each that is left by a value.
    private func mark(from start: EventReader.Position, to end: EventReader.Position) -> Mark {
        let behind = end.line == start.line ? end.column : source.scalars(ofLine: start.line).count + 1
        return Mark(line: start.line, column: start.column, length: behind - start.column)
    }

    private mutating func node(depth: Int) throws(Stop) -> Composed {
        let (event, mark, _) = try next()
        return try node(event, mark, depth: depth)
    }

    /// The value that begins with `event`, `depth` lists and mappings deep.
    private mutating func node(_ event: EventReader.Event, _ mark: Mark, depth: Int) throws(Stop) -> Composed {
        switch event {
        case .alias(let name):
            return try alias(name, mark, depth: depth)
        case .scalar(let text, let tag, let anchor, let isPlain):
            try count(1, mark)
            let composed = Composed(node: scalar(text, tag: tag, isPlain: isPlain, mark))
            if let anchor { anchors[anchor] = .complete(composed) }
            return composed
        case .sequenceStart(let tag, let anchor, let isFlow):
            check(tag: tag, is: "seq", mark)
            return try collection(anchor, mark, isFlow: isFlow, depth: depth) { composer, total throws(Stop) in
                try composer.sequence(depth: depth + 1, &total)
            }
        case .mappingStart(let tag, let anchor, let isFlow):
            check(tag: tag, is: "map", mark)
            return try collection(anchor, mark, isFlow: isFlow, depth: depth) { composer, total throws(Stop) in
                try composer.mapping(depth: depth + 1, &total)
            }
        case .documentStart, .documentEnd, .streamEnd, .sequenceEnd, .mappingEnd:
            preconditionFailure("libyaml gives a value where its grammar has one")
        }
    }

    // MARK: Lists and mappings

    private typealias Body = (_ composer: inout Composer, _ total: inout Composed) throws(Stop) -> (
        Node.Content, EventReader.Position
    )

    private mutating func collection(
        _ anchor: String?, _ mark: Mark, isFlow: Bool, depth: Int, _ body: Body
    ) throws(Stop) -> Composed {
        try count(1, mark)
        guard depth < limits.maximumDepth else { throw tooDeep(mark) }
        if let anchor { anchors[anchor] = .open }

        var total = Composed(node: Node(content: .faulty, mark: mark, source: source), height: 1)
        let (content, end) = try body(&self, &total)
        // A flow collection is underlined from bracket to bracket, a block collection at its first column.
        let start = EventReader.Position(line: mark.line, column: mark.column)
        let whole = isFlow ? self.mark(from: start, to: end) : Mark(line: mark.line, column: mark.column)
        let node = Node(content: content, mark: whole, source: source, isFlow: isFlow)
        let composed = Composed(node: node, size: total.size, height: total.height)
        if let anchor { anchors[anchor] = .complete(composed) }
        return composed
    }

    private mutating func sequence(
        depth: Int, _ total: inout Composed
    ) throws(Stop) -> (Node.Content, EventReader.Position) {
        var elements: [Node] = []
        while true {
            let (event, mark, end) = try next()
            if case .sequenceEnd = event { return (.sequence(elements), end) }
            let element = try node(event, mark, depth: depth)
            total.add(element)
            elements.append(element.node)
        }
    }

    private mutating func mapping(
        depth: Int, _ total: inout Composed
    ) throws(Stop) -> (Node.Content, EventReader.Position) {
        var entries: [(key: Node, value: Node)] = []
        var lines: [String: Int] = [:]
        while true {
            let (event, mark, end) = try next()
            if case .mappingEnd = event { return (.mapping(entries), end) }
            let key = try node(event, mark, depth: depth)
            let value = try node(depth: depth)
            total.add(key)
            total.add(value)
            guard let name = name(of: key.node) else { continue }
            if let line = lines[name] {
                let hint = line == key.node.mark.line ? "it is on this line already" : "it is on line \(line) already"
                report("duplicate key \(name.quotedForMessage)", key.node.mark, hint: hint)
                continue
            }
            lines[name] = key.node.mark.line
            entries.append((key.node, value.node))
        }
    }

    /// The text of a key; nil, with a report, for what is no key of ours.
    private mutating func name(of key: Node) -> String? {
        guard let scalar = key.scalar else {
            if case .faulty = key.content { return nil }
            report("a key must be text, not \(key.kindDescription)", key.mark)
            return nil
        }
        if scalar.kind == .null, scalar.text.isEmpty {
            report("a key is missing", key.mark)
            return nil
        }
        if scalar.isPlain, scalar.text == "<<" {
            report("merge keys (<<) are not supported", key.mark, hint: "repeat the keys")
            return nil
        }
        return scalar.text
    }

    // MARK: Scalars and aliases

    private mutating func scalar(_ text: String, tag: String?, isPlain: Bool, _ mark: Mark) -> Node {
        func node(_ content: Node.Content) -> Node { Node(content: content, mark: mark, source: source) }
        if text.unicodeScalars.contains("\0") {
            report("a value must not have a NUL character in it", mark)
            return node(.faulty)
        }
        // `!` alone means: not by its look (YAML 1.2.2, section 6.9.1).
        guard let tag, tag != "!" else {
            return node(.scalar(Scalar(text: text, isPlain: isPlain && tag == nil)))
        }
        guard let kind = tag.coreName.flatMap(Scalar.Kind.init(coreName:)) else {
            report(unknownTag: tag, mark)
            return node(.faulty)
        }
        let plainKind = CoreSchema.kind(of: text)
        guard kind == .string || kind == plainKind || (kind == .float && plainKind == .int) else {
            report("\(text.quotedForMessage) does not fit its tag !!\(tag.coreName ?? "")", mark)
            return node(.faulty)
        }
        return node(.scalar(Scalar(text: text, isPlain: isPlain, taggedKind: kind)))
    }

    private mutating func alias(_ name: String, _ mark: Mark, depth: Int) throws(Stop) -> Composed {
        aliasCount += 1
        guard aliasCount <= limits.maximumAliases else {
            throw stop("more than \(limits.maximumAliases) aliases", mark)
        }
        let faulty = Composed(node: Node(content: .faulty, mark: mark, source: source))
        switch anchors[name] {
        case .complete(let composed):
            try count(composed.size, mark)
            guard depth + composed.height <= limits.maximumDepth else { throw tooDeep(mark) }
            return composed
        case .open:
            report("the alias *\(name) is inside the value that it refers to", mark)
            return faulty
        case nil:
            report("unknown alias *\(name)", mark, hint: "quote a value that starts with *")
            return faulty
        }
    }

    /// Reports a tag on a list or mapping that says anything but what it is.
    private mutating func check(tag: String?, is name: String, _ mark: Mark) {
        if let tag, tag != "!", tag.coreName != name { report(unknownTag: tag, mark) }
    }

    // MARK: Faults

    private mutating func count(_ size: Int, _ mark: Mark) throws(Stop) {
        nodeCount += size
        guard nodeCount <= limits.maximumNodes else {
            throw stop("more than \(limits.maximumNodes) values, each alias counted in full", mark)
        }
    }

    private mutating func tooDeep(_ mark: Mark) -> Stop {
        stop("more than \(limits.maximumDepth) lists and mappings within each other", mark)
    }

    private mutating func stop(_ message: String, _ mark: Mark) -> Stop {
        report(message, Mark(line: mark.line, column: mark.column))
        return Stop()
    }

    private mutating func report(unknownTag tag: String, _ mark: Mark) {
        let name = tag.coreName.map { "!!\($0)" } ?? tag
        report("the tag \(name) is not supported", mark, hint: "quote a value that starts with !")
    }

    private mutating func report(_ message: String, _ mark: Mark, hint: String? = nil) {
        result.diagnostics.report(Diagnostic(message, at: mark, in: source, hint: hint))
    }
}

extension Scalar.Kind {
    /// The kind that a tag of YAML's own names, `!!str` for one.
    fileprivate init?(coreName: String) {
        if coreName == "str" {
            self = .string
        } else if coreName != "string" {
            self.init(rawValue: coreName)
        } else {
            return nil
        }
    }
}

extension String {
    /// The name of a tag of YAML's own behind `!!`; nil for any other tag.
    fileprivate var coreName: String? {
        let prefix = "tag:yaml.org,2002:"
        return hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
