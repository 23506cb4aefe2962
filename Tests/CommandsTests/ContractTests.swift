import Foundation
import Testing

@Suite("Contract", .timeLimit(.minutes(1)), .serialized)
struct ContractTests {
    @Test("the tables of docs/contract.md are the program's", arguments: ContractTables.all.map(\.name))
    func table(name: String) throws {
        let table = try #require(ContractTables.all.first { $0.name == name }).table()
        var document = try ContractDocument()
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try document.update(name, table) }
        #expect(document[name] == table, "docs/contract.md differs in \(name); UPDATE_GOLDEN=1 rewrites it")
    }

    @Test("every table of docs/contract.md is checked")
    func complete() throws {
        #expect(try ContractDocument().names == ContractTables.all.map(\.name))
    }
}
