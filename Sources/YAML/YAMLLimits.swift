/// What a document may cost; beyond it is a fault, so that no file, however hostile, takes long or much memory.
package struct YAMLLimits: Sendable {
    /// The bytes of the whole text.
    package var maximumBytes = 1 << 20

    /// Lists and mappings within each other, aliases followed.
    package var maximumDepth = 32

    /// The aliases (`*name`) of the whole text.
    var maximumAliases = 100

    /// The values and keys of the whole text, each aliased value counted in full wherever it is used.
    package var maximumNodes = 100_000

    /// The default limits.
    package init() {}
}
