import Model

/// The lists of a job that are somebody's: photostreams, favorites, albums and groups. Each is looked up when its turn
/// comes, so that the first photos need not wait for the names of all.
struct PhotoLists: Sendable {
    private enum List: Sendable {
        case user(PageReference<UserPage>)
        case favorites(PageReference<UserPage>)
        /// By number.
        case album(String)
        /// Those of a user.
        case albums(PageReference<AlbumPage>)
        case group(PageReference<GroupPage>)
    }

    private let api: FlickrAPI
    private var left: ArraySlice<List>
    private var met: Set<String> = []

    init(_ options: FlickrOptions, api: FlickrAPI) {
        self.api = api
        var lists: [List] = options.users.map(List.user)
        lists += options.albums.map { $0.isPlainNumber ? .album($0.text) : .albums($0) }
        lists += options.groups.map(List.group)
        lists += options.favorites.map(List.favorites)
        left = lists[...]
    }

    /// The next list that was not there yet, ready to be asked for; nil at the end.
    ///
    /// - Throws: ``FlickrError``.
    mutating func next() async throws -> PhotoSubject? {
        while let list = left.popFirst() {
            guard let subject = try await subject(list) else { continue }
            if met.insert(subject.collection.key).inserted { return subject }
        }
        return nil
    }

    /// - Returns: nil for a list of lists, which have their turns next.
    private mutating func subject(_ list: List) async throws -> PhotoSubject? {
        switch list {
        case .album(let id):
            return PhotoSubject(list: .album, id: id, title: id, section: "Albums", phrase: "the album \(id)")
        case .albums(let user):
            do {
                let owner = try await self.user(user.text, isNumber: user.isNumber)
                left = try await albums(of: owner.id).map(List.album)[...] + left
                return nil
            } catch let refusal as FlickrRefusal {
                return PhotoSubject(
                    unknown: user.text, key: "albums:\(user.text)", section: "Albums",
                    "there is no user '\(user.text)': \(refusal)")
            }
        case .user(let user):
            return try await named(user.text, "user", in: "Users", .userPhotos) {
                try await self.user(user.text, isNumber: user.isNumber)
            }
        case .favorites(let user):
            return try await named(user.text, "favorites", in: "Favorites", .favorites) {
                try await self.user(user.text, isNumber: user.isNumber)
            }
        case .group(let group):
            return try await named(group.text, "group", in: "Groups", .groupPhotos) { try await self.group(group) }
        }
    }

    private func named(
        _ text: String, _ kind: String, in section: String, _ method: FlickrMethod,
        _ find: () async throws -> Named
    ) async throws -> PhotoSubject {
        do {
            let found = try await find()
            return PhotoSubject(
                list: method, id: found.id, title: found.name, section: section,
                phrase: kind == "favorites" ? "the favorites of \(found.name)" : "the \(kind) \(found.name)")
        } catch let refusal as FlickrRefusal {
            return PhotoSubject(
                unknown: text, key: "\(kind):\(text)", section: section,
                "there is no \(kind == "favorites" ? "user" : kind) '\(text)': \(refusal)")
        }
    }

    // MARK: Names

    private func user(_ text: String, isNumber: Bool) async throws -> Named {
        try await remembered("user \(text)") {
            isNumber
                ? try await api.call(.userByNumber, [("user_id", text)], NamedReply.self).named
                : try await api.call(
                    .userByPage, [("url", "https://www.flickr.com/photos/\(text)/")], NamedReply.self
                ).named
        }
    }

    /// The numbers of a user's albums, as many as Flickr gives.
    private func albums(of user: String) async throws -> [String] {
        var found: [String] = []
        var known: Set<String> = []
        var page = 0
        while true {
            page += 1
            let reply = try await api.call(
                .albums, [("user_id", user), ("per_page", "500"), ("page", "\(page)")], AlbumList.self)
            let new = reply.ids.filter { known.insert($0).inserted }
            found += new
            if new.isEmpty || page >= reply.pages { return found }
        }
    }

    private func group(_ group: PageReference<GroupPage>) async throws -> Named {
        try await remembered("group \(group.text)") {
            group.isNumber
                ? try await api.call(.groupByNumber, [("group_id", group.text)], NamedReply.self).named
                : try await api.call(
                    .groupByPage, [("url", "https://www.flickr.com/groups/\(group.text)/")], NamedReply.self
                ).named
        }
    }

    private func remembered(_ key: String, _ find: () async throws -> Named) async throws -> Named {
        if let known: Named = try await api.recall(key) { return known }
        let found = try await find()
        try await api.remember(found, as: key)
        return found
    }
}

/// A user or a group by number, with the name to show.
struct Named: Codable, Sendable {
    let id: String
    let name: String
}

/// Reads a user or a group as the four methods that look one up write it.
private struct NamedReply: Decodable {
    let named: Named

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        for member in ["user", "person", "group"] {
            guard
                let fields = try? root.nestedContainer(
                    keyedBy: FieldName.self, forKey: FieldName(stringValue: member)),
                let id = fields.text("nsid") ?? fields.text("id")
            else { continue }
            named = Named(
                id: id,
                name: fields.text("username") ?? fields.text("groupname") ?? fields.text("name") ?? id)
            return
        }
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "neither a user nor a group"))
    }
}

/// A page of a user's albums.
private struct AlbumList: Decodable {
    private struct Album: Decodable {
        let id: String

        init(from decoder: any Decoder) throws {
            guard let id = try decoder.container(keyedBy: FieldName.self).text("id") else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "an album without id"))
            }
            self.id = id
        }
    }

    let pages: Int
    let ids: [String]

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: FieldName.self)
        let fields = try root.nestedContainer(keyedBy: FieldName.self, forKey: "photosets")
        pages = fields.integer("pages") ?? 1
        ids = fields.list("photoset", of: Album.self).map(\.id)
    }
}
