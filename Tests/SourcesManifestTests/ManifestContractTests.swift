import SourcesManifest
import TestSupport
import Testing

@Suite("The contract of sources: manifest", .timeLimit(.minutes(1)))
struct ManifestContractTests {
    @Test("the list keeps to the contract, and faults have their places")
    func contract() async throws {
        let folder = try TemporaryDirectory()
        let list = """
            ["http://example.org/a b.png", "http://example.org/a b.png", "no url", {"url": "https://example.org/x.pdf"}]
            """
        try folder.write(list, to: "list.json")
        let faults = ["url: 5\nmax_entries: many", "url: list.json\nmax_ratio: -1", "include: \"*.json\""]
        let contract = SourceContract(
            ManifestSource.self, options: "url: list.json", faults: faults, folder: folder.path)
        #expect(try await contract.violations() == [])
    }
}
