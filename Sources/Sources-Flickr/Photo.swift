/// A photo as Flickr lists it.
struct Photo: Decodable, Sendable {
    let id: String
    let title: String?
    /// As Flickr has it: with tags and entities of HTML.
    let description: String?
    /// The owner's number.
    var owner: String?
    let ownerName: String?
    let license: Int?
    /// Seconds since 1970 UTC.
    let uploadedAt: Int?
    /// In the camera's time zone, which nobody knows.
    let takenAt: String?
    let views: Int?
    /// Seconds since 1970 UTC.
    let updatedAt: Int?
    let tags: [String]
    /// Tags such as `geo:lat=48.1`.
    let machineTags: [String]
    /// What the owner is called in addresses.
    let pathAlias: String?
    let media: String?
    let placeID: String?
    let coordinates: Coordinates?
    /// What its addresses are made of.
    var address: PhotoAddress

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
        updatedAt = fields.integer("lastupdate")
        tags = fields.words("tags")
        machineTags = fields.words("machine_tags")
        pathAlias = fields.text("pathalias")
        media = fields.text("media")
        placeID = fields.text("place_id")
        coordinates = Coordinates(fields)
        address = PhotoAddress(id: id, fields)
    }

    /// Reads the reply of `photos.getInfo`, whose members are elsewhere than those of a list.
    ///
    /// - Throws: for an object without a number.
    init(single fields: KeyedDecodingContainer<FieldName>) throws {
        guard let id = fields.text("id") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: fields.codingPath, debugDescription: "a photo without id"))
        }
        func part(_ name: FieldName) -> KeyedDecodingContainer<FieldName>? {
            try? fields.nestedContainer(keyedBy: FieldName.self, forKey: name)
        }
        self.id = id
        title = fields.text("title")
        description = fields.text("description")
        owner = part("owner")?.text("nsid")
        ownerName = part("owner")?.text("username")
        license = fields.integer("license")
        uploadedAt = fields.integer("dateuploaded") ?? part("dates")?.integer("posted")
        takenAt = part("dates")?.text("taken")
        views = fields.integer("views")
        updatedAt = part("dates")?.integer("lastupdate")
        let allTags = part("tags")?.list("tag", of: Tag.self) ?? []
        tags = allTags.filter { !$0.isMachine }.map(\.text)
        machineTags = allTags.filter(\.isMachine).map(\.text)
        pathAlias = part("owner")?.text("path_alias")
        media = fields.text("media")
        placeID = part("location")?.text("place_id")
        coordinates = part("location").flatMap { Coordinates($0) }
        address = PhotoAddress(id: id, fields)
    }

    private struct Tag: Decodable {
        let text: String
        let isMachine: Bool

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: FieldName.self)
            guard let text = fields.text("_content") else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a tag without text"))
            }
            self.text = text
            isMachine = fields.integer("machine_tag") == 1
        }
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

    init(_ latitude: Double, _ longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }

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
    /// Of an album; nil for other lists.
    let title: String?
    let photos: [Photo]

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        let isAlbum = root.contains("photoset")
        let fields = try root.nestedContainer(keyedBy: FieldName.self, forKey: isAlbum ? "photoset" : "photos")
        title = isAlbum ? fields.text("title") : nil
        // An album tells its owner once.
        let owner = isAlbum ? fields.text("owner") : nil
        page = fields.integer("page")
        pages = fields.integer("pages")
        total = fields.integer("total")
        photos = fields.list("photo", of: Photo.self).map { photo in
            var photo = photo
            photo.owner = photo.owner ?? owner
            return photo
        }
    }
}
