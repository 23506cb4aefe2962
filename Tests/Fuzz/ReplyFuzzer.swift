/// Reads any bytes as the head of a reply, draws numbers from them, and shows what they come to, as scripts/fuzz compiles it
/// together with the modules' sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReply(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var numbers = Numbers(bytes)
    let headers = HTTPHeaders(block: bytes)
    read(headers, now: abs(numbers.next() / 2))
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(20) {
        let text = String(decoding: line, as: UTF8.self)
        read(text, &numbers)
        // Each line as the value of each field, too: a mutation seldom makes the name of one.
        for name in ["Age", "Expires", "Retry-After", "Content-Length", "Date"] {
            let field = HTTPHeader(name, text)
            if field.isValid {
                read(HTTPHeaders([field, HTTPHeader("Cache-Control", text)]), now: abs(numbers.next() / 2))
            }
        }
    }
    show(&numbers)
    return 0
}

/// Numbers from the input, extreme ones above all.
private struct Numbers {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> Int64 {
        guard let choice = rest.popFirst() else { return 0 }
        let edges: [Int64] = [
            0, 1, -1, .min, .max, .max - 1, 1 << 31, 1 << 32, 1 << 53, (1 << 53) + 1, .max / 1_000_000, .max / 100,
        ]
        if choice < 128 { return edges[Int(choice) % edges.count] }
        return rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

private func read(_ headers: HTTPHeaders, now: Int64) {
    let now = min(now, 4_000_000_000_000_000)
    let freshness = Freshness(headers, now: now)
    if let end = freshness.expiresAt { precondition(end > now, "fresh until a time that has passed") }
    if let length = try? headers.contentLength { precondition(length >= 0, "a negative length") }
    let failure = TransferFailure(status: 503, headers: headers, now: now)
    precondition((0...TransferFailure.longestRetryAfter).contains(failure.retryAfter ?? 0), "a wait beyond the longest")
    _ = Freshness.strongValidator(headers)
}

private func read(_ text: String, _ numbers: inout Numbers) {
    if let number = wholeNumber(text) { precondition((0...largestWholeNumber).contains(number), "a number beyond all") }
    for field in [text, "bytes \(text)", "bytes \(text)-\(text)/\(text)", "bytes 0-\(text)/\(text)"] {
        guard let range = ContentRange(field) else { continue }
        if let bytes = range.bytes, let total = range.total {
            precondition(bytes.upperBound <= total, "beyond the end")
        }
    }
    if let seconds = parseHTTPDate(text, now: numbers.next()) { _ = formatHTTPDate(seconds) }
    _ = TimeSpan(text)
    _ = ByteCount(text)
    _ = RequestRate(text)
    _ = ByteRate(text)
}

/// What reports and displays make of numbers.
private func show(_ numbers: inout Numbers) {
    for _ in 0..<8 {
        let number = numbers.next()
        _ = byteText(number) + durationText(microseconds: number) + countText(number) + localTimeText(number)
        _ = utcText(number)
    }
    let durations = (0..<20).map { _ in numbers.next() }.sorted()
    if let histogram = Histogram(sorted: durations) {
        precondition(histogram.buckets.reduce(0) { $0 + $1.count } == durations.count, "a duration in no bucket")
    }
    var slots = FileSlots()
    var time: Int64 = 0
    for _ in 0..<4 {
        time += abs(numbers.next() >> 16)
        let items = (0..<8).map { id in
            ItemActivity(
                id: id, collection: 1, title: "a", host: "h", stage: .receiving, received: abs(numbers.next() >> 10),
                total: numbers.next())
        }
        slots.apply(items, at: time)
        if let remaining = slots.remaining { precondition(remaining >= 0, "less than nothing remains") }
    }
}
