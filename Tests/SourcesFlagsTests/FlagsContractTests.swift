import SourcesFlags
import TestSupport
import Testing

@Suite("The contract of sources: flags", .timeLimit(.minutes(1)))
struct FlagsContractTests {
    @Test(
        "the list keeps to the contract, and faults have their places",
        arguments: ["", "countries: [de, fr]\nlanguage: vi"])
    func contract(_ options: String) async throws {
        let faults = ["countries: [xx]", "url: no url", "url: \"https://example.org/{cod}.png\"", "language: 5"]
        let contract = SourceContract(FlagsSource.self, options: options, faults: faults)
        #expect(try await contract.violations() == [])
    }
}
