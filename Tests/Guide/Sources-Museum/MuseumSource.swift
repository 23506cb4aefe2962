import FoundationEssentials
package import Model
package import SourceKit
import YAML

/// The options of the source `museum`.
package struct MuseumOptions: Sendable {
    var url = ""
    var token = ""

    static let fields = FieldTable<MuseumOptions>([
        .required("url", \.url, help: "where the API is", example: "https://museum.example/api"),
        .required("token", \.token, help: "your key of the API, never shown", example: "\"${MUSEUM_TOKEN}\""),
    ])
}

/// Lists the objects of a museum.
package struct MuseumSource: Source {
    package static let info = SourceInfo<MuseumOptions>(
        type: "museum", summary: "the objects of a museum", path: "{collection}/{title}.{extension}",
        expects: [.image], secretOptions: ["token"],
        placeholders: [Placeholder(host: "images.museum.example", path: "/no-image*")],
        defaults: MuseumOptions(), fields: MuseumOptions.fields)

    private let options: MuseumOptions
    private let context: SourceContext

    package init(options: MuseumOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    package func pages() -> MuseumPages {
        MuseumPages(options: options, context: context)
    }
}

/// A page of the API at a time.
package struct MuseumPages: SourcePages {
    private struct Museum: Decodable { let name: String }

    private struct Objects: Decodable {
        struct Object: Decodable {
            let id: Int
            let title: String
            let image: String
            let year: Int?
        }

        let pages: Int
        let objects: [Object]
    }

    private static let collection = "objects"
    /// Microseconds.
    private static let month: Int64 = 30 * 86_400_000_000

    private let options: MuseumOptions
    private let context: SourceContext
    private var number = 0
    private var isOver = false

    fileprivate init(options: MuseumOptions, context: SourceContext) {
        self.options = options
        self.context = context
    }

    package mutating func next() async throws -> Page? {
        guard !isOver else { return nil }
        number += 1
        var page = Page()
        if number == 1 { page.collections = [ListedCollection(key: Self.collection, title: try await name())] }
        do {
            let reply: Objects = try await ask("objects?page=\(number)")
            page.items = reply.objects.map { object in
                ListedItem(
                    collection: Self.collection, key: "\(object.id)", url: object.image, title: object.title,
                    metadata: object.year.map { ["year": .integer(Int64($0))] } ?? [:])
            }
            isOver = number >= reply.pages
        } catch let error as FetchError where number > 1 && error.failure != .cancelled {
            isOver = true
            page.warnings = ["the list ends before page \(number): \(error)"]
            page.incomplete = [Self.collection]
        }
        return page
    }

    private func name() async throws -> String {
        if let known = try await context.recall([options.url], youngerThan: Self.month)[options.url] { return known }
        let museum: Museum = try await ask("about")
        try await context.remember([options.url: museum.name])
        return museum.name
    }

    private func ask<Content: Decodable>(_ what: String) async throws -> Content {
        let url = "\(options.url)/\(what)"
        let reply = try await context.fetch(url, headers: [ListedHeader(name: "X-Token", value: options.token)])
        guard reply.status == 200 else {
            throw FetchError(failure: .http, description: "the museum answered \(reply.status) to \(what)")
        }
        do {
            return try JSONDecoder().decode(Content.self, from: Data(reply.body))
        } catch {
            let text = context.excerpt(String(decoding: reply.body, as: UTF8.self), 60)
            throw FetchError(failure: .protocolError, description: "the museum answered \(what) with '\(text)'")
        }
    }
}
