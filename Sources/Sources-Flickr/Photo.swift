/// A photo as Flickr lists it.
struct Photo: Decodable, Sendable {
    let id: String
    let title: String?
    /// As Flickr has it: with tags and entities of HTML.
    let description: String?
    /// The owner's number.
    let owner: String?
    let ownerName: String?
    let license: Int?
    /// Seconds since 1970 UTC.
    let uploadedAt: Int?
    /// In the camera's time zone, which nobody knows.
    let takenAt: String?
    let views: Int?
    let tags: [String]
    let media: String?
    let placeID: String?
    let coordinates: Coordinates?
    /// What its addresses are made of.
    let address: PhotoAddress

    /// - Throws: for an element without a number, which is none.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: FieldName.self)
        guard let id = fields.text("id") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a photo without id"))
        }
        self.id = id
        title = fields.text("title")
        description = fields.text("description")
        owner = fields.text("owner")
        ownerName = fields.text("ownername")
        license = fields.integer("license")
        uploadedAt = fields.integer("dateupload")
        takenAt = fields.text("datetaken")
        views = fields.integer("views")
        tags = fields.text("tags").map { $0.split(separator: " ").map(String.init) } ?? []
        media = fields.text("media")
        placeID = fields.text("place_id")
        coordinates = Coordinates(fields)
        address = PhotoAddress(id: id, fields)
    }

    /// The page to show and to link to.
    var page: String? {
        owner.map { "https://www.flickr.com/photos/\($0)/\(id)/" }
    }
}

/// A point on the map, in degrees.
struct Coordinates: Hashable, Sendable {
    let latitude: Double
    let longitude: Double

    /// Nil where there are none, for which Flickr writes 0, 0.
    init?(_ fields: KeyedDecodingContainer<FieldName>) {
        guard let latitude = fields.number("latitude"), let longitude = fields.number("longitude"),
            latitude != 0 || longitude != 0, (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A page of a list of photos.
struct PhotoList: Decodable, Sendable {
    /// From 1; Flickr answers a page beyond the last with another.
    let page: Int?
    let pages: Int?
    let total: Int?
    let photos: [Photo]

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        let fields = try root.nestedContainer(keyedBy: FieldName.self, forKey: "photos")
        page = fields.integer("page")
        pages = fields.integer("pages")
        total = fields.integer("total")
        photos = fields.list("photo")
    }
}
