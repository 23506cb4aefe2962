/// Looks up places, each once: the names are remembered from run to run.
struct PlaceDirectory: Sendable {
    let api: FlickrAPI

    /// A place by its identifier.
    ///
    /// - Throws: ``FlickrRefusal`` when there is none; ``FlickrError``.
    func place(_ id: String) async throws -> Place {
        let place = try await details(id).place
        guard place.lacksCountry, let latitude = place.latitude, let longitude = place.longitude else { return place }
        do {
            let country = try await self.place(at: Coordinates(latitude, longitude), .country)
            return country.map { place.completed(byCountry: PlaceName($0.name).country) } ?? place
        } catch is FlickrRefusal {
            return place
        }
    }

    /// A place and those that it lies in.
    func details(_ id: String) async throws -> PlaceDetails {
        let key = "place \(id)"
        if let known: PlaceDetails = try await api.recall(key) { return known }
        let details = try await api.call(.placeByID, [("place_id", id)], PlaceDetailsReply.self).details
        try await api.remember(details, as: key)
        return details
    }

    /// The place of a kind around a point; nil at sea.
    func place(at point: Coordinates, _ type: PlaceType) async throws -> Place? {
        // Flickr cuts coordinates to three or four decimals itself.
        let (latitude, longitude) = (Self.rounded(point.latitude), Self.rounded(point.longitude))
        let key = "point \(latitude) \(longitude) \(type.rawValue)"
        if let known: Found = try await api.recall(key) { return known.place }
        let list = try await api.call(
            .placeByPoint, [("lat", latitude), ("lon", longitude), ("accuracy", "\(type.accuracy)")], PlaceList.self)
        let found = Found(place: list.entries.lazy.compactMap(\.place).first)
        try await api.remember(found, as: key)
        return found.place
    }

    /// What was found, nothing included: the sea is not asked again either.
    private struct Found: Codable {
        let place: Place?
    }

    /// Degrees with three decimals: a hundred metres.
    private static func rounded(_ degrees: Double) -> String {
        let thousandths = Int((degrees * 1_000).rounded())
        let fraction = String(abs(thousandths) % 1_000)
        let zeros = String(repeating: "0", count: 3 - fraction.utf8.count)
        return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1_000).\(zeros)\(fraction)"
    }
}
