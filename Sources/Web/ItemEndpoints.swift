internal import Catalog
internal import HTTP
internal import JSON
internal import Model
internal import SQLite
internal import Server

extension WebHandler {
    /// The list that parameters describe.
    private func list(_ call: Call, _ connection: Connection) throws -> PageList {
        try requireJob(call.variable, connection)
        var list = PageList(job: call.variable)
        if let key = call.text("collection") {
            guard let collection = try PageCollection.one(key, of: call.variable, from: connection) else {
                throw Problem(404, "No such collection", "the job has none of that key", field: "collection")
            }
            list.collection = collection.id
        }
        list.section = call.text("section")
        let states = ItemState.allCases.map(\.rawValue)
        for state in (call.text("state") ?? "").split(separator: ",").map(String.init) {
            guard states.contains(state) else {
                throw Problem(400, "Bad parameter", "state is of \(states.joined(separator: ", "))", field: "state")
            }
            list.states.insert(state)
        }
        list.setWords(call.text("search") ?? "")
        if let sort = call.text("sort") {
            guard let order = PageList.Order(rawValue: sort) else {
                let known = PageList.Order.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(400, "Bad parameter", "sort is one of \(known)", field: "sort")
            }
            list.order = order
        }
        return list
    }

    static let items: Endpoint = { handler, call in
        try call.allow("collection", "section", "state", "search", "sort", "after", "limit", "ids")
        let (cursor, limit) = (try call.cursor(), try call.limit())
        var ids: [Int64]?
        if let text = call.text("ids") {
            let parts = text.split(separator: ",")
            let numbers = parts.compactMap { Int64($0) }
            guard numbers.count == parts.count, numbers.count <= 500 else {
                throw Problem(400, "Bad parameter", "ids are at most 500 numbers", field: "ids")
            }
            ids = numbers
        }
        if ids == nil, let sort = call.text("sort"), sort != PageList.Order.list.rawValue {
            return handler.answerSorted(call, after: cursor, limit: limit)
        }
        handler.answer(call) { [ids] connection, json in
            let page =
                try ids.map { PageItems(ids: $0) }
                ?? handler.list(call, connection).page(after: cursor, limit: limit, from: connection)
            try write(page, of: call, connection, &json)
        }
    }

    /// Answers with a page of a list in another order, once it is sorted.
    private func answerSorted(_ call: Call, after cursor: PageCursor?, limit: Int) {
        readers.read {
            try self.list(call, $0)
        } then: { result in
            guard case .success(let list) = result else {
                if case .failure(let error) = result { self.refuse(call, error) }
                return
            }
            self.sortedLists.page(of: list, after: cursor, limit: limit) { result in
                switch result {
                case .success(let page): self.answer(call) { try Self.write(page, of: call, $0, &$1) }
                case .failure(let problem as Problem):
                    var response = problem.response
                    response.headers.append(("Retry-After", "1"))
                    self.answer(call, response)
                case .failure(let error): self.refuse(call, error)
                }
            }
        }
    }

    private static func write(
        _ page: PageItems, of call: Call, _ connection: Connection, _ json: inout JSONWriter
    ) throws {
        let rows = try PageItemRow.rows(page.ids, ofJob: call.variable, from: connection)
        json.beginObject()
        json.columns(of: rows)
        json.member("next", page.next?.text)
        json.endObject()
    }

    static let itemIndex: Endpoint = { handler, call in
        try call.allow("collection", "section", "state", "search", "sort", "every", "item")
        let every = try call.integer("every", 250, in: 10...1_000)
        let item = try call.text("item") == nil ? nil : Int64(call.integer("item", 0, in: 1...Int.max))
        handler.answer(call) { connection, json in
            let list = try handler.list(call, connection)
            guard list.order == .list else {
                throw Problem(400, "Bad parameter", "an index is of the order list only", field: "sort")
            }
            let found = try list.index(every: every, of: item, from: connection)
            json.index(found.after, total: found.total, every: every, index: item == nil ? nil : .some(found.index))
        }
    }

    static let item: Endpoint = { handler, call in
        let id = try call.id()
        handler.answer(call) { connection, json in
            guard let item = try PageItem(id, from: connection) else {
                throw Problem(404, "No such item", "the catalog has no item \(id)")
            }
            json.write(item)
        }
    }

