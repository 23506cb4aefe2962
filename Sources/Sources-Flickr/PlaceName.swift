/// A name such as `Theater District, New York, NY, US, United States`, taken apart: the most detailed part comes first,
/// the country last. The codes that Flickr puts in between since 2017 stay in the middle.
struct PlaceName: Hashable, Sendable {
    let title: String
    /// What is between; nil for a name of one or two parts.
    let subtitle: String?
    /// The same as the title for a name of one part, a country's.
    let country: String

    init(_ name: String) {
        let parts = name.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
        title = parts.first ?? "Unknown"
        country = parts.last ?? "Unknown"
        let middle = parts.dropFirst().dropLast()
        subtitle = middle.isEmpty ? nil : middle.joined(separator: ", ")
    }
}
