package import Media
import YAML

/// What an item's bytes must be: the values of `expect`.
package enum Expectation: String, Sendable, CaseIterable, YAMLEnum {
    case any, image, pdf, zip

    fileprivate func accepts(_ type: MediaType?) -> Bool {
        switch self {
        case .any: true
        case .image: type?.kind == .image
        case .pdf: type?.kind == .pdf
        case .zip: type?.kind == .zip
        }
    }
}

extension Expectation {
    fileprivate var words: String {
        switch self {
        case .any: "anything"
        case .image: "an image"
        case .pdf: "a PDF"
        case .zip: "a ZIP file"
        }
    }
}

extension [Expectation] {
    /// `an image, a PDF or a ZIP file`.
    package var words: String {
        let words = map(\.words)
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// Whether bytes of this type, nil when it is unknown, are what the job expects.
    package func accept(_ type: MediaType?) -> Bool {
        contains { $0.accepts(type) }
    }
}
