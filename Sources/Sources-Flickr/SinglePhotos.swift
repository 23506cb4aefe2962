import Model

/// Photos that a job names one by one: each is asked for by itself, what it is and which sizes it has.
struct SinglePhotos: Sendable {
    private static let collection = ListedCollection(key: "photos", title: "Photos", section: "Photos")

    private let options: FlickrOptions
    private let api: FlickrAPI
    private var left: ArraySlice<String>
    private var isBegun = false

    init(_ options: FlickrOptions, api: FlickrAPI) {
        self.options = options
        self.api = api
        var met: Set<String> = []
        left = options.photos.map(\.text).filter { met.insert($0).inserted }[...]
    }

    /// The next photo; nil at the end. One that Flickr does not have is an item that failed.
    ///
    /// - Throws: ``FlickrError``.
    mutating func next() async throws -> Page? {
        guard let id = left.popFirst() else { return nil }
        var page = Page()
        if !isBegun {
            var collection = Self.collection
            collection.expected = left.count + 1
            page.collections = [collection]
        }
        isBegun = true
        do {
            let arguments = [(name: "photo_id", value: id)]
            var photo = try await api.call(.photo, arguments, SinglePhoto.self).photo
            photo.address.add(try await api.call(.sizes, arguments, PhotoSizes.self))
            page.items = [ListedItem(photo, in: Self.collection.key, options)]
        } catch let refusal as FlickrRefusal {
            page.items = [
                ListedItem(
                    collection: Self.collection.key, key: "\(Self.collection.key)/\(id)", url: "", title: id,
                    invalid: "there is no photo \(id): \(refusal)")
            ]
        }
        return page
    }
}

/// The reply of `photos.getInfo`, in the members of a list.
private struct SinglePhoto: Decodable {
    let photo: Photo

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        photo = try Photo(single: try root.nestedContainer(keyedBy: FieldName.self, forKey: "photo"))
    }
}

/// The reply of `photos.getSizes`: addresses by the letters of extras.
struct PhotoSizes: Decodable, Sendable {
    struct Size: Decodable, Sendable {
        let letters: String
        let url: String
        let width: Int?
        let height: Int?

        /// - Throws: for a size that is no picture's, or is not used here.
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: FieldName.self)
            guard let letters = fields.text("label").flatMap({ Self.letters[$0] }), let url = fields.text("source"),
                fields.text("media") != "video"
            else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a size of another kind"))
            }
            self.letters = letters
            self.url = url
            width = fields.integer("width")
            height = fields.integer("height")
        }

        private static let letters = [
            "Square": "sq", "Large Square": "q", "Thumbnail": "t", "Small": "s", "Small 320": "n", "Medium": "m",
            "Medium 640": "z", "Medium 800": "c", "Large": "l", "Large 1600": "h", "Large 2048": "k", "Original": "o",
        ]
    }

    let sizes: [Size]

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        sizes = try root.nestedContainer(keyedBy: FieldName.self, forKey: "sizes").list("size")
    }
}
