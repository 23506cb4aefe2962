/// Decodes a body that a server has coded, and knows whether the coded stream came to its end.
///
/// libcurl decodes, too, but takes whatever came for all of it. Used on one thread at a time.
final class BodyDecoder {
    /// More codings than this, one over the other, are an attack.
    private static let longestChain = 5

    /// The last one applied comes first (RFC 9110, 8.4).
    private let stages: [any BodyCoding]

    /// - Parameter fields: the values of Content-Encoding, in order.
    /// - Returns: nil for a body that is not coded.
    /// - Throws: for a coding that is not known.
    init?(_ fields: [String]) throws(CodingFault) {
        let names = fields.flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !["", "identity", "none"].contains($0) }
        if names.isEmpty { return nil }
        guard names.count <= Self.longestChain else {
            throw CodingFault("the body has \(names.count) content codings, one over the other")
        }
        var stages: [any BodyCoding] = []
        for name in names.reversed() {
            switch name {
            case "gzip", "x-gzip": stages.append(try InflateCoding(.gzip))
            case "deflate": stages.append(try InflateCoding(.deflate))
            case "br": stages.append(try BrotliCoding())
            case "zstd": stages.append(try ZstandardCoding())
            default: throw CodingFault("the content coding '\(name.prefix(40))' is not known")
            }
        }
        self.stages = stages
    }

    /// Takes the next coded bytes and hands on what they decode to.
    ///
    /// - Returns: false when `sink` refused.
    func take(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) -> Bool) throws(CodingFault) -> Bool {
        try take(bytes, by: 0, sink)
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, by stage: Int, _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(CodingFault) -> Bool {
        guard stage < stages.count else { return sink(bytes) }
        return try stages[stage].take(bytes) { (decoded) throws(CodingFault) in
            try take(decoded, by: stage + 1, sink)
        }
    }

    /// What is wrong with a body that ends here; nil where each coding's stream has ended, too.
    var faultAtEnd: CodingFault? {
        stages.first { !$0.isAtEnd }.map { CodingFault("the body ends before its \($0.name) stream does") }
    }
}

/// Why a coded body can't be decoded.
struct CodingFault: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }

    static let noMemory = CodingFault("no memory to decode the body")
}

/// One content coding.
protocol BodyCoding: AnyObject {
    /// For people.
    var name: String { get }
    /// Whether the stream has come to its end, with its check where it has one.
    var isAtEnd: Bool { get }

    /// - Returns: false when `sink` refused.
    /// - Throws: where the bytes are not of this coding, or go on after its end.
    func take(
        _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws(CodingFault) -> Bool
    ) throws(CodingFault) -> Bool
}
