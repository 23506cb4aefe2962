import Reports
import Run
import Testing

@testable import Commands
@testable import Model

@Suite("Layout of a run", .timeLimit(.minutes(1)))
struct RunLayoutTests {
    private func rows(
        _ columns: Int, _ rows: Int, _ events: [RunEvent], jobs: [String] = ["flags"], keys: RunLayout.Keys = .hint
    ) -> [String] {
        var model = RunModel(jobs: jobs)
        for event in events { model.apply(event, at: 0) }
        let layout = RunLayout(
            model: model, size: ScreenSize(columns: columns, rows: rows), time: 0,
            rates: RunLayout.Rates(items: 10, bytes: 340_000), keys: keys)
        return layout.rows().map(\.text)
    }

    private var someCollections: [RunEvent] {
        [
            .started(),
            .progress(
                120, failed: 2, of: 240,
                collections: [
                    .of(1, "Hà Nội, Việt Nam", 60, of: 60), .of(2, "東京タワー", 40, of: 40, failed: 2),
                    .of(3, "Paris", 20, of: 80), .of(4, "esc\u{1B}[31m", of: 60),
                ]),
            .activity(
                [
                    .of(1, "Eiffel Tower.jpg", 45_000, of: 100_000, collection: 3),
                    .of(2, "凱旋門", 12_400, collection: 3, host: "cdn.example.org:8443"),
                    .of(3, "Louvre", attempt: 2, collection: 3), .of(4, "Sacré-Cœur", collection: 3),
                ], received: 1_180_000, retries: 3, waiting: 1),
        ]
    }

