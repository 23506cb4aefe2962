import Model

/// The photos of one subject, page by page.
///
/// Flickr gives the first 4,000 photos of a search at most and repeats itself then; the same photo may also come twice
/// when the list changes under the pages. Repeats are dropped; after a page of nothing else there may still be new photos,
/// so that only several of them in a row end the list.
struct PhotoSearch: Sendable {
    /// Photos that Flickr gives for one search.
    static let most = 4_000
    /// Photos of a page that Flickr gives for a search by place, without an error when asked for more; and for others.
    private static let pageSize = (geographic: 250, other: 500)
    private static let extras =
        ([
            "description", "license", "date_upload", "date_taken", "owner_name", "original_format", "geo", "tags",
            "views", "media", "machine_tags", "path_alias", "last_update", "o_dims",
        ] + PhotoSize.extras).joined(separator: ",")

    private var subject: PhotoSubject
    private let options: FlickrOptions
    private let api: FlickrAPI
    private var page = 0
    /// Pages before the first one that is taken.
    private var skipped = 0
    private var met: Set<String> = []
    /// Photos in the replies so far, repeats included.
    private var received = 0
    /// Pages in a row that had nothing new.
    private var stalePages = 0
    private static let mostStalePages = 8
    private var isOver = false
    /// Videos so far, which are no photos.
    private var videos = 0

    init(_ subject: PhotoSubject, options: FlickrOptions, api: FlickrAPI) {
        self.subject = subject
        self.options = options
        self.api = api
        skipped = subject.turn * pagesOfTurn
        page = skipped
    }

    /// Photos that are asked for at a time.
    private var pageLength: Int {
        let isGeographic = if case .arguments(_, let isGeographic) = subject.query { isGeographic } else { false }
        return min(isGeographic ? Self.pageSize.geographic : Self.pageSize.other, most.wanted)
    }

    /// Pages that `photos_per_place` photos take.
    private var pagesOfTurn: Int { (options.photosPerPlace + pageLength - 1) / pageLength }

    /// Begins anew where a turn is behind the last photos that there are: after the last turn comes the first.
    private mutating func begins(again list: PhotoList) -> Bool {
        guard page == skipped + 1, skipped > 0 else { return false }
        let pages = min(max(0, list.pages ?? 1), Self.most / pageLength)
        guard list.photos.isEmpty || skipped >= pages else { return false }
        let turns = max(1, (pages + pagesOfTurn - 1) / pagesOfTurn)
        let turn = skipped / pagesOfTurn
        skipped = (turn < turns ? 0 : turn % turns) * pagesOfTurn
        page = skipped
        return true
    }

    /// The next photos; the first page has the collection.
    mutating func next() async throws -> Page? {
        guard !isOver else { return nil }
        page += 1
        switch subject.query {
        case .refused(let reason): return refused(reason)
        case .arguments(let arguments, _): return try await ask(.search, arguments + [("media", "photos")])
        case .list(let method, let name, let id): return try await ask(method, [(name, id)])
        }
    }

    private var isList: Bool { if case .list = subject.query { true } else { false } }

    /// Photos that are wanted of the subject, and how many Flickr gives at most.
    private var most: (wanted: Int, given: Int) {
        isList ? (options.photosPerList ?? .max, .max) : (options.photosPerPlace, Self.most)
    }

    private mutating func ask(_ method: FlickrMethod, _ arguments: [(name: String, value: String)]) async throws
        -> Page?
    {
        let common = [("extras", Self.extras), ("per_page", "\(pageLength)"), ("page", "\(page)")]
        do {
            let list = try await api.call(method, arguments + common, PhotoList.self)
            return begins(again: list) ? try await next() : take(list)
        } catch let refusal as FlickrRefusal {
            return page == skipped + 1 ? refused(refusal.description) : cut(refusal.description)
        }
    }

    private mutating func take(_ list: PhotoList) -> Page {
        let (wanted, given) = most
        received += list.photos.count
        // Of the photos that there are, those that are not left out.
        let total = max(0, (list.total ?? 0) - skipped * pageLength)
        let fresh = list.photos.filter { met.count < wanted && met.insert($0.id).inserted }
        let key = subject.collection.key
        // A search is asked for photos alone; lists have videos among them.
        let photos = isList ? fresh.filter { $0.media != "video" } : fresh
        videos += fresh.count - photos.count
        var result = Page(items: photos.map { ListedItem($0, in: key, options) })
        if page == skipped + 1 {
            if let title = list.title { subject.collection.title = title }
            var collection = subject.collection
            collection.expected = min(wanted, max(total, fresh.count))
            result.collections = [collection]
            if list.photos.isEmpty { result.warnings = ["Flickr has no photos for \(subject.phrase)"] }
        }
        stalePages = fresh.isEmpty ? stalePages + 1 : 0
        let isLast =
            page >= list.pages ?? 1 || list.page.map { $0 != page } ?? false || list.photos.isEmpty
            || skipped * pageLength + received >= given || stalePages == Self.mostStalePages
        isOver = isLast || met.count >= wanted
        // Fewer than there are, and not because no more were asked for.
        if isOver, met.count < total, met.count < wanted || wanted == given, !met.isEmpty {
            let limit = given == .max ? "" : ", and at most \(given) of any search"
            result.warnings.append("Flickr gives \(met.count) of \(total) photos for \(subject.phrase)\(limit)")
        }
        if isOver, videos > 0 {
            result.warnings.append(
                "\(subject.phrase) has \(videos == 1 ? "1 video, which is" : "\(videos) videos, which are") skipped"
            )
        }
        return result
    }

    private mutating func cut(_ reason: String) -> Page {
        isOver = true
        return Page(
            warnings: ["the photos for \(subject.phrase) end after \(met.count): \(reason)"],
            incomplete: [subject.collection.key])
    }

    /// What can't be searched for is an item that failed, so that the run tells of it and ends as partial.
    private mutating func refused(_ reason: String) -> Page {
        isOver = true
        let collection = subject.collection
        let item = ListedItem(
            collection: collection.key, key: "\(collection.key)/@", url: "", title: collection.title, invalid: reason)
        return Page(collections: [collection], items: [item], incomplete: [collection.key])
    }
}
