import Model
package import SourceKit

/// Lists photos of Flickr: those of the day's top places, of given places, around pins and of searches; photostreams,
/// albums, pools of groups and favorites; and single photos.
///
/// Each of them is a collection, single photos are one together. Places come first, by country and name, then the others as
/// the job file has them.
package struct FlickrSource: Source {
    /// The table of the options and the name `flickr`.
    package static let info = SourceInfo<FlickrOptions>(
        type: "flickr",
        summary: "photos of Flickr: of places, pins, searches, users, albums, groups, favorites, or one by one",
        path: "{section}/{collection}/{title} {photo_id}.{extension}",
        expects: [.image],
        templateFields: [
            TemplateField(name: "photo_id", help: "Flickr's number of the photo"),
            TemplateField(name: "owner", help: "the name that the photo's owner goes by"),
            TemplateField(name: "taken", help: "when it was taken, as {taken:%Y/%m}", isDate: true),
            TemplateField(name: "uploaded", help: "when it was uploaded, in UTC, as {uploaded:%Y-%m-%d}", isDate: true),
        ],
        secretOptions: ["api_key"],
        firstOptions: [
            "api_key": "YOUR-API-KEY          # better: \"${FLICKR_API_KEY}\", which is taken from the environment",
            "search": "[{name: Lighthouses, tags: [lighthouse, sea]}]",
        ],
        placeholders: [
            // What a photo's address leads to once the photo is gone or replaced, in every language.
            Placeholder(host: "s.yimg.com", path: "/pw/images/*photo_unavailable*"),
            Placeholder(host: "l.yimg.com", path: "/g/images/photo_unavailable*"),
        ],
        defaults: FlickrOptions(),
        fields: FlickrOptions.fields,
        takesPins: { if case .catalog = $0.pins { true } else { false } },
        validate: FlickrOptions.validate)

    private let options: FlickrOptions
    private let context: SourceContext

    /// Keeps the options.
    package init(options: FlickrOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    /// The list from its beginning: nothing is asked before the first page is.
    package func pages() -> FlickrPages {
        FlickrPages(options: options, api: FlickrAPI(options: options, context: context))
    }
}
