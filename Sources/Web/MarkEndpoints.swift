internal import Catalog
internal import Dispatch
internal import Files
internal import JSON
internal import SQLite
internal import Server
internal import System

extension WebHandler {
    static let setViewed: Endpoint = { handler, call in
        let item = try call.body("item").id("item")
        handler.write(call) { catalog in
            guard try PageMarks.setViewed(item, now: wallClockMicroseconds(), in: catalog) else { throw noItem(item) }
            return nil
        }
    }

    static let setFavourite: Endpoint = { handler, call in
        let body = try call.body("item", "on")
        let (item, isOn) = (try body.id("item"), try body.flag("on"))
        handler.write(call) { catalog in
            let isThere = try PageMarks.setFavourite(item, isOn, now: wallClockMicroseconds(), in: catalog)
            guard isThere else { throw noItem(item) }
            return nil
        }
    }

    static let pins: Endpoint = { handler, call in
        try call.allow("job")
        handler.answer(call) { connection, json in
            json.beginObject()
            json.key("pins")
            json.beginArray()
            for pin in try PagePin.all(of: call.text("job"), from: connection) {
                json.beginObject()
                json.member("id", pin.id)
                json.member("job", pin.job)
                json.member("name", pin.name)
                json.member("latitude", pin.latitude)
                json.member("longitude", pin.longitude)
                json.member("radius", pin.radius)
                json.member("created_at", pin.createdAt)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
    }

    static let addPin: Endpoint = { handler, call in
        let body = try call.body("job", "name", "latitude", "longitude", "radius")
        let place = try Place(body)
        guard let job = try body.text("job", atMost: 64) else { throw body.missing("job") }
        guard let name = place.name else { throw body.missing("name") }
        guard let latitude = place.latitude else { throw body.missing("latitude") }
        guard let longitude = place.longitude else { throw body.missing("longitude") }
        let file = handler.rows.files.known().job(job)
        handler.write(call) { catalog in
            // A pin may be there before the first run that looks for it.
            if let file {
                try CatalogJob.enter(
                    job, file: file.file, directory: file.directory, on: catalog, now: wallClockMicroseconds())
            }
            guard try PageJob.exists(job, in: catalog) else {
                throw Problem(404, "No such job", "neither the catalog nor the job files have it", field: "job")
            }
            let id = try PagePin.add(
                job: job, name: name, latitude: latitude, longitude: longitude, radius: place.radius,
                now: wallClockMicroseconds(), in: catalog)
            guard let id else { throw Problem(409, "Name taken", "the job has a pin '\(name)'", field: "name") }
            var json = JSONWriter()
            json.beginObject()
            json.member("id", id)
            json.endObject()
            return .json(json.bytes, status: 201)
        }
    }

    static let changePin: Endpoint = { handler, call in
        let id = try call.id()
        let place = try Place(try call.body("name", "latitude", "longitude", "radius"))
        handler.write(call) { catalog in
            guard try PagePin.all(of: nil, from: catalog).contains(where: { $0.id == id }) else { throw noPin(id) }
            let isChanged = try PagePin.change(
                id, name: place.name, latitude: place.latitude, longitude: place.longitude, radius: place.radius,
                in: catalog)
            guard isChanged else { throw Problem(409, "Name taken", "the job has a pin of that name", field: "name") }
            return nil
        }
    }

    static let removePin: Endpoint = { handler, call in
        let id = try call.id()
        handler.write(call) { catalog in
            guard try PagePin.remove(id, in: catalog) else { throw noPin(id) }
            return nil
        }
    }

    /// What a body says of a pin.
    private struct Place: Sendable {
        let name: String?
        let latitude: Double?
        let longitude: Double?
        /// Kilometres: Flickr takes no more than 32.
        let radius: Double?

        init(_ body: Call.Body) throws(Problem) {
            name = try body.text("name", atMost: 200)
            latitude = try body.number("latitude", in: -90...90)
            longitude = try body.number("longitude", in: -180...180)
            radius = try body.number("radius", in: 0.01...32)
            if name?.isEmpty == true { throw Problem(400, "Bad value", "name has to have a letter", field: "name") }
        }
    }

    private static func noItem(_ id: Int64) -> Problem { Problem(404, "No such item", "the catalog has no item \(id)") }
    private static func noPin(_ id: Int64) -> Problem { Problem(404, "No such pin", "the catalog has no pin \(id)") }

    /// Changes the catalog in a short transaction, on a queue of its own, and answers after it.
    ///
    /// - Parameter body: returns the response; nil: done, with nothing to say.
    func write(_ call: Call, _ body: @escaping @Sendable (Connection) throws -> Response?) {
        writer.async {
            do {
                let response = try CatalogLocation.write(self.settings.database, body)
                self.answer(call, response ?? .done)
            } catch {
                self.refuse(call, error)
            }
        }
    }
}

extension Response {
    /// It is done, and there is nothing to say.
    static let done = Response(status: 204, headers: [("Cache-Control", "no-store")])
}
