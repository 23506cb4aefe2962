import SourcesCommand
import TestSupport
import Testing

@Suite("The contract of sources: command", .timeLimit(.minutes(1)))
struct CommandContractTests {
    @Test("a list from a script keeps to what every source keeps to, and faults have their places")
    func contract() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            #!/bin/sh
            echo '{"type":"spec","protocol":1,"name":"n"}'
            read -r spec
            read -r list || exit 0
            echo '{"type":"collection","key":"a","title":"A","section":"Hà Nội"}'
            seq 3000 | sed 's|.*|{"type":"item","collection":"a","key":"a/&","url":"https://example.org/&"}|'
            echo '{"type":"collection","key":"b"}'
            echo '{"type":"item","collection":"b","key":"b/1","url":"https://example.org/b","metadata":{"year":1931}}'
            echo '{"type":"done","items":3001,"collections":2}'
            """, to: "list.sh")
        try Subprocess.run(["chmod", "+x", directory.path("list.sh")])
        let contract = SourceContract(
            CommandSource.self, options: "command: [./list.sh]",
            faults: ["options: {}", "command: []", "command: ./list.sh\nidle_timeout: soon"],
            folder: directory.path(""))
        #expect(try await contract.violations() == [])
    }
}
