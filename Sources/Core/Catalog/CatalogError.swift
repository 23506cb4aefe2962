/// Why the catalog can't be used, in words for people.
package struct CatalogError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
