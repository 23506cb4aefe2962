import Jobs
import Model
import SourceKit
import TestSupport
import Testing
import YAML

@testable import SourcesFlickr

@Suite("Options", .timeLimit(.minutes(1)))
struct FlickrOptionsTests {
    @Test(
        "a fault names what is wrong and the way out",
        arguments: [
            ("places: [a]", "the key 'api_key' is missing in source; for example api_key: \"${FLICKR_API_KEY}\""),
            (
                "api_key: \"\"\nplaces: [a]",
                "api_key is empty; keys are at https://www.flickr.com/services/apps/create/"
            ),
            (
                "api_key: k",
                "a Flickr job must name what to list; one or more of top_places, places, pins, search, users, albums, groups, "
                    + "favorites, photos"
            ),
            ("api_key: k\nplaces: [\"\"]", "places must not have an empty place ID"),
            ("api_key: k\nplaces: [a]\nphotos_per_place: 4001", "photos_per_place must be 1 to 4000"),
            (
                "api_key: k\nplaces: [a]\nsize: huge",
                "size must be square, thumbnail, small, medium, large or original, not text 'huge'"
            ),
            ("api_key: k\nplaces: [a]\nendpoint: api.flickr.com", "endpoint must be an http or https URL"),
            (
                "api_key: k\ntop_places: {date: 2023-02-29}",
                "date must be a date such as 2024-04-27, not text '2023-02-29'"
            ),
            ("api_key: k\ntop_places: {limit: 0}", "limit must be 1 to 500"),
            (
                "api_key: k\npins: catalogue",
                "pins must be a list of mappings, or the word catalog, not text 'catalogue'"
            ),
            ("api_key: k\npins: [{name: a, latitude: 91, longitude: 0}]", "latitude must be -90 to 90"),
            (
                "api_key: k\npins: [{name: a, latitude: 1, longitude: 0, radius: 33}]",
                "radius must be over 0 and at most 32"
            ),
            (
                "api_key: k\npins: [{name: a, latitude: 1, longitude: 1}, {name: a, latitude: 1, longitude: 2}]",
                "pins has the name 'a' twice"
            ),
            ("api_key: k\nsearch: [{name: a}]", "search.0 must have text or tags"),
            (
                "api_key: k\nsearch: [{name: a, text: b, since: soon}]",
                "since must be a date such as 2024-04-27 or an age such as 30d, not text 'soon'"
            ),
        ])
    func fault(yaml: String, message: String) {
        #expect(faults(yaml) == [message])
    }

    @Test("the examples of the table are valid")
    func examples() {
        for option in FlickrSource.info.fields.documentation where option.name != "api_key" {
            guard let example = option.example else { continue }
            let other = option.name == "places" ? "search: [{name: s, text: t}]" : "places: [p]"
            #expect(faults("api_key: k\n\(other)\n\(option.name): \(example)") == [])
        }
    }

    @Test(
        "since: a day begins at midnight UTC, an age ends now",
        arguments: [
            ("1970-01-01", 0), ("2000-02-29", 951_782_400), ("2024-12-31", 1_735_603_200), ("1d", 13_600),
            ("90m", 94_600),
        ])
    func since(text: String, seconds: Int64) throws {
        let since = CalendarDate(text).map(Since.date) ?? TimeSpan(text).map(Since.age)
        #expect(try #require(since).seconds(now: 100_000_000_000) == seconds)
    }

    @Test("a fault on the line of a literal key is told without the line")
    func hiddenLine() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            name: flickr
            source: {type: flickr, places: [a], api_key: 0123456789abcdef, sice: large}
            output: {directory: files}
            """, to: "flickr.yaml")
        let registry = SourceRegistry([SourceModule(FlickrSource.self)])
        let faults = JobLoader(registry: registry, environment: [:]).load([file]).diagnostics
        #expect(faults.map(\.message) == ["unknown key 'sice' in source"])
        #expect(faults.allSatisfy { !$0.description.contains("0123456789abcdef") })
    }

    private func faults(_ yaml: String) -> [String] {
        var options = FlickrSource.info.defaults
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "flickr.yaml", bytes: Array(yaml.utf8))
        let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
        var context = DecodingContext(place: "source", diagnostics: diagnostics)
        for document in documents {
            FlickrSource.info.fields.decode(document, into: &options, passing: ["type"], &context)
            FlickrSource.info.validate(&options, document, &context)
        }
        return context.diagnostics.map { [$0.message, $0.hint].compactMap(\.self).joined(separator: "; ") }
    }
}
