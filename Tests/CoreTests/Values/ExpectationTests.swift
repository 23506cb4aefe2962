import Media
import Testing

@testable import Model

/// What a job takes.
@Suite("Expectations", .timeLimit(.minutes(1)))
struct ExpectationTests {
    @Test("what a job expects")
    func expectations() {
        #expect([Expectation.any].accept(nil))
        #expect([Expectation.image].accept(.png))
        #expect([Expectation.image].accept(.svg))
        #expect(![Expectation.image].accept(.pdf))
        #expect(![Expectation.image].accept(nil))
        #expect(![Expectation.image].accept(.html))
        #expect([Expectation.pdf, .zip].accept(.zip))
        #expect(![Expectation.pdf, .zip].accept(.gzip))
    }
}
