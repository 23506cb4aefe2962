import YAML

/// The options of the source `flickr`.
package struct FlickrOptions: Sendable {
    var apiKey = ""
    var endpoint = "https://api.flickr.com/services/rest/"
    var imageHost = "https://live.staticflickr.com"
    var photosPerPlace = 50
    var size = PhotoSize.large
    var topPlaces: TopPlacesOptions?
    var places: [String] = []
    var pins = PinChoice.list([])
    var searches: [SearchOptions] = []
    var users: [PageReference<UserPage>] = []
    var albums: [PageReference<AlbumPage>] = []
    var groups: [PageReference<GroupPage>] = []
    var favorites: [PageReference<UserPage>] = []
    var photos: [PageReference<PhotoPage>] = []
    /// nil for all.
    var photosPerList: Int?

    init() {}

    static let fields = FieldTable<FlickrOptions>([
        .required(
            "api_key", \.apiKey,
            help:
                "your key of Flickr's API, never shown or stored; keys are at https://www.flickr.com/services/apps/create/",
            example: "\"${FLICKR_API_KEY}\"",
            check: { $0.isEmpty ? "is empty; keys are at https://www.flickr.com/services/apps/create/" : nil }),
        .optional(
            "endpoint", \.endpoint, default: "https://api.flickr.com/services/rest/", help: "where the API is",
            check: complaint(aboutURL:)),
        .optional(
            "image_host", \.imageHost, default: "https://live.staticflickr.com",
            help: "where photos are, in place of Flickr's own hosts", check: complaint(aboutURL:)),
        .optional(
            "photos_per_place", \.photosPerPlace, default: "50",
            help: "photos of a place, a pin or a search, at most the 4000 that Flickr gives",
            check: { (1...PhotoSearch.most).contains($0) ? nil : "must be 1 to \(PhotoSearch.most)" }),
        .optional("size", \.size, default: "large", help: "of a photo; the next smaller one where there is none"),
        .optional(
            "top_places", \.topPlaces, help: "the places with the most photos of a day",
            example: "{type: locality, limit: 20}"),
        .optional(
            "places", \.places, default: "[]", help: "places by Flickr's place IDs", example: "[hP_s5s9VVr5Qcg]",
            check: { $0.contains("") ? "must not have an empty place ID" : nil }),
        .optional(
            "pins", \.pins, default: "[]", help: "points on the map; catalog: those that are set on the page's map",
            example: "[{name: Office, latitude: 48.137, longitude: 11.575}]"),
        .optional(
            "search", \.searches, default: "[]", help: "photos by words and tags",
            example: "[{name: Lighthouses, tags: [lighthouse, sea]}]"),
        .optional(
            "users", \.users, default: "[]", help: "photos of users, by name, number or page", example: "[george]"),
        .optional(
            "albums", \.albums, default: "[]", help: "albums, by number or page; all of a user, by the user's name",
            example: "[72157629487842968]"),
        .optional(
            "groups", \.groups, default: "[]", help: "pools of groups, by name, number or page",
            example: "[lighthouses]"),
        .optional(
            "favorites", \.favorites, default: "[]", help: "what users have marked as favorites", example: "[george]"),
        .optional(
            "photos", \.photos, default: "[]", help: "single photos, by number or page, two requests each",
            example: "[53574198477]"),
        .optional(
            "photos_per_list", \.photosPerList, default: "all",
            help: "photos of a user, an album, a group or favorites",
            example: "500", check: { $0 >= 1 ? nil : "must be at least 1" }),
    ])

    /// Something must be asked for, and each under a name of its own.
    @Sendable static func validate(_ options: inout FlickrOptions, _ node: Node, _ context: inout DecodingContext) {
        let kinds = [
            "top_places", "places", "pins", "search", "users", "albums", "groups", "favorites", "photos",
        ]
        if !kinds.contains(where: { node[$0] != nil }), case .mapping = node.content {
            context.error(
                "a Flickr job must name what to list", at: node, hint: "one or more of \(kinds.joined(separator: ", "))"
            )
        }
        if case .list(let pins) = options.pins { complain(ofRepeated: pins.map(\.name), "pins", node, &context) }
        complain(ofRepeated: options.searches.map(\.name), "search", node, &context)
    }

    private static func complain(
        ofRepeated names: [String], _ key: String, _ node: Node, _ context: inout DecodingContext
    ) {
        var met: Set<String> = []
        for name in names where !met.insert(name).inserted {
            context.error("\(key) has the name '\(name)' twice", at: node[key] ?? node)
        }
    }

    private static func complaint(aboutURL text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        guard scheme == "http" || scheme == "https", rest.hasPrefix("://"), let first = rest.dropFirst(3).first,
            !"/?#:".contains(first)
        else { return "must be an http or https URL" }
        return nil
    }
}

extension PhotoSize: YAMLEnum {}
