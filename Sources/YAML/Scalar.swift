/// A single value of a document: its text and what the core schema takes it for.
package struct Scalar: Hashable, Sendable {
    /// The kinds of the YAML 1.2 core schema (YAML 1.2.2, section 10.3).
    package enum Kind: String, Sendable {
        case null, bool, int, float, string
    }

    /// The text as the document means it: quotes and escapes resolved, variables replaced.
    package let text: String

    /// The text before variables were replaced: what a message, a log or a report may show.
    package let written: String

    /// Whether it is written without quotes.
    package let isPlain: Bool

    /// The kind, by an explicit tag or, where there is none and no quotes, by the look of the text.
    package let kind: Kind

    /// Whether the kind comes from a tag such as `!!str`.
    let isTagged: Bool

    /// Whether a variable of the environment is in it.
    package var isExpanded: Bool { text != written }

    init(text: String, isPlain: Bool, taggedKind: Kind? = nil) {
        self.init(text: text, written: text, isPlain: isPlain, taggedKind: taggedKind)
    }

    private init(text: String, written: String, isPlain: Bool, taggedKind: Kind?) {
        self.text = text
        self.written = written
        self.isPlain = isPlain
        isTagged = taggedKind != nil
        kind = taggedKind ?? (isPlain ? CoreSchema.kind(of: text) : .string)
    }

    /// The same value with another text: a plain one is looked at anew, so that `${N}` can be a number.
    func expanded(to text: String) -> Scalar {
        Scalar(text: text, written: written, isPlain: isPlain, taggedKind: isTagged ? kind : nil)
    }
}
