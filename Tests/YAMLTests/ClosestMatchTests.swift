import Testing
import YAML

@Suite("Did you mean", .timeLimit(.minutes(1)))
struct ClosestMatchTests {
    private static let keys = ["concurrency", "per_host", "rate", "retries", "refresh", "run", "url"]

    @Test(
        "the nearest key is offered if it is near enough",
        arguments: [
            ("concurency", "concurrency"), ("Concurrency", "concurrency"), ("perHost", "per_host"), ("rtae", "rate"),
            ("retrys", "retries"), ("urls", "url"), ("rnu", "run"), ("rates", "rate"), ("bandwidth", nil), ("x", nil),
            ("", nil), ("running", nil), (String(repeating: "a", count: 10_000), nil),
        ] as [(String, String?)])
    func nearest(word: String, match: String?) {
        #expect(closestMatch(to: word, in: Self.keys) == match)
    }

    @Test("the first of several equally near ones is offered")
    func tie() {
        #expect(closestMatch(to: "bat", in: ["cat", "bar", "bats"]) == "cat")
    }
}
