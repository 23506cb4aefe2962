/// A name such as `Theater District, New York, NY, US, United States`, taken apart: the most detailed part comes first,
/// the country last. The codes that Flickr puts in between since 2017 stay in the middle.
struct PlaceName: Hashable, Sendable {
    let title: String
    /// What is between; nil for a name of one or two parts.
    let subtitle: String?
    /// The same as the title for a name of one part, a country's.
    let country: String

    init(_ name: String) {
        let parts = Self.parts(of: name)
        title = parts.first ?? "Unknown"
        guard Self.isOpen(name) else {
            country = parts.last ?? "Unknown"
            let middle = parts.dropFirst().dropLast()
            subtitle = middle.isEmpty ? nil : middle.joined(separator: ", ")
            return
        }
        country = "Unknown"
        subtitle = parts.count < 2 ? nil : parts.dropFirst().joined(separator: ", ")
    }

    /// A name that leads up to the country where it does not by itself: Flickr's `getInfo` now tells a city as
    /// `San Francisco,` and its region and country beside it.
    ///
    /// - Parameter larger: the names of what the place lies in, the country last.
    static func completed(_ name: String, by larger: [String]) -> String {
        let parts = parts(of: name)
        guard isOpen(name) || parts.count == 1, !parts.isEmpty, !larger.isEmpty else { return name }
        let known = parts.count < 2 ? nil : parts.last.flatMap { larger.firstIndex(of: $0) }
        return (parts + larger[(known.map { $0 + 1 } ?? 0)...]).joined(separator: ", ")
    }

    /// Whether a name says what its place lies in, up to the end.
    static func hasLarger(_ name: String) -> Bool { !isOpen(name) && parts(of: name).count > 1 }

    private static func parts(of name: String) -> [String] {
        name.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
    }

    /// Whether it ends where another part is due.
    private static func isOpen(_ name: String) -> Bool { trimmed(name).hasSuffix(",") }
}
