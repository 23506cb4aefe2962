package import Model
import SourceKit

/// The list of a Flickr job: a page for each reply with photos.
package struct FlickrPages: SourcePages {
    private let options: FlickrOptions
    private let api: FlickrAPI
    /// What is still to be searched, in order; nil before it is known.
    private var subjects: ArraySlice<PhotoSubject>?
    private var search: PhotoSearch?
    private var lists: PhotoLists
    private var photos: SinglePhotos

    init(options: FlickrOptions, api: FlickrAPI) {
        lists = PhotoLists(options, api: api)
        photos = SinglePhotos(options, api: api)
        self.options = options
        self.api = api
    }

    /// The next page; the first may have warnings alone.
    ///
    /// - Throws: ``FlickrError``, or an error of the run's.
    package mutating func next() async throws -> Page? {
        guard var left = subjects else {
            let (found, warnings) = try await findSubjects()
            subjects = found[...]
            return warnings.isEmpty ? try await next() : Page(warnings: warnings)
        }
        while true {
            if let page = try await search?.next() { return page }
            search = nil
            var subject = left.popFirst()
            subjects = left
            if subject == nil { subject = try await lists.next() }
            guard let subject else { return try await photos.next() }
            search = PhotoSearch(subject, options: options, api: api)
        }
    }

    private func findSubjects() async throws -> (subjects: [PhotoSubject], warnings: [String]) {
        let places = PlaceDirectory(api: api)
        var warnings: [String] = []
        var found: [PhotoSubject] = []
        // A run of one pin asks for nothing else.
        if let wanted = options.topPlaces, api.mayTake(keysBelow: PhotoSubject.key(ofPlace: "")) {
            let list = try await TopPlaces(wanted, api: api, places: places).list()
            found = list.places.map { PhotoSubject(place: $0) }
            warnings = list.warnings
        }
        for id in options.places where api.mayTake(keysBelow: PhotoSubject.key(ofPlace: id) + "/") {
            do {
                found.append(PhotoSubject(place: try await places.place(id)))
            } catch let refusal as FlickrRefusal {
                found.append(PhotoSubject(unknownPlace: id, refusal.description))
            }
        }
        var keys: Set<String> = []
        let byName = found.filter { keys.insert($0.collection.key).inserted }.sorted { $0.sortKey < $1.sortKey }
        let pins: [PhotoSubject]
        switch options.pins {
        case .list(let points): pins = points.map { PhotoSubject(pin: $0, now: api.now()) }
        case .catalog:
            pins = try await api.pins().map { PhotoSubject(pin: PinOptions($0), turn: $0.turn, now: api.now()) }
        }
        let others =
            pins
            + options.searches.map { PhotoSubject(search: $0, now: api.now()) }
        return ((byName + others).filter { api.mayTake(keysBelow: $0.collection.key + "/") }, warnings)
    }
}
