internal import Catalog
internal import HTTP
internal import JSON
internal import Model
internal import Reports
internal import SQLite
internal import Server
internal import System

extension WebHandler {
    static let jobs: Endpoint = { handler, call in
        try call.allow()
        handler.answer(call) { connection, json in
            json.beginArray()
            for job in try handler.rows.all(connection) {
                json.nextLine()
                json.value(encoded: job.json)
            }
            json.endArray()
        }
    }

    // MARK: - Runs

    static let runs: Endpoint = { handler, call in
        try call.allow("before", "limit")
        let (before, limit) = (try call.integer("before", .max, in: 1...Int.max), try call.limit(50))
        handler.answer(call) { connection, json in
            try handler.requireJob(call.variable, connection)
            let runs = try PageRun.all(of: call.variable, before: Int64(before), limit: limit + 1, from: connection)
            json.beginObject()
            json.key("runs")
            json.beginArray()
            for run in runs.prefix(limit) {
                json.nextLine()
                json.beginObject()
                json.members(of: run)
                json.endObject()
            }
            json.endArray()
            json.member("next", runs.count > limit ? runs[limit - 1].id : nil)
            json.endObject()
        }
    }

    static let run: Endpoint = { handler, call in
        try call.allow()
        let id = try call.id()
        handler.answer(call) { connection, json in
            let run = try requireRun(id, connection)
            let isLive = run.outcome == RunOutcome.running.rawValue
            json.beginObject()
            json.members(of: run)
            json.member("live", isLive)
            json.member("state", isLive ? handler.rows.states.state(ofRun: id, pid: run.pid) : "finished")
            json.endObject()
        }
    }

    static let transfers: Endpoint = { handler, call in
        try call.allow("limit")
        let id = try call.id()
        let limit = try call.integer("limit", 5_000, in: 1...5_000)
        handler.answer(call) { connection, json in
            _ = try requireRun(id, connection)
            let (rows, total) = try PageTransfer.sample(ofRun: id, limit: limit, from: connection)
            json.beginObject()
            json.member("total", total)
            json.column("item", rows) { $0.value($1.item) }
            json.column("title", rows) { $0.value($1.title) }
            json.column("outcome", rows) { $0.value($1.outcome) }
            json.column("failure", rows) { $0.value($1.failure) }
            json.column("host", rows) { $0.value(hostText($1.url)) }
            for (index, name) in PageTransfer.numbers.enumerated() {
                json.column(name, rows) { $0.value($1.values[index]) }
            }
            json.endObject()
        }
    }

    static func requireRun(_ id: Int64, _ connection: Connection) throws -> PageRun {
        guard let run = try PageRun.one(id, from: connection) else {
            throw Problem(404, "No such run", "the catalog has no run \(id)")
        }
        return run
    }

    /// A job of the catalog; or one of the job files, of which there is nothing yet.
    func requireJob(_ name: String, _ connection: Connection) throws {
        guard try PageJob.exists(name, in: connection) || rows.files.known().job(name) != nil else {
            throw Problem(404, "No such job", "neither the catalog nor the job files have '\(name.prefix(100))'")
        }
    }

    // MARK: - Collections

    static let collections: Endpoint = { handler, call in
        try call.allow()
        handler.answer(call) { connection, json in
            try handler.requireJob(call.variable, connection)
            try handler.write(try PageCollection.all(of: call.variable, from: connection), connection, &json)
        }
    }

    static let places: Endpoint = { handler, call in
        try call.allow()
        handler.answer(call) { connection, json in
            try handler.write(try PageCollection.places(from: connection), withJobs: true, connection, &json)
        }
    }

    static let map: Endpoint = { handler, call in
        try call.allow()
        handler.answer(call) { connection, json in
            json.beginObject()
            json.key("collections")
            try handler.write(try PageCollection.located(from: connection), withJobs: true, connection, &json)
            let map = try PageMap(limit: 50_000, within: 500_000, from: connection)
            json.key("items")
            json.beginObject()
            json.column("id", map.items) { $0.value($1.id) }
            json.column("job", map.items) { $0.value($1.job) }
            json.column("collection", map.items) { $0.value($1.collection) }
            json.column("latitude", map.items) { $0.value($1.latitude) }
            json.column("longitude", map.items) { $0.value($1.longitude) }
            json.column("thumbnail", map.items) { $0.value($1.thumbnail) }
            json.endObject()
            json.member("truncated", map.isTruncated)
            json.endObject()
        }
    }

    /// Covers are looked for as long as that is quick; the rest of a long list has none.
    private func write(
        _ collections: [PageCollection], withJobs: Bool = false, _ connection: Connection, _ json: inout JSONWriter
    ) throws {
        let counts = rows.counts()
        let began = Monotonic.now()
        json.beginArray()
        for collection in collections {
            let isInTime = Monotonic.now() - began < 200_000
            let cover = try isInTime ? PageCollection.covers(of: collection.id, from: connection).first : nil
            json.nextLine()
            json.beginObject()
            if withJobs { json.member("job", collection.job) }
            json.members(
                of: collection, counts.map { $0.collections[collection.id] ?? PageCounts.Count() }, cover)
            json.endObject()
        }
        json.endArray()
    }
}
