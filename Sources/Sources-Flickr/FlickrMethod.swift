/// The methods of Flickr's API that are used here.
enum FlickrMethod: String, Sendable {
    case search = "flickr.photos.search"
    case topPlaces = "flickr.places.getTopPlacesList"
    case interestingness = "flickr.interestingness.getList"
    case placeByPoint = "flickr.places.findByLatLon"
    case placeByID = "flickr.places.getInfo"
    case userByPage = "flickr.urls.lookupUser"
    case userByNumber = "flickr.people.getInfo"
    case userPhotos = "flickr.people.getPublicPhotos"
    case favorites = "flickr.favorites.getPublicList"
    case albums = "flickr.photosets.getList"
    case album = "flickr.photosets.getPhotos"
    case groupByPage = "flickr.urls.lookupGroup"
    case groupByNumber = "flickr.groups.getInfo"
    case groupPhotos = "flickr.groups.pools.getPhotos"
    case photo = "flickr.photos.getInfo"
    case sizes = "flickr.photos.getSizes"

    /// Whether the same request may succeed soon: 105, service currently unavailable; 201, the same without a word in the
    /// documentation; and of a search 10, which says that of searching alone.
    func isTransient(_ code: Int) -> Bool {
        code == 105 || code == 201 || (self == .search && code == 10)
    }

    /// What a code of this method asks of whoever wrote the job; nil where Flickr's own words must do.
    func advice(for code: Int) -> String? {
        switch (self, code) {
        case (.topPlaces, 2): "check top_places.type"
        case (.topPlaces, 3), (.interestingness, 1): "check top_places.date"
        case (.search, 1): "a search takes at most 20 tags"
        case (.search, 3): "give text or tags"
        case (.placeByID, 2), (.placeByID, 3): "check places"
        case (.userByPage, 1), (.userByNumber, 1): "check users and favorites"
        case (.album, 1), (.albums, 1): "check albums"
        case (.groupByPage, 1), (.groupByNumber, 1): "check groups"
        case (.photo, 1), (.sizes, 1): "check photos; it may be private"
        default: nil
        }
    }
}
