import Files
import TestSupport
import Testing

@Suite("The journal tells own leftovers from other people's files", .timeLimit(.minutes(1)))
struct PublishJournalTests {
    private func intent(_ path: String, _ text: String) throws -> PublishJournal.Intent {
        PublishJournal.Intent(
            path: try RelativePath(validating: path), size: Int64(text.utf8.count), digest: digest(Array(text.utf8)))
    }

    @Test("what was recorded and not cleared is found by the next run")
    func recorded() throws {
        let fixture = try Fixture()
        let (one, two) = (try intent("a/one two.png", "1"), try intent("ệ 3", "22"))
        try PublishJournal(in: fixture.directory).record([one, two])
        let leftovers = try PublishJournal(in: fixture.directory).leftovers()
        #expect(leftovers == [one.path: [one], two.path: [two]])
    }

    @Test("a journal that was cleared has no leftovers, and takes new ones")
    func cleared() throws {
        let fixture = try Fixture()
        let journal = try PublishJournal(in: fixture.directory)
        #expect(try journal.leftovers() == [:])
        try journal.record([intent("a", "1")])
        try journal.clear()
        #expect(try journal.leftovers() == [:])
        let two = try intent("b", "2")
        try journal.record([two])
        #expect(try journal.leftovers() == [two.path: [two]])
    }

    @Test("what is kept outlives the batches that follow")
    func kept() throws {
        let fixture = try Fixture()
        let journal = try PublishJournal(in: fixture.directory)
        let (one, two) = (try intent("a", "1"), try intent("b", "2"))
        try journal.record([one])
        try journal.keep()
        try journal.record([two])
        try journal.clear()
        #expect(try PublishJournal(in: fixture.directory).leftovers() == [one.path: [one]])
    }

    @Test("a journal that is replaced has the new intents, and keeps them")
    func replaced() throws {
        let fixture = try Fixture()
        let journal = try PublishJournal(in: fixture.directory)
        let (one, two, three) = (try intent("a", "1"), try intent("b", "2"), try intent("c", "3"))
        try journal.record([one, two])
        try journal.replace(with: [two])
        try journal.record([three])
        #expect(try journal.leftovers() == [two.path: [two], three.path: [three]])
        try journal.clear()
        #expect(try PublishJournal(in: fixture.directory).leftovers() == [two.path: [two]])
        try journal.replace(with: [])
        #expect(try PublishJournal(in: fixture.directory).leftovers() == [:])
    }

    @Test("a file that is to go is told from one that is to come")
    func retirement() throws {
        let fixture = try Fixture()
        let coming = try intent("a", "1")
        let going = PublishJournal.Intent(
            path: coming.path, size: coming.size, digest: coming.digest, isRetirement: true)
        try PublishJournal(in: fixture.directory).record([coming, going])
        #expect(try PublishJournal(in: fixture.directory).leftovers() == [coming.path: [coming, going]])
    }

    @Test("several attempts at one path are all remembered")
    func repeated() throws {
        let fixture = try Fixture()
        let (one, two) = (try intent("a", "1"), try intent("a", "22"))
        let journal = try PublishJournal(in: fixture.directory)
        try journal.record([one])
        try journal.record([two])
        #expect(try journal.leftovers() == [one.path: [one, two]])
    }

    @Test("a torn last line is passed over, and spoils no later one", arguments: [1, 5, 40, 68])
    func torn(missing: Int) throws {
        let fixture = try Fixture()
        let (one, two, three) = (try intent("a", "1"), try intent("b", "2"), try intent("c", "3"))
        try PublishJournal(in: fixture.directory).record([one, two])
        let bytes = try #require(fixture.bytes(".runner/journal"))
        try fixture.temporary.write(bytes.dropLast(missing), to: "out/.runner/journal")
        let journal = try PublishJournal(in: fixture.directory)
        #expect(try journal.leftovers() == [one.path: [one]])
        try journal.record([three])
        #expect(try journal.leftovers()[one.path] == [one])
        #expect(try journal.leftovers()[three.path] == [three])
    }

    @Test("a journal of other bytes has no leftovers")
    func garbage() throws {
        let fixture = try Fixture()
        let digest = String(repeating: "0", count: 64)
        try fixture.temporary.write(
            Array("\n1 \(digest) ../x\n1 \(digest) /x\n1 short a\n-- \(digest) a\n\n".utf8) + [0xFF, 0xFE, 0x0A, 0, 0],
            to: "out/.runner/journal")
        #expect(try PublishJournal(in: fixture.directory).leftovers() == [:])
    }
}
