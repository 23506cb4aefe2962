import SourcesSeries
import TestSupport
import Testing

@Suite("The contract of sources: series", .timeLimit(.minutes(1)))
struct SeriesContractTests {
    @Test(
        "the list keeps to the contract, and faults have their places",
        arguments: ["last: 1", "first: 7\nlast: 2500\ntitle: Truyện tranh"])
    func contract(_ options: String) async throws {
        let url = "url: \"https://example.org/{number}.png\""
        let faults = ["last: 3", "\(url)\nfirst: 5\nlast: 4", "url: https://example.org/1.png\nlast: 3"]
        let contract = SourceContract(SeriesSource.self, options: "\(url)\n\(options)", faults: faults)
        #expect(try await contract.violations() == [])
    }
}
