import Foundation
import Testing

@testable import SourcesFlags

@Suite(.timeLimit(.minutes(1)))
struct CountryTableTests {
    private static let isoCodes = "/usr/share/iso-codes/json/iso_3166-1.json"

    @Test("the table has the codes of ISO 3166-1", .enabled(if: FileManager.default.fileExists(atPath: isoCodes)))
    func codes() throws {
        struct Record: Decodable {
            let alpha2: String
            let alpha3: String
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = try Data(contentsOf: URL(filePath: Self.isoCodes))
        let records = try #require(try decoder.decode([String: [Record]].self, from: data)["3166-1"])
        let expected = records.map { [$0.alpha2.lowercased(), $0.alpha3.lowercased()] }.sorted { $0[0] < $1[0] }
        #expect(Country.all.map { [$0.code, $0.code3] } == expected)
    }

    @Test(
        "continents are the regions of M49, with Antarctica",
        arguments: [
            ("Africa", 60, ["eg", "io", "tf", "za"]),
            ("Americas", 57, ["bv", "gl", "gs", "us"]),
            ("Antarctica", 1, ["aq"]),
            ("Asia", 51, ["cy", "jp", "tr", "tw"]),
            ("Europe", 51, ["ax", "gb", "ru", "sj"]),
            ("Oceania", 29, ["au", "cc", "hm", "um"]),
        ])
    func continents(name: String, count: Int, some: [String]) {
        let codes = Country.all.filter { $0.continent.rawValue == name }.map(\.code)
        #expect(codes.count == count)
        #expect(Set(codes).isSuperset(of: some))
    }

    @Test(
        "every country has a name in every tested language",
        // In Ewe one begins with an accent.
        arguments: ["en", "de", "vi", "zh-Hant", "ar", "haw", "ee"])
    func names(tag: String) throws {
        let names = CountryNames(in: try #require(Language(tag: tag)))
        #expect(Set(names.all.map(\.country)) == Set(Country.all))
        #expect(names.all.allSatisfy { $0.name != $0.country.code.uppercased() && !$0.name.isEmpty })
    }
}
