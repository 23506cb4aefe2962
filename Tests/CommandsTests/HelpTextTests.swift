import Testing

@testable import Commands

@Suite("Help", .timeLimit(.minutes(1)))
struct HelpTextTests {
    @Test("the overview lists the commands")
    func overview() throws {
        try expectGolden(HelpText.overview, "help.txt")
    }

    @Test("each command has a page of help", arguments: Command.allCases)
    func page(command: Command) throws {
        try expectGolden(HelpText.page(of: command), "help-\(command.rawValue).txt")
    }

    @Test("help fits 80 columns", arguments: Command.allCases)
    func width(command: Command) {
        for line in (HelpText.page(of: command) + HelpText.overview).split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
    }
}
