/// A place as Flickr knows it.
struct Place: Codable, Sendable {
    let id: String
    /// From the most detailed part to the country.
    let name: String
    let type: PlaceType?
    let latitude: Double?
    let longitude: Double?

    /// Reads a place of a list or of `getInfo`; in the one its name is `_content`, in the other `name`.
    init?(reply fields: KeyedDecodingContainer<FieldName>, as type: PlaceType? = nil) {
        guard let id = fields.text("place_id") else { return nil }
        self.id = id
        name = fields.text("_content") ?? fields.text("name") ?? fields.text("woe_name") ?? id
        self.type = type ?? fields.text("place_type").flatMap(PlaceType.init(rawValue:))
        let coordinates = Coordinates(fields)
        latitude = coordinates?.latitude
        longitude = coordinates?.longitude
    }
}

/// The reply of `getTopPlacesList` and `findByLatLon`.
struct PlaceList: Decodable, Sendable {
    struct Entry: Decodable, Sendable {
        let place: Place?
        let photoCount: Int

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: FieldName.self)
            place = Place(reply: fields)
            photoCount = fields.integer("photo_count") ?? 0
        }
    }

    let entries: [Entry]

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        entries = try root.nestedContainer(keyedBy: FieldName.self, forKey: "places").list("place")
    }
}

/// The reply of `getInfo`: a place and the larger ones that it lies in.
struct PlaceDetails: Codable, Sendable {
    let place: Place
    /// The place's own kind among them.
    let levels: [Place]

    /// The place of a kind that this one is or lies in.
    func level(_ type: PlaceType) -> Place? {
        place.type == type ? place : levels.first { $0.type == type }
    }
}

/// Reads ``PlaceDetails`` as Flickr writes them.
struct PlaceDetailsReply: Decodable, Sendable {
    let details: PlaceDetails

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        // Some years' replies have no object around the place.
        let fields = (try? root.nestedContainer(keyedBy: FieldName.self, forKey: "place")) ?? root
        let levels = PlaceType.allCases.compactMap { type in
            (try? fields.nestedContainer(keyedBy: FieldName.self, forKey: FieldName(stringValue: type.rawValue)))
                .flatMap { Place(reply: $0, as: type) }
        }
        guard let own = Place(reply: fields) ?? levels.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a place without place_id"))
        }
        // Some replies have the name only within the level that the place is.
        let named = fields.contains("name") || fields.contains("_content")
        details = PlaceDetails(place: named ? own : levels.first { $0.id == own.id } ?? own, levels: levels)
    }
}
