/// The places with the most photos of a day.
struct TopPlaces: Sendable {
    private let options: TopPlacesOptions
    private let api: FlickrAPI
    private let places: PlaceDirectory

    init(_ options: TopPlacesOptions, api: FlickrAPI, places: PlaceDirectory) {
        self.options = options
        self.api = api
        self.places = places
    }

    /// The places, those with the most photos first, and what a person should know of where they come from.
    func list() async throws -> (places: [Place], warnings: [String]) {
        switch options.origin {
        case .places:
            let places = try await ranked()
            return (
                places,
                places.isEmpty
                    ? ["Flickr's list of top places\(day) is empty, as it is since 2018; try from: auto"] : []
            )
        case .interestingness:
            return try await interesting(because: nil)
        case .auto:
            let places = try await ranked()
            guard places.isEmpty else { return (places, ["the top places\(day) are those of Flickr's own list"]) }
            return try await interesting(because: "Flickr's list of top places\(day) is empty")
        }
    }

    private var day: String { options.date.map { " of \($0.text)" } ?? "" }

    private var dateArgument: [(name: String, value: String)] { options.date.map { [("date", $0.text)] } ?? [] }

    /// By Flickr's own list.
    private func ranked() async throws -> [Place] {
        let list = try await api.call(
            .topPlaces, [("place_type_id", "\(options.type.id)")] + dateArgument, PlaceList.self)
        var counts = Ranking()
        for entry in list.entries {
            if let place = entry.place { counts.add(place, entry.photoCount) }
        }
        return counts.first(options.limit)
    }

    /// By the places of the day's most interesting photos, 500 of them.
    private func interesting(because reason: String?) async throws -> (places: [Place], warnings: [String]) {
        let extras = [(name: "extras", value: "geo"), (name: "per_page", value: "500")]
        let photos = try await api.call(.interestingness, extras + dateArgument, PhotoList.self).photos
        var ids: [String: Int] = [:]
        var points: [Coordinates: Int] = [:]
        for photo in photos {
            if let id = photo.placeID {
                ids[id, default: 0] += 1
            } else if let point = photo.coordinates {
                points[point, default: 0] += 1
            }
        }
        var counts = Ranking()
        for (point, count) in points.sorted(by: {
            ($0.key.latitude, $0.key.longitude) < ($1.key.latitude, $1.key.longitude)
        }) {
            guard let place = try await places.place(at: point, options.type) else { continue }
            // Flickr rounds to a place of its own choice: then the identifier leads on.
            if place.type == options.type { counts.add(place, count) } else { ids[place.id, default: 0] += count }
        }
        for (id, count) in ids.sorted(by: { $0.key < $1.key }) {
            do {
                let details = try await places.details(id)
                counts.add(details.level(options.type) ?? details.place, count)
            } catch is FlickrRefusal {
                // A place that is no more has no name to show either.
                continue
            }
        }
        let found = counts.first(options.limit)
        var warnings: [String] = []
        if let reason {
            warnings.append(
                "\(reason): these are the places of the day's most interesting photos, \(photos.count) in all")
        }
        if found.isEmpty {
            warnings.append("none of the \(photos.count) most interesting photos\(day) has a place")
        }
        return (found, warnings)
    }

    /// Places and how many photos each has.
    private struct Ranking {
        private var entries: [String: (place: Place, count: Int)] = [:]

        mutating func add(_ place: Place, _ count: Int) {
            // A reply may say of a place as often as it likes that it has 2^53 photos.
            let sum = (entries[place.id]?.count ?? 0).addingReportingOverflow(count)
            entries[place.id, default: (place, 0)].count = sum.overflow ? .max : sum.partialValue
        }

        /// The first so many, those with the most photos first, equal ones by name.
        func first(_ limit: Int) -> [Place] {
            let sorted = entries.values.sorted {
                ($1.count, $0.place.name, $0.place.id) < ($0.count, $1.place.name, $1.place.id)
            }
            return sorted.prefix(limit).map(\.place)
        }
    }
}
