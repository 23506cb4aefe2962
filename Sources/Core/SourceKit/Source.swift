package import Model

/// A module that lists what a job fetches.
///
/// A source lists; it never downloads items, writes files or retries. It is given everything it may
/// touch in its ``SourceContext``. Pages are pulled, so that a slow disk slows the source.
package protocol Source: Sendable {
    /// What the job file's `source:` mapping is decoded into.
    associatedtype Options: Sendable
    associatedtype Pages: SourcePages

    /// The module's name, documentation and the one table of its options.
    static var info: SourceInfo<Options> { get }

    /// Keeps the options; performs no I/O.
    ///
    /// - Throws: what makes a listing impossible and could not be seen while the options were decoded.
    init(options: Options, context: SourceContext) throws

    /// The list from its beginning.
    func pages() -> Pages
}

/// The pages of one listing, in order.
package protocol SourcePages {
    /// The next page, or nil when the list is complete.
    ///
    /// - Throws: what ended the list early; what was listed before is still fetched.
    mutating func next() async throws -> Page?
}
