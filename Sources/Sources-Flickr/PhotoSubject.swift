import Model
import YAML

/// What photos are searched for: a place, a pin or a search, and the collection that they make.
struct PhotoSubject: Sendable {
    /// The arguments of `flickr.photos.search`.
    enum Query: Sendable {
        case arguments([(name: String, value: String)], isGeographic: Bool)
        /// What is in somebody's list, by the method that gives it.
        case list(FlickrMethod, name: String, id: String)
        /// There is nothing to ask for, and why.
        case refused(String)
    }

    var collection: ListedCollection
    var query: Query
    /// How many portions of `photos_per_place` photos are left out, because others than those were asked for.
    var turn = 0
    /// What it is in a sentence: `the pin 'Office'`.
    var phrase: String

    /// A place by its identifier.
    init(place: Place) {
        let name = PlaceName(place.name)
        collection = ListedCollection(
            key: Self.key(ofPlace: place.id), title: name.title, subtitle: name.subtitle, section: name.country,
            latitude: place.latitude, longitude: place.longitude)
        query = .arguments(
            [("place_id", place.id), ("min_upload_date", "\(UploadTime.beginning)")], isGeographic: true)
        phrase = "the place \(place.name)"
    }

    /// A place that Flickr does not have.
    init(unknownPlace id: String, _ reason: String) {
        collection = ListedCollection(key: Self.key(ofPlace: id), title: id)
        query = .refused("there is no place '\(id)': \(reason)")
        phrase = "the place '\(id)'"
    }

    /// The surroundings of a point; `now` is in microseconds since 1970 UTC.
    init(pin: PinOptions, turn: Int = 0, now: Int64) {
        self.turn = turn
        collection = ListedCollection(
            key: "pin:\(pin.name)", title: pin.name, section: "Pins", latitude: pin.latitude, longitude: pin.longitude)
        let since = pin.since?.seconds(now: now) ?? UploadTime.beginning
        query = .arguments(
            [
                ("lat", "\(pin.latitude)"), ("lon", "\(pin.longitude)"), ("radius", "\(pin.radius)"),
                ("radius_units", "km"), ("min_upload_date", "\(since)"),
            ], isGeographic: true)
        phrase = "the pin '\(pin.name)'"
    }

    /// Photos by words; `now` is in microseconds since 1970 UTC.
    init(search: SearchOptions, now: Int64) {
        collection = ListedCollection(key: "search:\(search.name)", title: search.name, section: "Searches")
        var arguments: [(name: String, value: String)] = []
        if let text = search.text { arguments.append(("text", text)) }
        if let tags = search.tags { arguments.append(("tags", tags.values.joined(separator: ","))) }
        if let since = search.since { arguments.append(("min_upload_date", "\(since.seconds(now: now))")) }
        query = .arguments(arguments, isGeographic: false)
        phrase = "the search '\(search.name)'"
    }

    static func key(ofPlace id: String) -> String { "place:\(id)" }

    /// The list of a user, an album or a group that a method gives.
    init(list method: FlickrMethod, id: String, title: String, section: String, phrase: String) {
        let (kind, name) =
            switch method {
            case .album: ("album", "photoset_id")
            case .groupPhotos: ("group", "group_id")
            case .favorites: ("favorites", "user_id")
            default: ("user", "user_id")
            }
        collection = ListedCollection(key: "\(kind):\(id)", title: title, section: section)
        query = .list(method, name: name, id: id)
        self.phrase = phrase
    }

    /// A user or a group that Flickr does not have.
    init(unknown name: String, key: String, section: String, _ reason: String) {
        collection = ListedCollection(key: key, title: name, section: section)
        query = .refused(reason)
        phrase = "'\(name)'"
    }

    /// Countries and the names in them in alphabetical order.
    var sortKey: (String, String, String) {
        ((collection.section ?? "").lowercased(), collection.title.lowercased(), collection.key)
    }
}

/// Times of upload as Flickr counts them: seconds since 1970 UTC.
enum UploadTime {
    /// 2004, the year Flickr opened in. A search by place alone shows the uploads of the last twelve hours; with
    /// `min_upload_date` it shows all since then.
    static let beginning: Int64 = 1_072_915_200
}