    @Test("80 columns")
    func usual() {
        #expect(
            rows(80, 24, someCollections + [.held("images.example.org", seconds: 12)]) == [
                "Hà Nội, Việt Nam  finished            [############################]  60 of 60",
                "東京タワー        finished, 2 failed  [############################]  40 of 40",
                "Paris             downloading         [#######---------------------]  20 of 80",
                "esc\u{FFFD}[31m          queued              [----------------------------]   0 of 60",
                "",
                "  Eiffel Tower.jpg      45 %              images.example.org",
                "  凱旋門             12.4 kB              cdn.example.org:8443",
                "  Louvre               try 2              images.example.org",
                "  Sacré-Cœur         waiting              images.example.org",
                "",
                "flags: 120 of 240 items, 2 failed, 12 s left, 340.0 kB/s, 1.2 MB, 3 retries",
                "1 waiting to retry",
                "paused: images.example.org for 12 s (Retry-After)",
                "p pause   +/- concurrency (16)   q stop   ? help",
            ])
    }

    @Test("40 columns and 10 rows: bars, hosts and speeds go, sums stay")
    func small() {
        #expect(
            rows(40, 10, someCollections) == [
                "Paris     downloading         20 of 80",
                "esc\u{FFFD}[31m  queued               0 of 60",
                "and 2 more: 2 finished",
                "  Eiffel …wer.jpg      45 %",
                "  凱旋門            12.4 kB",
                "  and 2 more in flight",
                "flags: 120 of 240 items, 2 failed",
                "12 s left, 340.0 kB/s, 1.2 MB",
                "p pause  q stop  ? help",
            ])
    }

    @Test("files of which pictures are made stand among those in flight until they are made, or their run ends")
    func rendering() {
        let events: [RunEvent] = [
            .started(), .progress(2, of: 3, collections: [.of(3, "Paris", 2, of: 3)]),
            .rendering(1, "Eiffel Tower.jpg", collection: 3),
            .rendering(2, "pictures.zip", .unzipping, collection: 3),
        ]
        let transfer = RunEvent.activity([.of(3, "Louvre", collection: 3)])
        let names = { (rows: [String]) in rows.filter { $0.hasPrefix("  ") } }
        #expect(
            names(rows(60, 14, events + [transfer])) == [
                "  Eiffel Tower.jpg  rendering", "  pictures.zip      unzipping",
                "  Louvre             waiting",
            ])
        #expect(names(rows(60, 14, events + [.rendered(1), transfer])).count == 2)
        #expect(names(rows(60, 14, events + [.ended(.of()), .activity([])])).isEmpty)
    }

    @Test("300 collections: those at work, and the others summed up")
    func many() {
        let collections: [CollectionProgress] = (1...300).map { id in
            .of(id, "collection \(id)", id <= 100 ? 3 : id <= 104 ? 1 : 0, of: 3)
        }
        let shown = rows(80, 12, [.started(), .progress(304, of: 900, collections: collections)])
        #expect(
            shown.prefix(9) == [
                "collection 101  downloading  [#############--------------------------]  1 of 3",
                "collection 102  downloading  [#############--------------------------]  1 of 3",
                "collection 103  downloading  [#############--------------------------]  1 of 3",
                "collection 104  downloading  [#############--------------------------]  1 of 3",
                "collection 105  queued       [---------------------------------------]  0 of 3",
                "collection 106  queued       [---------------------------------------]  0 of 3",
                "collection 107  queued       [---------------------------------------]  0 of 3",
                "collection 108  queued       [---------------------------------------]  0 of 3",
                "and 292 more: 192 queued, 100 finished",
            ])
        #expect(shown.count == 11)
    }

    @Test("a paused run is paused in every row that is not over")
    func paused() {
        let shown = rows(80, 24, someCollections + [.control(isPaused: true)])
        #expect(shown.filter { $0.contains(" paused ") }.count == 2)
        #expect(shown.contains { $0.hasPrefix("flags: 120 of 240 items, paused, 2 failed, ") })
        #expect(shown.last == "p resume   +/- concurrency (16)   q stop   ? help")
    }

    @Test("a run that is stopping says how long that may take, and offers no key that does nothing")
    func stopping() {
        let stop = RunEvent.control(isStopping: true, grace: 8_000_000)
        let shown = rows(80, 24, someCollections + [stop])
        #expect(shown.contains("stopping: what is in flight may end within 8 s, q stops it at once"))
        #expect(shown.last == "q stop at once   ? help")
        // Also where the screen is full.
        #expect(rows(40, 10, someCollections + [stop]).contains { $0.hasPrefix("stopping: what is in flight") })
        let over = rows(80, 24, someCollections + [.control(isStopping: true)])
        #expect(over.contains("stopping at once") && over.last == "? help")
    }

    @Test("what waits at the end stands among the files, with the reason")
    func waiting() {
        let retry = ItemRetry(title: "Louvre.jpg", wait: 11_500_000, reason: "the server answered 503")
        let shown = rows(
            80, 24, [.started(), .progress(3, of: 4), .activity([], waiting: 1, next: [retry])])
        #expect(shown.contains("  Louvre.jpg  again in 12 s: the server answered 503"))
    }

    @Test("a concurrency that per_host keeps from having an effect says so")
    func perHost() {
        let shown = rows(80, 24, [.started(perHost: 8), .progress(1, of: 4), .control(concurrency: 18)])
        #expect(shown.last == "p pause   +/- concurrency (18, per_host 8)   q stop   ? help")
        let below = rows(80, 24, [.started(perHost: 8), .progress(1, of: 4), .control(concurrency: 8)])
        #expect(below.last == "p pause   +/- concurrency (8)   q stop   ? help")
    }

    @Test("collections of several jobs go by the job's name too")
    func jobs() {
        let shown = rows(
            80, 24,
            [
                .started("a"), .started("long-name"),
                .progress(1, of: 2, job: "a", collections: [.of(1, "Paris", 1, of: 2)]),
                .progress(0, of: 1, isComplete: false, job: "long-name", collections: [.of(2, "Paris", of: 1)]),
                .control(concurrency: 4, job: "a"),
            ], jobs: ["a", "long-name"])
        #expect(shown[0].hasPrefix("a: Paris          downloading  ["))
        #expect(shown[1].hasPrefix("long-name: Paris  queued       ["))
        #expect(shown[1].hasSuffix("  0 of 1+"))
        #expect(shown.contains { $0.hasPrefix("2 jobs: 1 of 3+ items, ") })
        #expect(shown.last?.contains("concurrency (4 to 16)") == true)
    }

    @Test("help shows every key, as far as there is room")
    func help() {
        let help = rows(80, 24, someCollections, keys: .help)
        #expect(help.suffix(5).map { String($0.prefix(4)) } == ["p   ", "+ - ", "q   ", "^L  ", "?   "])
        #expect(!rows(80, 24, someCollections, keys: .none).contains { $0.contains("q stop") })
    }

    @Test("more files in flight than rows are counted, and no row is wasted")
    func manyFiles() {
        let files: [ItemActivity] = (1...64).map { .of($0, "file \($0)") }
        let shown = rows(
            80, 12, [.started(), .progress(0, of: 100, collections: [.of(1, "all", of: 100)]), .activity(files)])
        #expect(shown.count == 11)
        #expect(shown.contains("  and 57 more in flight"))
    }

    @Test("on every screen the rows fit, and the sums are there")
    func sizes() {
        let long = String(repeating: "長い名前", count: 40)
        let events =
            someCollections + [
                .progress(120, of: 240, collections: [.of(9, long, of: 1_000_000)]),
                .activity([.of(1, long, 5, of: 9, host: long), .of(2, "ü", 1_000_000_000)]),
                .held(long, seconds: 100), .held("b", seconds: 3), .held("c", seconds: 3),
            ]
        for columns in [1, 2, 5, 10, 19, 20, 27, 33, 40, 47, 57, 61, 80, 100, 200, 500] {
            for height in [1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 50] {
                for keys in [RunLayout.Keys.hint, .help] {
                    let shown = rows(columns, height, events, keys: keys)
                    #expect(shown.count <= max(1, height - 1), "\(columns)x\(height)")
                    #expect(
                        shown.allSatisfy { displayWidth(of: $0) <= max(1, columns - 1) }, "\(columns)x\(height)")
                    if columns > 24 { #expect(shown.contains { $0.contains("120 of 240") }, "\(columns)x\(height)") }
                }
            }
        }
    }
}
