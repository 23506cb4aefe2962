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
        let name = fields.text("_content") ?? fields.text("name") ?? fields.text("woe_name") ?? id
        let larger = fields.text("place_url").map(Self.larger(byURL:)) ?? []
        self.name = PlaceName.completed(name, by: larger)
        self.type = type ?? fields.text("place_type").flatMap(PlaceType.init(rawValue:))
        let coordinates = Coordinates(fields)
        latitude = coordinates?.latitude
        longitude = coordinates?.longitude
    }

    private init(_ place: Place, name: String) {
        id = place.id
        self.name = name
        type = place.type
        latitude = place.latitude
        longitude = place.longitude
    }

    /// Whether its name ends before the country, as far as is known.
    var lacksCountry: Bool {
        type.map { $0.isBelow(.country) } ?? true && !PlaceName.hasLarger(name)
    }

    /// The same with a name that ends with a country.
    func completed(byCountry country: String) -> Place {
        Place(self, name: PlaceName.completed(name, by: [country]))
    }

    /// The same with a name that leads up to the country, by the larger places that it lies in.
    func completed(by levels: [Place]) -> Place {
        let larger = levels.filter { level in
            guard level.id != id, let kind = level.type, kind != .county, kind != .continent else { return false }
            return type.map { $0.isBelow(kind) } ?? true
        }
        return Place(self, name: PlaceName.completed(name, by: larger.map { PlaceName($0.name).title }))
    }

    /// What a place lies in, by the path of its page: `/United+States/California/San+Francisco`.
    private static func larger(byURL path: String) -> [String] {
        path.split(separator: "/").dropLast().reversed().map { part in
            var bytes: [UInt8] = []
            var rest = part.utf8[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
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
            photoCount = max(0, fields.integer("photo_count") ?? 0)
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
    private let named: Place
    /// From the most detailed to the largest, the place's own kind among them.
    private let levels: [Place]

    /// As they are remembered.
    private enum CodingKeys: String, CodingKey {
        case named = "place"
        case levels
    }

    init(place: Place, levels: [Place]) {
        named = place
        self.levels = levels
    }

    var place: Place { named.completed(by: levels) }

    /// The place of a kind that this one is or lies in.
    func level(_ type: PlaceType) -> Place? {
        named.type == type ? place : levels.first { $0.type == type }?.completed(by: levels)
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