    static let recents: Endpoint = { handler, call in
        handler.answer(call) { connection, json in
            let rows = try PageItemRow.rows(try PageMarks.recents(from: connection), from: connection)
            json.beginObject()
            json.key("items")
            json.beginObject()
            json.columns(of: rows, withJobs: true)
            json.endObject()
            json.endObject()
        }
    }

    static let favourites: Endpoint = { handler, call in
        try call.allow("section", "after", "limit")
        let (cursor, limit, section) = (try call.cursor(), try call.limit(), call.text("section"))
        handler.answer(call) { connection, json in
            let page = try PageMarks.favourites(section: section, after: cursor, limit: limit, from: connection)
            json.beginObject()
            json.columns(
                of: try PageItemRow.rows(page.ids, from: connection), withJobs: true, withSections: true)
            json.key("sections")
            json.beginArray()
            for (title, count) in try PageMarks.sections(from: connection) {
                json.beginObject()
                json.member("title", title)
                json.member("count", count)
                json.endObject()
            }
            json.endArray()
            json.member("next", page.next?.text)
            json.endObject()
        }
    }

    static let favouriteIndex: Endpoint = { handler, call in
        try call.allow("section", "every", "item")
        let every = try call.integer("every", 250, in: 10...1_000)
        let item = try call.text("item") == nil ? nil : Int64(call.integer("item", 0, in: 1...Int.max))
        let section = call.text("section")
        handler.answer(call) { connection, json in
            let found = try PageMarks.favouriteIndex(section: section, every: every, of: item, from: connection)
            json.index(found.after, total: found.total, every: every, index: item == nil ? nil : .some(found.index))
        }
    }
}

extension JSONWriter {
    /// Where the blocks of a list begin. `index` is of an item that was asked for, nil inside where it is not in the list.
    fileprivate mutating func index(_ after: [PageCursor?], total: Int?, every: Int, index: Int??) {
        beginObject()
        member("total", total.map(Int64.init))
        member("every", Int64(every))
        column("after", after) { $0.value($1?.text) }
        if let index { member("index", index.map(Int64.init)) }
        endObject()
    }

    fileprivate mutating func write(_ item: PageItem) {
        let row = item.row
        beginObject()
        member("id", row.id)
        member("job", row.job)
        member("key", row.key)
        member("title", row.title)
        member("description", item.description)
        member("section", item.section)
        key("collection")
        beginObject()
        member("key", row.collection)
        member("title", item.collectionTitle)
        member("subtitle", item.collectionSubtitle)
        endObject()
        member("url", item.url)
        member("path", item.path)
        member("media_type", row.mediaType)
        member("size", row.size)
        member("sha256", item.sha256)
        member("etag", item.etag)
        member("last_modified", item.lastModified)
        member("stored_at", item.storedAt)
        member("state", row.state)
        member("failure", row.failure)
        member("detail", row.detail)
        member("width", row.width)
        member("height", row.height)
        member("thumbnail", row.thumbnail)
        member("preview", row.base64Preview)
        member("latitude", row.latitude)
        member("longitude", row.longitude)
        member("favourite", row.isFavourite ? 1 as Int64 : 0)
        var metadata: [String: JSONValue] = [:]
        if let text = item.metadata, case .object(let members)? = JSONValue(parsing: Array(text.utf8)) {
            metadata = members
        }
        func text(_ name: String) -> String? {
            if case .text(let text)? = metadata[name] { text } else { nil }
        }
        member("licence", text("license_name"))
        member("licence_url", text("license_url"))
        member("page_url", text("page_url"))
        member("owner", text("owner_name") ?? text("owner"))
        key("metadata")
        value(.object(metadata))
        key("pictures")
        beginArray()
        for picture in item.pictures { write(picture) }
        endArray()
        key("transfers")
        beginArray()
        for transfer in item.transfers { write(transfer) }
        endArray()
        endObject()
    }

    private mutating func write(_ picture: PageItem.Picture) {
        beginObject()
        member("kind", picture.kind)
        member("position", picture.position)
        member("name", picture.name)
        member("width", picture.width)
        member("height", picture.height)
        member("size", picture.size)
        member("sha256", picture.sha256)
        endObject()
    }

    private mutating func write(_ transfer: PageItem.Transfer) {
        beginObject()
        member("run_id", transfer.run)
        member("outcome", transfer.outcome)
        member("failure", transfer.failure)
        member("detail", transfer.detail)
        member("http_version", transfer.httpVersion)
        member("address", transfer.address)
        for (name, value) in transfer.numbers { member(name, value) }
        endObject()
    }
}
