import Media
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

extension [Expectation] {
    /// Whether bytes of this type, nil when it could not be told, are what the job expects.
    func accept(_ type: MediaType?) -> Bool {
        contains { $0.accepts(type) }
    }
}
