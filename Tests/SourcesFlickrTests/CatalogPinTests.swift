import Catalog
import Jobs
import Model
import Run
import SQLite
import TestSupport
import Testing

@testable import SourcesFlickr

/// `pins: catalog`: the points that people set on the page's map.
@Suite("Pins of the catalog", .timeLimit(.minutes(1)))
struct CatalogPinTests {
    private static let source = "pins: catalog\nsearch: [{name: All, text: a}]\nphotos_per_place: 2"

    private func setPin(_ bench: FlickrBench, _ name: String, radius: Double? = nil, turn: Int64 = 0) throws {
        let catalog = try CatalogLocation.openForWriting(bench.options.database)
        defer { catalog.close() }
        try CatalogJob.enter("flickr", file: bench.job.file, directory: bench.job.output.directory, on: catalog, now: 1)
        let id = try #require(
            try PagePin.add(
                job: "flickr", name: name, latitude: 48.137, longitude: 11.575, radius: radius, now: 1, in: catalog))
        for _ in 0..<turn { try PagePin.takeTurn(id, in: catalog) }
    }

    @Test("photos around them are listed as around those of the job file")
    func photos() async throws {
        let bench = try FlickrBench(Self.source, ["photos.search": [Sample.photos(["1", "2"]), Sample.photos(["3"])]])
        try setPin(bench, "Office", radius: 2.5)
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["pin:Office/1", "pin:Office/2", "search:All/3"])
        let asked = try #require(bench.requests("photos.search").first)
        #expect([asked["lat"], asked["lon"], asked["radius"], asked["page"]] == ["48.137", "11.575", "2.5", "1"])
        #expect(run.collections.first?.title == "Office")
    }

    @Test("a run of one pin asks for nothing else")
    func alone() async throws {
        var bench = try FlickrBench(Self.source, ["photos.search": [Sample.photos(["1", "2"])]])
        try setPin(bench, "Office")
        try setPin(bench, "Home [1]")
        bench.options.selection.only = [PinPhotos.pattern(ofPin: "Home [1]")]
        let run = try await bench.run()
        #expect(run.items.map(\.key) == ["pin:Home [1]/1", "pin:Home [1]/2"])
        #expect(bench.requests("photos.search").count == 1)
    }

    @Test("another turn asks for the photos behind; after the last ones come the first again")
    func turns() async throws {
        let second = try FlickrBench(
            Self.source, ["photos.search": [Sample.photos(["3"], page: 2, pages: 2, total: "3"), Sample.photos(["9"])]])
        try setPin(second, "Office", turn: 1)
        let run = try await second.run()
        #expect(run.items.map(\.key) == ["pin:Office/3", "search:All/9"])
        #expect(second.requests("photos.search").map { $0["page"] } == ["2", "1"])
        #expect(run.collections.first?.expected == 1)
        #expect(run.warnings == [])

        let third = try FlickrBench(
            Self.source,
            [
                "photos.search": [
                    Sample.photos([], page: 3, pages: 2, total: "3"),
                    Sample.photos(["1", "2"], page: 1, pages: 2, total: "3"), Sample.photos(["9"]),
                ]
            ])
        try setPin(third, "Office", turn: 2)
        #expect(try await third.run().items.map(\.key) == ["pin:Office/1", "pin:Office/2", "search:All/9"])
        #expect(third.requests("photos.search").map { $0["page"] } == ["3", "1", "1"])
    }
}
