import YAML

/// What an item's bytes must be: the values of `expect`.
package enum Expectation: String, Sendable, CaseIterable, YAMLEnum {
    case any, image, pdf, zip
}
