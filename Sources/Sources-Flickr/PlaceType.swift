/// The kinds of places that Flickr has, the most detailed first.
enum PlaceType: String, CaseIterable, Codable, Sendable {
    case neighbourhood, locality, county, region, country, continent

    /// Whether a place of this kind may lie in one of that.
    func isBelow(_ other: PlaceType) -> Bool {
        let kinds = Self.allCases
        return (kinds.firstIndex(of: self) ?? 0) < (kinds.firstIndex(of: other) ?? 0)
    }

    /// `place_type_id`.
    var id: Int {
        switch self {
        case .neighbourhood: 22
        case .locality: 7
        case .county: 9
        case .region: 8
        case .country: 12
        case .continent: 29
        }
    }

    /// How exact a point is that stands for such a place, in Flickr's levels from 1, the world, to 16, a street.
    var accuracy: Int {
        switch self {
        case .neighbourhood: 16
        case .locality: 11
        case .county: 8
        case .region: 6
        case .country: 3
        case .continent: 1
        }
    }
}
