import YAML

/// `top_places`: the places with the most photos of a day.
struct TopPlacesOptions: YAMLRecord {
    var type = PlaceType.locality
    var date: CalendarDate?
    var limit = 100
    var origin = Origin.auto

    /// Where the day's top places come from.
    enum Origin: String, YAMLEnum {
        /// Flickr's list of them, or where it is empty the day's most interesting photos.
        case auto
        case places, interestingness
    }

    static let fields = FieldTable<TopPlacesOptions>([
        .optional("type", \.type, default: "locality", help: "how large a place is"),
        .optional("date", \.date, default: "Flickr's last day", help: "the day", example: "2024-04-27"),
        .optional(
            "limit", \.limit, default: "100", help: "so many places, those with the most photos",
            check: { (1...500).contains($0) ? nil : "must be 1 to 500" }),
        .optional(
            "from", \.origin, default: "auto",
            help: "Flickr's own list, which has been empty since 2018, or the day's most interesting photos"),
    ])
}

extension PlaceType: YAMLEnum {}
