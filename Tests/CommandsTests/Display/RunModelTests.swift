import Run
import Testing

@testable import Commands
@testable import Model

@Suite("What a display knows", .timeLimit(.minutes(1)))
struct RunModelTests {
    private func model(_ events: [RunEvent], jobs: [String] = ["flags"]) -> RunModel {
        var model = RunModel(jobs: jobs)
        for event in events { model.apply(event, at: 0) }
        return model
    }

    private func states(_ events: [RunEvent]) -> [CollectionList.State] {
        model(events).collections.entries.map(\.state)
    }

    @Test("a collection is queued, at work, and finished when all its items have ended")
    func states() {
        let listed = RunEvent.progress(0, of: 4, collections: [.of(1, "a", of: 2), .of(2, "b", of: 2)])
        #expect(states([listed]) == [.queued, .queued])
        #expect(states([listed, .activity([.of(7, "x", collection: 2)])]) == [.queued, .downloading])
        #expect(
            states([listed, .progress(3, of: 4, collections: [.of(1, "a", 1, of: 2), .of(2, "b", 2, of: 2)])])
                == [.downloading, .finished])
    }

    @Test("a collection that may still grow is not finished, unless it has all that was announced")
    func growing() {
        let collections: [CollectionProgress] = [.of(1, "a", 2, of: 2), .of(2, "b", 2, of: 2, expected: 2)]
        let growing = RunEvent.progress(4, of: 4, isComplete: false, collections: collections)
        #expect(states([growing]) == [.downloading, .finished])
        #expect(states([growing, .progress(4, of: 4)]) == [.finished, .finished])
    }

    @Test("what a stopped run has left is stopped")
    func stopped() {
        let events: [RunEvent] = [
            .progress(
                3, of: 6,
                collections: [.of(1, "a", 2, of: 2), .of(2, "b", 2, of: 2, cancelled: 1), .of(3, "c", of: 2)]),
            .ended(.of()),
        ]
        #expect(states(events) == [.finished, .stopped, .stopped])
    }

    @Test("where not all fit, those at work come first, then the next ones, then the last that ended")
    func chosen() {
        var collections: [CollectionProgress] = (1...20).map { .of($0, "c\($0)", of: 2) }
        for place in 0..<8 { collections[place].done = 2 }
        collections[3].done = 1
        collections[14].done = 1
        let list = model([.progress(16, of: 40, collections: collections)]).collections
        #expect(list.chosen(2) == [3, 14])
        #expect(list.chosen(5) == [3, 8, 9, 10, 14])
        #expect(list.chosen(14) == [3] + Array(7...19))
        #expect(list.chosen(30) == Array(0..<20))
        #expect(list.counts == [.downloading: 2, .queued: 11, .finished: 7])
    }

    @Test("the collections at work that began first stay chosen until they end")
    func stable() {
        var model = model([.progress(0, of: 300, collections: (1...100).map { .of($0, "c\($0)", of: 3) })])
        for id in (1...100).reversed() { model.apply(.activity([.of(1, "x", collection: Int64(id))]), at: 0) }
        #expect(model.collections.chosen(3) == [97, 98, 99])
        model.apply(.progress(3, of: 300, collections: [.of(99, "c99", 3, of: 3)]), at: 0)
        #expect(model.collections.chosen(3) == [96, 97, 99])
    }

    @Test("a file keeps its place until it ends; the next one takes an empty place")
    func slots() {
        var files = FileSlots()
        files.apply([.of(1, "a"), .of(2, "b"), .of(3, "c")], at: 0)
        files.apply([.of(1, "a"), .of(3, "c")], at: 100_000)
        #expect(files.places.map { $0?.id } == [1, nil, 3])
        files.apply([.of(3, "c"), .of(8, "x"), .of(9, "y")], at: 200_000)
        #expect(files.places.map { $0?.id } == [8, 9, 3])
        files.apply([.of(8, "x")], at: 300_000)
        #expect(files.places.map { $0?.id } == [8, nil, nil])
        // Places that nobody takes go after a while.
        files.apply([.of(8, "x")], at: 1_300_000)
        #expect(files.places.map { $0?.id } == [8])
    }

    @Test("a file's rate is that of about the last second")
    func rates() throws {
        var files = FileSlots()
        files.apply([.of(1, "a", 0, of: 1_000_000)], at: 0)
        #expect(files.places[0]?.rate == nil)
        for tick in 1...20 { files.apply([.of(1, "a", Int64(tick) * 10_000)], at: Int64(tick) * 100_000) }
        #expect(try abs(#require(files.places[0]?.rate) - 100_000) < 1)
        for tick in 21...60 { files.apply([.of(1, "a", 200_000)], at: Int64(tick) * 100_000) }
        #expect(try #require(files.places[0]?.rate) < 1)
        // It began anew.
        files.apply([.of(1, "a", 10)], at: 7_000_000)
        #expect(files.places[0]?.rate == nil)
    }

    @Test("a host is held back until its time, the later of two")
    func holds() {
        let model = model([
            .held("a", seconds: 2), .held("b", seconds: 9), .held("a", seconds: 5), .held("a", seconds: 1),
        ])
        #expect(model.holds(at: 1_000_000).map(\.host) == ["a", "b"])
        #expect(model.holds(at: 4_999_999).map(\.host) == ["a", "b"])
        #expect(model.holds(at: 5_000_000).map(\.host) == ["b"])
    }

    @Test("a job that another run holds leaves the sums of the others whole")
    func abandoned() {
        let progress = RunEvent.progress(1, of: 2, job: "a")
        #expect(!model([progress], jobs: ["a", "b"]).isListComplete)
        #expect(model([progress, .jobAbandoned("b")], jobs: ["a", "b"]).isListComplete)
    }

    @Test("bytes never go back")
    func bytes() {
        var model = model([.activity([], received: 500), .progress(1, of: 2)])
        #expect(model.bytes == 10_000)
        model.apply(.activity([], received: 30_000), at: 0)
        model.apply(.activity([], received: 20_000), at: 0)
        #expect(model.bytes == 30_000)
    }
}
