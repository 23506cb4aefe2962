internal import Catalog
internal import FoundationEssentials
internal import JSON

extension PageItemRow {
    /// The blurred preview as the page takes it.
    var base64Preview: String? { preview.map { Data($0).base64EncodedString() } }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: Double?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        self.value(value)
    }

    /// A column: an array of one value for each row.
    mutating func column<Row>(_ name: String, _ rows: [Row], _ write: (inout JSONWriter, Row) -> Void) {
        key(name)
        beginArray()
        for row in rows { write(&self, row) }
        endArray()
    }

    mutating func value(_ value: String?) {
        if let value { self.value(value) } else { null() }
    }

    mutating func value(_ value: Int64?) {
        if let value { self.value(value) } else { null() }
    }

    mutating func value(_ value: Double?) {
        if let value { self.value(value) } else { null() }
    }

    /// What a list shows of items, as columns: names and order of the contract.
    mutating func columns(of rows: [PageItemRow], withJobs: Bool = false, withSections: Bool = false) {
        column("id", rows) { $0.value($1.id) }
        if withJobs { column("job", rows) { $0.value($1.job) } }
        column("key", rows) { $0.value($1.key) }
        column("title", rows) { $0.value($1.title) }
        column("state", rows) { $0.value($1.state) }
        column("failure", rows) { $0.value($1.failure) }
        column("detail", rows) { $0.value($1.detail) }
        column("width", rows) { $0.value($1.width) }
        column("height", rows) { $0.value($1.height) }
        column("thumbnail", rows) { $0.value($1.thumbnail) }
        column("preview", rows) { $0.value($1.base64Preview) }
        column("collection", rows) { $0.value($1.collection) }
        column("size", rows) { $0.value($1.size) }
        column("latitude", rows) { $0.value($1.latitude) }
        column("longitude", rows) { $0.value($1.longitude) }
        column("media_type", rows) { $0.value($1.mediaType) }
        column("favourite", rows) { $0.value($1.isFavourite ? 1 as Int64 : 0) }
        if withSections { column("section", rows) { $0.value($1.letter) } }
    }

    mutating func cover(_ cover: PageCover?) {
        guard let cover else { return null() }
        beginObject()
        member("id", cover.item)
        member("thumbnail", cover.thumbnail)
        endObject()
    }

    mutating func members(of run: PageRun) {
        member("id", run.id)
        member("job", run.job)
        member("started_at", run.startedAt)
        member("finished_at", run.finishedAt)
        member("seconds", run.finishedAt.map { Double($0 - run.startedAt) / 1_000_000 })
        member("outcome", run.outcome)
        member("selection", run.selection)
        member("detail", run.detail)
        member("host", run.host)
        member("pid", run.pid)
        member("runner_version", run.runnerVersion)
        for (name, value) in run.sums { member(name, value) }
    }

    mutating func members(of collection: PageCollection, _ count: PageCounts.Count?, _ cover: PageCover?) {
        member("id", collection.id)
        member("key", collection.key)
        member("title", collection.title)
        member("subtitle", collection.subtitle)
        member("section", collection.section)
        member("expected", collection.expected)
        member("items", count?.items)
        member("stored", count?.stored)
        member("failed", count?.failed)
        member("pending", count?.pending)
        member("latitude", collection.latitude)
        member("longitude", collection.longitude)
        key("cover")
        self.cover(cover)
    }
}
